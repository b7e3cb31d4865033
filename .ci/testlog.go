// Command testlog reads the events of go test -json and prints what a person wants to know of them: with "failures" the
// output of what failed, with "skipped" the skipped tests with their reasons, with "summary" go test's line for each
// package. It ends with exit code 1 when it can't read the events.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// event is one line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: testlog failures|skipped|summary <events")
		os.Exit(2)
	}
	l := log{output: map[event][]string{}}
	if err := l.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testlog:", err)
		os.Exit(1)
	}
	for _, line := range l.lines(os.Args[1]) {
		fmt.Println(line)
	}
}

// log is what the events say.
type log struct {
	// output is the lines that a test, or a package outside of its tests, printed.
	output map[event][]string
	// build is what the compiler said.
	build                    []string
	failed, skipped, summary []string
}

func (l *log) read(r io.Reader) error {
	for d := json.NewDecoder(r); ; {
		var e event
		switch err := d.Decode(&e); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		l.add(e)
	}
}

func (l *log) add(e event) {
	key := event{Package: e.Package, Test: e.Test}
	line := strings.TrimRight(e.Output, "\n")
	switch e.Action {
	case "build-output":
		l.build = append(l.build, line)
	case "output":
		l.output[key] = append(l.output[key], line)
		if e.Test == "" && regexp.MustCompile(`^(ok|FAIL|\?)\s`).MatchString(line) {
			l.summary = append(l.summary, line)
		}
	case "fail":
		l.failed = append(l.failed, l.output[key]...)
		delete(l.output, key)
	case "pass":
		delete(l.output, key)
	case "skip":
		if e.Test != "" {
			l.skipped = append(l.skipped, fmt.Sprintf("%s %s: %s", e.Package, e.Test, l.reason(key)))
		}
	}
}

// reason finds what the test said when it was skipped: "file.go:12: why".
func (l *log) reason(key event) string {
	var reason []string
	at := regexp.MustCompile(`^\s*\S+\.go:\d+: `)
	for _, line := range l.output[key] {
		switch {
		case strings.HasPrefix(line, "=== "), strings.HasPrefix(strings.TrimSpace(line), "--- "):
		case at.MatchString(line):
			reason = append(reason, at.ReplaceAllString(line, ""))
		default:
			reason = append(reason, strings.TrimSpace(line))
		}
	}
	if len(reason) == 0 {
		return "no reason given"
	}
	return strings.Join(reason, " ")
}

func (l *log) lines(what string) []string {
	switch what {
	case "failures":
		return append(l.build, l.failed...)
	case "skipped":
		return l.skipped
	}
	return l.summary
}
