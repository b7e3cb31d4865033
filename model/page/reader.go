package page

import (
	"html"
	"strings"

	"golang.org/x/net/html/atom"
)

// writeReader writes a plain page of the content alone, self-contained and in UTF-8, without scripts.
func (p *Page) writeReader(m *Marking) (*Output, error) {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html")
	for _, key := range []string{"lang", "dir"} {
		if v := p.rootAttr(key); v != "" {
			b.WriteString(" " + key + `="` + html.EscapeString(v) + `"`)
		}
	}
	b.WriteString(">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" + html.EscapeString(p.title()) + "</title>\n")
	if base := p.base(); base != "" {
		b.WriteString(`<base href="` + html.EscapeString(base) + "\">\n")
	}
	b.WriteString("<style>" + readerStyle + "</style>\n</head>\n<body>\n")
	b.WriteString(p.readerBody(m))
	b.WriteString("\n</body>\n</html>\n")
	return &Output{Body: []byte(b.String()), ContentType: "text/html; charset=utf-8", Removed: p.removedShare(m)}, nil
}

const readerStyle = `body{max-width:42em;margin:2em auto;padding:0 1em;font:1.1em/1.6 Georgia,serif;color:#222;background:#fff}` +
	`img,video{max-width:100%;height:auto}pre{overflow:auto}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .5em}` +
	`@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}a{color:#8cf}}`

// title returns the text of the title element in the head.
func (p *Page) title() string {
	for e := range p.Elements {
		if el := &p.Elements[e]; el.Tag == atom.Title && el.TextEnd > el.TextStart && !p.inForeign(ElementID(e)) {
			return strings.Join(strings.Fields(p.Texts[el.TextStart].Data), " ")
		}
	}
	return ""
}

// rootAttr returns an attribute of html, or of body.
func (p *Page) rootAttr(key string) string {
	for _, e := range []ElementID{0, p.Body} {
		if e == None || len(p.Elements) == 0 {
			continue
		}
		if v, ok := p.Attr(e, key); ok && v != "" {
			return v
		}
	}
	return ""
}

// base returns the address that relative links are meant to start from, where the page names one.
func (p *Page) base() string {
	for e := range p.Elements {
		if p.Elements[e].Tag == atom.Base {
			if href, ok := p.Attr(ElementID(e), "href"); ok {
				return safeURL(href)
			}
		}
	}
	return ""
}

// readerBody returns the content as simple HTML.
func (p *Page) readerBody(m *Marking) string {
	r := reader{view: p.viewContent(m)}
	if len(p.Elements) > 0 {
		r.children(max(p.Body, 0))
	}
	return strings.TrimSpace(r.b.String())
}

// reader renders content as simple HTML.
type reader struct {
	view *contentView
	b    strings.Builder
	// pre is the number of pre elements that are open.
	pre int
}

func (r *reader) element(e ElementID) {
	v := r.view
	el := &v.p.Elements[e]
	name := v.readerName(e)
	switch {
	case !v.alive[e]:
		if !IsInline(el.Tag) {
			r.apart()
		}
		return
	case el.Tag == atom.Img:
		r.image(e)
		return
	case IsVoid(el.Tag):
		if name != "" {
			r.b.WriteString("<" + name + ">")
		}
		return
	case name == "":
		r.unwrapped(e)
		return
	}
	r.b.WriteString("<" + name)
	r.attributes(e)
	r.b.WriteByte('>')
	if el.Tag == atom.Pre {
		r.pre++
		r.b.WriteByte('\n') // the parser drops the first line feed, which may be one of the text
	}
	r.children(e)
	if el.Tag == atom.Pre {
		r.pre--
	}
	r.b.WriteString("</" + name + ">")
	if !IsInline(el.Tag) && r.pre == 0 {
		r.b.WriteByte('\n')
	}
}

// unwrapped renders the content of e alone; what was set apart must not run together.
func (r *reader) unwrapped(e ElementID) {
	inline := IsInline(r.view.p.Elements[e].Tag)
	if !inline {
		r.apart()
	}
	r.children(e)
	if !inline {
		r.apart()
	}
}

// apart writes a space unless one stands there already.
func (r *reader) apart() {
	if s := r.b.String(); s != "" && !isSpace(rune(s[len(s)-1])) {
		r.b.WriteByte(' ')
	}
}

func (r *reader) children(e ElementID) {
	r.view.walk(e, r.element, func(t *Text) {
		if r.pre > 0 {
			r.b.WriteString(html.EscapeString(t.Data))
			return
		}
		r.b.WriteString(html.EscapeString(foldSpace(t.Data)))
	})
}

// attributes writes those of a short list: nothing that runs, loads or styles.
func (r *reader) attributes(e ElementID) {
	tag := r.view.p.Elements[e].Tag
	for _, a := range r.view.p.Attrs(e) {
		val := a.Val
		switch a.Key {
		case "title", "lang", "dir", "id":
		case "colspan", "rowspan":
			if tag != atom.Td && tag != atom.Th {
				continue
			}
		case "datetime":
			if tag != atom.Time && tag != atom.Ins && tag != atom.Del {
				continue
			}
		case "href":
			if val = safeURL(val); tag != atom.A || val == "" {
				continue
			}
		case "class": // the language of a listing, for highlighters and Markdown
			if val = codeLanguage(val); tag != atom.Code && tag != atom.Pre || val == "" {
				continue
			}
		default:
			continue
		}
		r.b.WriteString(" " + a.Key + `="` + html.EscapeString(val) + `"`)
	}
}

func codeLanguage(class string) string {
	for c := range strings.FieldsSeq(class) {
		if strings.HasPrefix(c, "language-") || strings.HasPrefix(c, "lang-") {
			return c
		}
	}
	return ""
}

func (r *reader) image(e ElementID) {
	r.b.WriteString(`<img src="` + html.EscapeString(r.view.p.imageURL(e)) + `"`)
	for _, key := range []string{"alt", "title"} {
		if v, ok := r.view.p.Attr(e, key); ok {
			r.b.WriteString(" " + key + `="` + html.EscapeString(v) + `"`)
		}
	}
	r.b.WriteByte('>')
}
