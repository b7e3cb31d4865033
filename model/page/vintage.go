package page

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"strings"

	"golang.org/x/net/html/atom"
	"golang.org/x/text/unicode/norm"
)

// writeVintage writes the content for browsers of 1996 to 2005: in the elements of HTML 3.2, without style sheets,
// scripts and data: addresses, in the charset that the client names.
func (p *Page) writeVintage(m *Marking, f Form) (*Output, error) {
	charset, ok := lookupVintage(cmp.Or(f.Charset, vintageCharset))
	if !ok {
		return nil, fmt.Errorf("writing a page: no charset %q for mode vintage", f.Charset)
	}
	v := p.view(m, f, true)
	w := vintageWriter{view: v, plain: f.Plain, width: f.PictureWidth, targets: v.linkedIDs()}
	if len(p.Elements) > 0 {
		w.children(max(p.Body, 0))
	}
	body := strings.TrimSpace(w.b.String())
	if body == "" {
		return nil, ErrNothingToShow
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<html")
	if dir := p.rootAttr("dir"); isOneOf(dir, "rtl") {
		b.WriteString(` dir="rtl"`)
	}
	b.WriteString(">\n<head>\n<meta http-equiv=\"Content-Type\" content=\"text/html; charset=" + charset.name + "\">\n" +
		"<title>" + escaped(p.title()) + "</title>\n</head>\n<body>\n")
	if d := p.metadata(f.URL, v.seen); d.Title != "" && !strings.Contains(body, "<h1") {
		b.WriteString("<h1>" + escaped(d.Title) + "</h1>\n")
	}
	b.WriteString(body + "\n</body>\n</html>\n")
	return &Output{Body: charset.encode(b.String()), ContentType: "text/html; charset=" + charset.name, Removed: p.removedShare(m)}, nil
}

// ErrNothingToShow says that mode vintage can show nothing of a page: it has frames, or scripts alone.
var ErrNothingToShow = errors.New("nothing of the page can be shown in mode vintage")

// Whole returns the marking with which a mode writes the page. Mode vintage also writes pages that pass unchanged in
// the other modes because they are for work rather than reading: a browser that it is for can't show the original.
func (m *Marking) Whole(mode Mode) *Marking {
	if mode != ModeVintage || m.Pass != "application" && m.Pass != "no-content" {
		return m
	}
	whole := *m
	whole.Pass, whole.Marks, whole.Verdicts = "", nil, make([]Verdict, len(m.Verdicts))
	return &whole
}

// linkedIDs returns the names of the places that links of the page lead to.
func (v *contentView) linkedIDs() map[string]bool {
	ids := map[string]bool{}
	for e := range v.p.Elements {
		if href, _ := v.p.Attr(ElementID(e), "href"); v.p.Elements[e].Tag == atom.A && len(href) > 1 && href[0] == '#' {
			ids[href[1:]] = true
		} else if note := v.p.noteRefOf(ElementID(e)); note != "" {
			ids[note] = true
		}
	}
	return ids
}

// escaped returns text as it stands in markup, with composed characters, since old charsets and fonts have no others.
// Only text may be composed, not markup: ">" and a stroke through it compose too.
func escaped(text string) string { return html.EscapeString(norm.NFC.String(text)) }

// vintageName returns the element of HTML 3.2 in the place of one of simple HTML, empty where only its content appears.
func vintageName(simple string) string {
	switch simple {
	case "abbr", "bdi", "bdo", "time", "ruby", "rp", "rt", "wbr", "q", "thead", "tbody", "tfoot":
		return ""
	case "s", "del":
		return "strike"
	case "ins":
		return "u"
	case "mark":
		return "em"
	case "figure", "figcaption", "details", "summary":
		return "div"
	}
	return simple
}

// asciiAddress escapes what must not stand in an address: what is not ASCII, and what would end it in an old browser.
// A place within the page keeps the characters of its name.
func asciiAddress(u string) string {
	u = withoutBreaks(u)
	if strings.HasPrefix(u, "#") {
		return u
	}
	var b strings.Builder
	for i := range len(u) {
		if c := u[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
