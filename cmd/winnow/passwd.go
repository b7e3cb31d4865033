package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// passwdCmd is winnow passwd.
type passwdCmd struct {
	Add    passwdAddCmd    `cmd:"" help:"Add a user to a password file, or give one a new password."`
	Remove passwdRemoveCmd `cmd:"" help:"Take users out of a password file."`
}

type passwdAddCmd struct {
	File string `arg:"" help:"Password file; it is made if need be."`
	User string `arg:"" help:"Name of the user."`
}

// Help gives examples.
func (*passwdAddCmd) Help() string {
	return `The password is asked for on a terminal, and else read from the first line of standard input; it never stands in a command line, which others can see. The file has the format of Apache's htpasswd with bcrypt. It is written anew, and belongs to whoever runs the command: run it as the user that winnow serve runs as.

Examples:

  winnow passwd add users ada
  pass show proxy/ada | winnow passwd add users ada
  winnow serve --listen :8080 --password-file users`
}

// Run adds.
func (c *passwdAddCmd) Run(p *program) error {
	if err := access.CheckName(c.User); err != nil {
		return usagef("USER: %w", err)
	}
	password, err := p.readPassword(c.User)
	if err != nil {
		return err
	}
	return access.SetPassword(c.File, c.User, password)
}

type passwdRemoveCmd struct {
	File string   `arg:"" help:"Password file."`
	User []string `arg:"" help:"Names of the users."`
}

// Help gives examples.
func (*passwdRemoveCmd) Help() string {
	return `Examples:

  winnow passwd remove users ada charles`
}

// Run removes. Users that are not there are named, and the others removed all the same.
func (c *passwdRemoveCmd) Run() error {
	var errs []error
	for _, name := range c.User {
		errs = append(errs, access.RemoveUser(c.File, name))
	}
	return errors.Join(errs...)
}

// readPassword asks for a password, twice on a terminal, where it does not show.
func (p *program) readPassword(user string) (string, error) {
	if !isTerminal(p.stdin) {
		line, err := bufio.NewReader(io.LimitReader(p.stdin, 4096)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read the password: %w", err)
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	first, err := p.askHidden("Password for " + user + ": ")
	if err != nil {
		return "", err
	}
	second, err := p.askHidden("Once more: ")
	if err != nil {
		return "", err
	}
	if first != second {
		return "", errors.New("the two passwords differ")
	}
	return first, nil
}

// askHidden reads a line from the terminal without showing it.
func (p *program) askHidden(prompt string) (string, error) {
	fmt.Fprint(p.stderr, prompt)
	b, err := term.ReadPassword(int(p.stdin.(*os.File).Fd()))
	fmt.Fprintln(p.stderr)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return string(b), nil
}
