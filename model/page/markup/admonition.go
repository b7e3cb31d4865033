package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// Admonition returns which of the five kinds of admonition e is (note, tip, important, warning, caution: those of
// Markdown), or an empty string. Generators of documentation mark them by class, Obsidian by an attribute.
func Admonition(p *page.Page, e page.ElementID) string {
	switch p.Elements[e].Tag {
	case atom.Div, atom.Aside, atom.Section, atom.Blockquote, atom.P, atom.Dl, atom.Details, atom.Table:
	default:
		return ""
	}
	if kind, ok := p.Attr(e, "data-callout"); ok {
		if k := admonitionWord(strings.ToLower(kind)); k != "" {
			return k
		}
		return "note"
	}
	class, _ := p.Attr(e, "class")
	if class == "" {
		return ""
	}
	classes := strings.Fields(strings.ToLower(class))
	framed, kind := false, ""
	for _, c := range classes {
		if isAdmonitionFrame(c) {
			framed = true
			continue
		}
		for _, prefix := range []string{"admonition-", "theme-admonition-", "alert--", "alert-", "markdown-alert-", "bs-callout-", "callout-", "notice--",
			"notice-", "hint-", "starlight-aside--"} {
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
		return admonitionWord(classes[0])
	}
	return ""
}

// isAdmonitionFrame has the classes of admonitions of every kind.
func isAdmonitionFrame(class string) bool {
	return slices.Contains([]string{"admonition", "admonitionblock", "alert", "callout", "bs-callout", "markdown-alert", "custom-block", "notice", "notecard",
		"theme-admonition", "hint", "hint-container", "messagebox", "starlight-aside"}, class)
}

// admonitionWord reads the words of Sphinx, Docusaurus, VitePress, GitBook, AsciiDoc, Bootstrap and Obsidian.
func admonitionWord(w string) string {
	switch w {
	case "note", "info", "seealso", "versionadded", "versionchanged", "abstract", "example", "question":
		return "note"
	case "tip", "hint", "success", "check", "done":
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

// IsAdmonitionIcon reports whether e is the cell beside an admonition of AsciiDoc that has its icon, or its kind.
func IsAdmonitionIcon(p *page.Page, e page.ElementID) bool {
	if p.Elements[e].Tag != atom.Td || !HasClass(p, e, "icon") {
		return false
	}
	for up, n := p.Elements[e].Parent, 0; up != page.None && n < 4; up, n = p.Elements[up].Parent, n+1 {
		if HasClass(p, up, "admonitionblock") {
			return true
		}
	}
	return false
}
