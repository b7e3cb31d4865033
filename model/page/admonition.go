package page

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// admonitionOf returns which of the five kinds of admonition e is (note, tip, important, warning, caution: those of
// Markdown), or an empty string. Generators of documentation mark them by class.
func (p *Page) admonitionOf(e ElementID) string {
	switch p.Elements[e].Tag {
	case atom.Div, atom.Aside, atom.Section, atom.Blockquote, atom.P, atom.Dl, atom.Details, atom.Table:
	default:
		return ""
	}
	class, _ := p.Attr(e, "class")
	if class == "" {
		return ""
	}
	classes := strings.Fields(strings.ToLower(class))
	framed, kind := false, ""
	for _, c := range classes {
		framed = framed || slices.Contains([]string{"admonition", "admonitionblock", "alert", "callout", "markdown-alert", "custom-block", "notice",
			"theme-admonition", "hint", "hint-container", "messagebox"}, c)
		for _, prefix := range []string{"admonition-", "theme-admonition-", "alert--", "alert-", "markdown-alert-", "callout-", "notice-", "notice--", "hint-"} {
			c = strings.TrimPrefix(c, prefix)
		}
		if k := admonitionWord(c); k != "" && kind == "" {
			kind = k
		}
	}
	switch {
	case framed && kind == "" && slices.Contains(classes, "admonition"):
		return "note"
	case framed:
		return kind
	case len(classes) == 1:
		return kind
	}
	return ""
}

// admonitionWord reads the words of Sphinx, Docusaurus, VitePress, GitBook, AsciiDoc and Bootstrap.
func admonitionWord(w string) string {
	switch w {
	case "note", "info", "seealso", "versionadded", "versionchanged", "abstract", "example", "question":
		return "note"
	case "tip", "hint", "success", "check":
		return "tip"
	case "important":
		return "important"
	case "warning", "attention", "deprecated":
		return "warning"
	case "caution", "danger", "error", "bug", "failure":
		return "caution"
	}
	return ""
}
