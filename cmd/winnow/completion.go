package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
)

// completionCmd is winnow completion.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help gives examples.
func (*completionCmd) Help() string {
	return `Examples:

  source <(winnow completion bash)                                    # in ~/.bashrc
  source <(winnow completion zsh)                                     # in ~/.zshrc, after compinit
  winnow completion fish > ~/.config/fish/completions/winnow.fish`
}

// Run prints the script. The scripts ask winnow itself, so they stay the same when commands and flags change.
func (c *completionCmd) Run(p *console.Console) error {
	script := map[string]string{
		"bash": `_winnow() {
	mapfile -t COMPREPLY < <(winnow complete-words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _winnow winnow
`,
		"zsh": `_winnow() {
	local -a candidates
	candidates=("${(@f)$(winnow complete-words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	[[ -n "$candidates" ]] && compadd -- $candidates || _files
}
compdef _winnow winnow
`,
		"fish": `complete -c winnow -a '(winnow complete-words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
	}[c.Shell]
	_, err := fmt.Fprint(p.Stdout, script)
	return err
}

// completeCmd prints the completions of its last argument, an unfinished word. The scripts call it.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints one candidate per line. None means that the shell should offer files.
func (c *completeCmd) Run(p *console.Console, k *kong.Context) error {
	words := slices.DeleteFunc(c.Words, func(w string) bool { return w == "--" })
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

// candidates are the commands that complete the last word or, after a dash, the flags.
func candidates(node *kong.Node, words []string) (out []string) {
	last := words[len(words)-1]
	for _, w := range words[:len(words)-1] {
		for _, child := range node.Children {
			if child.Name == w {
				node = child
			}
		}
	}
	add := func(name string, hidden bool) {
		if !hidden && strings.HasPrefix(name, last) {
			out = append(out, name)
		}
	}
	if strings.HasPrefix(last, "-") {
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				add("--"+f.Name, f.Hidden)
			}
		}
		return out
	}
	for _, child := range node.Children {
		add(child.Name, child.Hidden)
	}
	return out
}
