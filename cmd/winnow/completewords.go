package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
)

// completeCmd prints the completions of its last argument, an unfinished word. The scripts call it.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints one candidate per line.
func (c *completeCmd) Run(p *console.Console, k *kong.Context) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" { // which the scripts write
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	for _, w := range candidates(k.Model.Node, words) {
		if _, err := fmt.Fprintln(p.Stdout, w); err != nil {
			return err
		}
	}
	return nil
}

// wantFiles is the candidate that tells the scripts to offer the names of files.
const wantFiles = ":files"

// candidates are what completes the last word: commands, flags after a dash, and the values of a flag or an argument.
func candidates(node *kong.Node, words []string) (out []string) {
	last, flag := words[len(words)-1], ""
	for _, w := range words[:len(words)-1] {
		if strings.HasPrefix(w, "-") {
			flag = w
			continue
		}
		if w != "=" { // bash takes --flag=value for three words
			flag = ""
		}
		for _, child := range node.Children {
			if child.Name == w {
				node = child
			}
		}
	}
	if before, value, ok := strings.Cut(last, "="); ok && strings.HasPrefix(before, "--") { // one word in zsh and fish
		return ofValue(findFlag(node, before), before+"=", value)
	}
	if f := findFlag(node, flag); f != nil && !f.IsBool() {
		return ofValue(f, "", strings.TrimPrefix(last, "="))
	}
	if strings.HasPrefix(last, "-") {
		var names []string
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				names = append(names, "--"+f.Name)
			}
		}
		return starting(names, "", last)
	}
	if len(node.Children) == 0 {
		return ofArguments(node, last)
	}
	for _, child := range node.Children {
		if !child.Hidden {
			out = append(out, child.Name)
		}
	}
	return starting(out, "", last)
}

// findFlag returns the flag of a command that name names with its dashes, or nil.
func findFlag(node *kong.Node, name string) *kong.Flag {
	for _, group := range node.AllFlags(false) {
		for _, f := range group {
			if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) {
				return f
			}
		}
	}
	return nil
}

// ofArguments returns the completions of an argument.
func ofArguments(node *kong.Node, last string) (out []string) {
	for _, arg := range node.Positional {
		out = append(out, starting(enumerated(arg), "", last)...)
	}
	if out == nil && len(node.Positional) > 0 {
		return []string{wantFiles}
	}
	return out
}

// ofValue returns the completions of a flag's value. head stands before the value in the same word.
func ofValue(f *kong.Flag, head, last string) []string {
	if f == nil {
		return nil
	}
	values := enumerated(f.Value)
	switch f.Target.Interface().(type) {
	case page.Mode, *page.Mode:
		values = page.ModeNames()
	case cleanMode:
		values = append(page.ModeNames(), modeBook.String())
	case page.KindSet, *page.KindSet:
		if comma := strings.LastIndex(last, ","); comma >= 0 { // the names before it are whole
			head, last = head+last[:comma+1], last[comma+1:]
		}
		values = page.SelectableKinds()
	}
	if f.Name == "detector" {
		values = detectors.Names()
	}
	switch f.PlaceHolder {
	case "FILE", "DIR", "PATH":
		return []string{wantFiles}
	}
	return starting(values, head, last)
}

// enumerated returns the values that kong permits.
func enumerated(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return strings.Split(v.Enum, ",")
}

// starting returns the words that begin with last, each with head before it.
func starting(words []string, head, last string) (out []string) {
	for _, w := range words {
		if strings.HasPrefix(w, last) {
			out = append(out, head+w)
		}
	}
	return out
}
