package epub

import (
	"archive/zip"
	"bytes"
	"strings"
	"text/template"
	"time"
)

// entry is a line of the table of contents.
type entry struct{ Title, File string }

type chapterData struct {
	Title, Language, Body, Byline, Source string
}

type frontData struct {
	Book
	Contents  []entry
	CoverFile string
	Made      string
}

type packageData struct {
	Book
	Identifier, Modified string
	Authors              []string
	Items                []item
}

// All values are escaped by x, but for bodies, which are markup.
func parse(text string) *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"x": escape}).Parse(text))
}

const head = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="{{x .Language}}" xml:lang="{{x .Language}}">
<head><title>{{x .Title}}</title><link rel="stylesheet" type="text/css" href="style.css"/></head>
`

const chapterPage = head + `<body>
<header>{{with .Byline}}<p>{{x .}}</p>{{end}}{{with .Source}}<p><a href="{{x .}}">{{x .}}</a></p>{{end}}</header>
{{.Body}}
</body>
</html>
`

const titlePage = head + `<body epub:type="titlepage">
<h1>{{x .Title}}</h1>
{{with .Line}}<p>{{x .}}</p>{{end}}
{{with .CoverFile}}<p><img src="{{x .}}" alt=""/></p>{{end}}
<p>{{len .Contents}} {{if eq 1 (len .Contents)}}page{{else}}pages{{end}}, {{x .Made}}</p>
</body>
</html>
`

const contentsPage = head + `<body>
<nav epub:type="toc" id="toc"><h1>{{x .Title}}</h1>
<ol>{{range .Contents}}
<li><a href="{{x .File}}">{{x .Title}}</a></li>{{else}}
<li><a href="title.xhtml">{{x .Title}}</a></li>{{end}}
</ol></nav>
</body>
</html>
`

const packageFile = `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="{{x .Language}}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">{{x .Identifier}}</dc:identifier>
<dc:title>{{x .Title}}</dc:title>
<dc:language>{{x .Language}}</dc:language>{{range .Authors}}
<dc:creator>{{x .}}</dc:creator>{{end}}
<meta property="dcterms:modified">{{x .Modified}}</meta>
</metadata>
<manifest>{{range .Items}}
<item id="{{.ID}}" href="{{x .File}}" media-type="{{.Type}}"{{with .Properties}} properties="{{.}}"{{end}}/>{{end}}
</manifest>
<spine>
<itemref idref="title"/>
<itemref idref="nav"/>{{range .Items}}{{if and (eq .Type "application/xhtml+xml") (ne .ID "title") (ne .ID "nav")}}
<itemref idref="{{.ID}}"/>{{end}}{{end}}
</spine>
</package>
`

const containerFile = `<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
`

const style = `header{font-size:.85em}img{max-width:100%;height:auto}figure{margin:1em 0}figcaption{font-size:.85em}
pre{white-space:pre-wrap;font-size:.85em}table{border-collapse:collapse}td,th{border:1px solid;padding:.2em .4em;vertical-align:top}
blockquote{margin:1em 0 1em 1em}a{overflow-wrap:anywhere}
`

// page writes a page of the book, and lists it.
func (w *writer) page(id, file, properties, text string, data any) error {
	w.items = append(w.items, item{id, file, "application/xhtml+xml", properties})
	return w.template("OEBPS/"+file, text, data)
}

// file writes a file of the book, and lists it.
func (w *writer) file(it item, data []byte) error {
	w.items = append(w.items, it)
	return w.add("OEBPS/"+it.File, data)
}

func (w *writer) template(name, text string, data any) error {
	var b bytes.Buffer
	if err := parse(text).Execute(&b, data); err != nil {
		return err
	}
	return w.add(name, b.Bytes())
}

func (w *writer) add(name string, data []byte) error {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: w.book.Date.UTC().Truncate(2 * time.Second)}
	if strings.HasPrefix(name, "OEBPS/images/") {
		h.Method = zip.Store
	}
	f, err := w.zip.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return err
}

// byline says who has written a chapter, and when.
func byline(c Chapter) string {
	var parts []string
	for _, s := range []string{c.Site, c.Author, c.Date[:min(len(c.Date), len("2006-01-02"))]} {
		if s = plain(s); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " · ")
}
