package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// ListingLanguage returns the programming language of a listing, as highlighters declare it: on the pre, on the code
// in it, or on an element around it.
func ListingLanguage(p *page.Page, pre page.ElementID) string {
	for d := pre; d < p.Elements[pre].Sub && d <= pre+2; d++ {
		if tag := p.Elements[d].Tag; d == pre || tag == atom.Pre || tag == atom.Code {
			if lang := languageNamed(p, d, true); lang != "" {
				return lang
			}
		}
	}
	up := p.Elements[pre].Parent
	for i := 0; i < 6 && up != page.None && up != p.Body; i++ {
		if lang := languageNamed(p, up, false); lang != "" {
			return lang
		}
		up = p.Elements[up].Parent
	}
	return labelledLanguage(p, pre)
}

// languageNamed reads data-lang and the classes of e: language-go, lang-go, brush: go, highlight-source-go,
// highlight-python3, and, on the listing itself or a highlighted figure, the bare name beside a highlighter's.
func languageNamed(p *page.Page, e page.ElementID, own bool) string {
	for _, key := range []string{"data-lang", "data-language"} {
		if lang, _ := p.Attr(e, key); isLanguageName(lang) {
			return strings.ToLower(lang)
		}
	}
	class, _ := p.Attr(e, "class")
	classes := strings.Fields(strings.ToLower(strings.ReplaceAll(class, "brush: ", "brush-")))
	for _, c := range classes {
		for _, prefix := range []string{"language-", "lang-", "brush-", "brush:", "highlight-source-", "highlight-text-", "mw-highlight-lang-", "highlight-", "sourcecode-"} {
			if lang, found := strings.CutPrefix(c, prefix); found && isLanguageName(lang) {
				return strings.TrimSuffix(lang, ";")
			}
		}
		for _, prefix := range []string{"source-", "type-"} { // GeSHi, GitHub
			if lang, found := strings.CutPrefix(c, prefix); found && isKnownLanguage(lang) {
				return lang
			}
		}
	}
	highlighter := func(c string) bool {
		return slices.Contains([]string{"hljs", "highlight", "code", "sourcecode", "prettyprint", "src", "syntaxhighlighter"}, c)
	}
	if i := slices.IndexFunc(classes, highlighter); i >= 0 && (own || p.Elements[e].Tag == atom.Figure) {
		for _, c := range classes {
			if isKnownLanguage(strings.TrimPrefix(c, "src-")) {
				return strings.TrimPrefix(c, "src-")
			}
		}
	}
	return ""
}

// isLanguageName reports whether s may follow a fence: one word, and not a name that highlighters give to plain text or
// to parts of their own.
func isLanguageName(s string) bool {
	s = strings.ToLower(strings.TrimSuffix(s, ";"))
	if s == "" || len(s) > 20 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '`' || r == '"' || r == '<' }) {
		return false
	}
	return !slices.Contains([]string{"none", "plaintext", "default", "notranslate", "wrapper", "container", "block", "box", "area", "copy",
		"toolbar", "source", "text", "undefined", "highlighter"}, s)
}

// isKnownLanguage has the names that can be a class of their own.
func isKnownLanguage(s string) bool {
	return slices.Contains([]string{"bash", "sh", "shell", "zsh", "console", "c", "cpp", "c++", "csharp", "cs", "css", "scss", "clojure", "clj", "dart", "diff",
		"dockerfile", "elixir", "elm", "erlang", "fsharp", "fortran", "go", "golang", "graphql", "groovy", "haskell", "html", "html4strict", "html5", "ini", "java",
		"java5", "javascript", "js", "json", "jsx", "julia", "kotlin", "latex", "lisp", "emacs-lisp", "lua", "makefile", "markdown", "matlab", "nginx", "nix", "objc",
		"ocaml", "perl", "php", "powershell", "python", "python3", "py", "r", "ruby", "rb", "rust", "scala", "scheme", "sql", "mysql", "swift", "tcl", "toml",
		"tsx", "typescript", "ts", "vb", "vbnet", "vim", "xml", "yaml", "yml", "zig"}, s)
}
