package source

import (
	"fmt"
	"hash/crc32"
	"html"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model/page/write/script"
)

// Styles are the rules that a page needs. They never change between pages, so that winnow's own host can serve each
// combination once, and browsers keep it.
type Styles uint8

// The rules, in the order in which a style sheet has them.
const (
	stylesHiding Styles = 1 << iota
	stylesScrolling
	stylesUnlocking
	stylesColumn
	stylesPhone
	stylesViewport
	stylesBar
	stylesTop
)

// StylesPath is where the style sheets are on winnow's own host.
const StylesPath = "/s/"

// ParseStyles returns the styles that a page names below [StylesPath]. current says that they are still as they were
// when it was written.
func ParseStyles(name string) (s Styles, current bool) {
	bits, _, _ := strings.Cut(name, "-")
	n, err := strconv.ParseUint(bits, 16, 8)
	s = Styles(n)
	return s, err == nil && s.name() == name
}

// CSS returns the rules.
func (s Styles) CSS() string {
	var b strings.Builder
	for i, rules := range []string{hidingStyle, scrollingStyle, unlockingStyle, columnStyle, phoneStyle, viewportStyle, barStyle, topStyle} {
		if s&(1<<i) != 0 {
			b.WriteString(rules)
		}
	}
	return b.String()
}

// name names the rules, other rules otherwise.
func (s Styles) name() string {
	return fmt.Sprintf("%x-%08x.css", uint8(s), crc32.ChecksumIEEE([]byte(s.CSS())))
}

// mayStyle decides whether the page may get styles, and whether it links to them.
func (h *hider) mayStyle(o HideOptions) {
	if script.HydratesDocument(h.p) {
		return
	}
	if o.Styles != "" && allows(h.p, o.CSP, o.Styles, "style-src-elem", "style-src", "default-src") {
		h.linked = o.Styles
	}
	h.styled = h.linked != "" || allowsStyle(h.p, o.CSP)
}

// addStyles puts the styles that the page needs at the end of the head, with the viewport of a page from before phones.
// A link leads to the bar's as well.
func (h *hider) addStyles(bar bool) {
	needed := h.styles
	if h.linked != "" {
		if bar {
			h.styles |= stylesBar
		}
		if h.styles != 0 {
			h.own.Style = h.linked + h.styles.name()
		}
	}
	at, ok := headEnd(h.p)
	if needed == 0 || !ok {
		return
	}
	head := "<style>" + h.styles.CSS() + "</style>"
	if h.own.Style != "" {
		head = h.styleLink()
	}
	if needed&stylesViewport != 0 {
		head = h.void(`<meta name="viewport" content="width=device-width, initial-scale=1">`) + head
	}
	h.adds = append(h.adds, insertion{at, head})
}

// styleLink links to the page's styles on winnow's host. Scripts may read them, as they may read a style element: one
// that goes through the rules of all style sheets would stop at one that it may not read (CSSOM §6.2).
func (h *hider) styleLink() string {
	return h.void(`<link rel="stylesheet" crossorigin="" href="` + html.EscapeString(h.own.Style) + `">`)
}

// void writes the tag of an element without an end as the page's kind of markup wants it.
func (h *hider) void(tag string) string {
	if h.p.MediaType() == "application/xhtml+xml" {
		return strings.TrimSuffix(tag, ">") + "/>"
	}
	return tag
}
