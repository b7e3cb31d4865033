package main

import (
	"fmt"

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

// Run prints the script. The scripts ask winnow itself, so they stay the same when commands and flags change. The one
// for zsh also works as the file _winnow in a folder of fpath.
func (c *completionCmd) Run(p *console.Console) error {
	script := map[string]string{
		"bash": `_winnow() {
	mapfile -t COMPREPLY < <(winnow complete-words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	[[ "${COMPREPLY[0]}" != :files ]] || { COMPREPLY=(); compopt -o default; }
}
complete -F _winnow winnow
`,
		"zsh": `#compdef winnow
_winnow() {
	local -a candidates
	candidates=("${(@f)$(winnow complete-words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ "$candidates" == :files ]]; then _files; else compadd -- $candidates; fi
}
if [[ "$funcstack[1]" == _winnow ]]; then _winnow "$@"; else compdef _winnow winnow; fi
`,
		"fish": `function __winnow
	set -l candidates (winnow complete-words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
	if test "$candidates" = :files
		__fish_complete_path (commandline -ct)
	else
		string join \n -- $candidates
	end
end
complete -c winnow -f -a '(__winnow)'
`,
	}[c.Shell]
	_, err := fmt.Fprint(p.Stdout, script)
	return err
}
