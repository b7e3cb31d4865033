// Package reader writes modes reader and lite: a plain page with only the content.
package reader

import (
	"cmp"
	"html"
	"net/url"
	"regexp"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
	"github.com/winnow-proxy/winnow/model/page/metadata"
	"github.com/winnow-proxy/winnow/model/page/write/content"
	"github.com/winnow-proxy/winnow/model/page/write/simple"
)

// Options say how a page for readers is written. The zero value is usable.
type Options struct {
	// URL is the absolute address of the page, if it is known.
	URL string
	// Original is where the link to the original leads, empty for URL. Where a browser sees each page of a site like
	// this, URL leads to no other view.
	Original string
	// Lite writes the page for small devices.
	Lite bool
	// Done ends the work early where it is closed.
	Done <-chan struct{}
}

// Write writes a plain page with only the content: self-contained, in UTF-8, without scripts. Before the content
// are its source, author, date and a link to the original.
func Write(p *page.Page, m *page.Marking, o Options) []byte {
	shape, style := simple.ForReaders, readerStyle
	if o.Lite {
		shape, style = simple.ForSmall, liteStyle
	}
	view := content.Of(p, m, content.Options{URL: o.URL, Done: o.Done})
	data, body := metadata.Seen(p, o.URL, view.Seen), simple.Body(view, shape)
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html")
	for _, key := range []string{"lang", "dir"} {
		if v := p.RootAttr(key); v != "" {
			b.WriteString(" " + key + `="` + html.EscapeString(v) + `"`)
		}
	}
	b.WriteString(">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" + html.EscapeString(p.Title()) + "</title>\n")
	if base := address.Base(p); o.URL == "" && base != "" { // relative addresses start there
		b.WriteString(`<base href="` + html.EscapeString(base) + "\">\n")
	}
	b.WriteString("<style>" + style + "</style>\n</head>\n<body>\n" + withHead(data, body, o.Original) + "</body>\n</html>\n")
	return []byte(b.String())
}

// withHead writes the source of the page and its body, with title, author and date where the body does not have them.
func withHead(d metadata.Metadata, body, original string) string {
	var head strings.Builder
	address := cmp.Or(d.URL, d.Canonical)
	if source := joined(html.EscapeString(cmp.Or(d.SiteName, hostOf(address))), anchor(cmp.Or(original, address), "Original page")); source != "" {
		head.WriteString("<p>" + source + "</p>\n")
	}
	by := byline(d, body)
	if start, end := titleIn(body, d.Title); end > 0 {
		body = body[:start] + "<h1" + body[start+len("<h1"):end-len("</h1>")] + "</h1>\n" + by + strings.TrimPrefix(body[end:], "\n")
	} else {
		if d.Title != "" && !strings.Contains(body, "<h1") {
			head.WriteString("<h1>" + html.EscapeString(d.Title) + "</h1>\n")
		}
		head.WriteString(by)
	}
	header := head.String()
	if header != "" {
		header = "<header>\n" + header + "</header>\n"
	}
	return header + "<main>\n" + body + "\n</main>\n"
}

// byline names the author and the date that the body does not have.
func byline(d metadata.Metadata, body string) string {
	author, date := html.EscapeString(d.Author), html.EscapeString(d.Date)
	if strings.Contains(body, author) {
		author = ""
	}
	if date != "" && (strings.Contains(body, `datetime="`+date[:min(len(date), len("2006-01-02"))]) || saysDate(body, date)) {
		date = ""
	}
	if date != "" {
		date = `<time datetime="` + date + `">` + date[:min(len(date), len("2006-01-02"))] + "</time>"
	}
	if by := joined(author, date); by != "" {
		return `<p class="by">` + by + "</p>\n"
	}
	return ""
}

// hostOf returns the host of an address, as people say it.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}

// heading is a heading in simple HTML with its rank, markupTag any tag.
var (
	heading   = regexp.MustCompile(`(?s)<h([1-6])\b[^>]*>(.*?)</h[1-6]>`)
	markupTag = regexp.MustCompile(`<[^>]*>`)
)

// titleIn returns where the body has its title: its first h1, or one of the first headings that says the same, if
// little stands before it.
func titleIn(body, title string) (start, end int) {
	const headings, before = 5, 400
	found := heading.FindAllStringSubmatchIndex(body, headings)
	for _, first := range []bool{true, false} {
		for _, at := range found {
			if len(markupTag.ReplaceAllString(body[:at[0]], "")) > before {
				break
			}
			text := strings.Join(strings.Fields(html.UnescapeString(markupTag.ReplaceAllString(body[at[4]:at[5]], ""))), " ")
			if first && body[at[2]:at[3]] == "1" || !first && strings.EqualFold(text, title) {
				return at[0], at[1]
			}
		}
	}
	return 0, 0
}

// saysDate reports whether one of the first lines of the body says the date in words.
func saysDate(body, date string) bool {
	const lines = 60
	n := 0
	for line := range strings.SplitSeq(body, "<") {
		_, text, _ := strings.Cut(line, ">")
		if d := metadata.ReadDate(text); d != "" && strings.HasPrefix(date, d) {
			return true
		}
		if n++; n == lines {
			break
		}
	}
	return false
}

func anchor(url, text string) string {
	if url == "" {
		return ""
	}
	return `<a href="` + html.EscapeString(url) + `">` + text + "</a>"
}

// joined joins its arguments if both are not empty.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " · " + b
}

// readerStyle has lines of about 68 characters, which are easy to read, and keeps everything inside the screen: long
// words break, and wide tables, listings and formulas scroll by themselves. Its colours have a contrast of at least 7:1
// (WCAG 2.2 §1.4.6), light and dark.
const readerStyle = `:root{color-scheme:light dark}` +
	`body{max-width:33em;margin:0 auto;padding:1em;font:1.1em/1.6 Georgia,serif;color:#222;background:#fff;overflow-wrap:anywhere}` +
	`header p,.by,figcaption{color:#444;font-size:.9em}a{color:#0645ad}h1{font-size:1.75em}h1 a{color:inherit;text-decoration:none}.by{margin-top:-.6em}` +
	`article+article{margin-top:1.5em;padding-top:.5em;border-top:1px solid #888}` +
	`img,video,svg{max-width:100%;height:auto}figure{margin:1em 0}` +
	`pre,.wide,math{overflow:auto hidden;max-width:100%}math{padding:.2em 0}h1,h2,h3,h4{line-height:1.25;text-wrap:balance}pre{overflow-wrap:normal;font-size:.85em;line-height:1.45;padding:.8em;border-radius:.3em}pre,blockquote[class]{background:#f2f2ee}math[display=block]{display:block math}` +
	`table{border-collapse:collapse}.wide{overflow-wrap:normal}td,th{border:1px solid #888;padding:.2em .5em}` +
	`.title{font-weight:bold}blockquote{margin:1em 0;padding-inline-start:1em;border-inline-start:.25em solid #888}blockquote[class]{padding-block:.1em;padding-inline-end:1em}` +
	`ul,ol,dd{padding-inline-start:0;margin-inline-start:1.5em}` +
	`@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}header p,.by,figcaption{color:#bbb}a{color:#8cf}a:visited{color:#c9f}pre,blockquote[class]{background:#262626}}` +
	`@media print{body{max-width:none;padding:0;color:#000;background:#fff}a,a:visited{color:inherit}pre{white-space:pre-wrap}figure,tr{break-inside:avoid}h2,h3{break-after:avoid}}`

// liteStyle is for small devices: pictures and tables stay inside the screen, and what unfolds is large enough for a
// finger (WCAG 2.2 §2.5.8).
const liteStyle = `body{margin:.5em;overflow-wrap:break-word}img{max-width:100%;height:auto}pre{white-space:pre-wrap}table{display:block;overflow-x:auto}summary{padding:.3em 0}`
