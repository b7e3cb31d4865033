package markup

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// NamesWidget reports whether style libraries use a class for a part that opens and closes.
func NamesWidget(class string) bool {
	words := strings.FieldsFunc(class, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, w := range words {
		w = strings.ToLower(w)
		for _, start := range [...]string{"accordion", "collaps", "expand", "faq", "toggle", "spoiler"} {
			if strings.HasPrefix(w, start) {
				return true
			}
		}
		if w == "tab" || w == "tabs" || w == "tabpanel" || w == "answer" {
			return true
		}
	}
	return strings.Contains(strings.ToLower(class), "tab-pane")
}

// RunsScripts reports whether any script of the page is code rather than data.
func RunsScripts(p *page.Page) bool {
	for e := range p.Elements {
		if p.Elements[e].Tag != atom.Script {
			continue
		}
		if kind, _ := p.Attr(page.ElementID(e), "type"); kind == "" || strings.Contains(kind, "javascript") || kind == "module" {
			return true
		}
	}
	return false
}

// OpensByScript reports whether e is a dialog or popover that is closed: a browser shows it when it is opened, and
// takes all of the page out of reach for a modal dialog, even if a style hides the dialog.
func OpensByScript(p *page.Page, e page.ElementID) bool {
	_, open := p.Attr(e, "open")
	_, popover := p.Attr(e, "popover")
	return p.Elements[e].Tag == atom.Dialog && !open || popover
}
