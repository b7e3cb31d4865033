package console

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// ReadPassword asks twice for a user's password on a terminal, without echo. Without a terminal it reads the first line
// of standard input.
func (c *Console) ReadPassword(user string) (string, error) {
	if !IsTerminal(c.Stdin) {
		line, err := bufio.NewReader(io.LimitReader(c.Stdin, 4096)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read the password: %w", err)
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	first, err := c.askHidden("Password for " + user + ": ")
	if err != nil {
		return "", err
	}
	second, err := c.askHidden("Again: ")
	if err != nil {
		return "", err
	}
	if first != second {
		return "", errors.New("the two passwords differ")
	}
	return first, nil
}

// askHidden reads a line from the terminal without echo.
func (c *Console) askHidden(prompt string) (string, error) {
	fmt.Fprint(c.Stderr, prompt)
	b, err := term.ReadPassword(int(c.Stdin.(*os.File).Fd()))
	fmt.Fprintln(c.Stderr)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return string(b), nil
}
