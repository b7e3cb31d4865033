// Package vintage writes mode vintage: the content and forms of a page for browsers of 1996 to 2005.
package vintage

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"github.com/winnow-proxy/winnow/model/page/metadata"
	"github.com/winnow-proxy/winnow/model/page/write/content"
)

// Options say how a page for old browsers is written. The zero value is usable.
type Options struct {
	// URL is the absolute address of the page, if it is known.
	URL string
	// Charset is the charset of the output, as [CharsetFor] names it; empty is ISO-8859-1.
	Charset string
	// Plain reports whether the client reaches the HTTPS of a host over plain HTTP, at port 443. Addresses there are
	// written so. Nil reports no host.
	Plain func(host string) bool
	// PictureWidth is how many pixels wide a picture is shown; 0 is any width.
	PictureWidth int
	// Done ends the work early where it is closed.
	Done <-chan struct{}
}

// Write writes the content for browsers of 1996 to 2005: in the elements of HTML 3.2, without style sheets,
// scripts and data: addresses, in the charset that the client names.
func Write(p *page.Page, m *page.Marking, o Options) (body []byte, contentType string, err error) {
	charset, ok := lookupVintage(cmp.Or(o.Charset, latin1))
	if !ok {
		return nil, "", fmt.Errorf("writing a page: no charset %q for mode vintage", o.Charset)
	}
	v := content.Of(p, m, content.Options{URL: o.URL, Forms: true, Done: o.Done})
	w := writer{view: v, plain: o.Plain, width: o.PictureWidth, targets: v.LinkedIDs()}
	if len(p.Elements) > 0 {
		w.children(max(p.Body, 0))
	}
	shown := strings.TrimSpace(w.b.String())
	if shown == "" {
		return nil, "", ErrNothingToShow
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<html")
	if dir := p.RootAttr("dir"); markup.IsOneOf(dir, "rtl") {
		b.WriteString(` dir="rtl"`)
	}
	b.WriteString(">\n<head>\n<meta http-equiv=\"Content-Type\" content=\"text/html; charset=" + charset.name + "\">\n" +
		"<title>" + escaped(p.Title()) + "</title>\n</head>\n<body>\n")
	if d := metadata.Seen(p, o.URL, v.Seen); d.Title != "" && !strings.Contains(shown, "<h1") {
		b.WriteString("<h1>" + escaped(d.Title) + "</h1>\n")
	}
	b.WriteString(shown + "\n</body>\n</html>\n")
	return charset.encode(b.String()), "text/html; charset=" + charset.name, nil
}

// ErrNothingToShow says that mode vintage can show nothing of a page: it has frames, or scripts alone.
var ErrNothingToShow = errors.New("nothing of the page can be shown in mode vintage")

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
	u = address.WithoutBreaks(u)
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
