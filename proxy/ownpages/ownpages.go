// Package ownpages has what winnow's own pages share: layout, style sheet, languages, Content-Security-Policy, and
// tokens that prove that a form comes from such a page.
package ownpages

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/proxy/words"
)

// Style is the style sheet of all pages.
//
//go:embed style.css
var Style string

// StylePath is the address of the style sheet on each host that serves such pages.
const StylePath = "/style.css"

// ServeStyle serves the style sheet.
func ServeStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=300")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = io.WriteString(w, Style) // a client that left needs no answer
}

// policy is the Content-Security-Policy of a page: resources of its own host only, and no script.
const policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Page is a page in the languages that it is written in.
type Page struct {
	name       string
	byLanguage map[string]*template.Template
}

// Write answers a request with a page in the language that it asks for. It appends extra to the
// Content-Security-Policy.
func Write(w http.ResponseWriter, r *http.Request, status int, page *Page, data any, extra string) error {
	return WriteWith(w, r, status, page, data, policy+extra)
}

// WriteWith is Write with a Content-Security-Policy of its own.
func WriteWith(w http.ResponseWriter, r *http.Request, status int, page *Page, data any, policy string) error {
	b, err := page.Make(r, data)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b)
	return nil
}

// Make returns a page in the language that a request asks for, English where it is not written in that.
func (p *Page) Make(r *http.Request, data any) ([]byte, error) {
	t, ok := p.byLanguage[words.For(r).Tag]
	if !ok {
		t = p.byLanguage[words.All()[0].Tag]
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("make page %s: %w", p.name, err)
	}
	return b.Bytes(), nil
}

// layout is the frame of all pages.
//
//go:embed layout.html
var layout string

// Parse returns the page that a file describes, in languages: it defines templates of the layout. Pages for operators
// are in English alone, [words.All] has it first.
func Parse(files fs.FS, name string, languages []*words.Language) (*Page, error) {
	source, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	page := &Page{name, map[string]*template.Template{}}
	for _, l := range languages {
		t, err := template.New(name).Funcs(funcs(l)).Parse(layout)
		if err == nil {
			_, err = t.New("parts").Parse(string(source))
		}
		if err != nil {
			return nil, fmt.Errorf("page %s: %w", name, err)
		}
		page.byLanguage[l.Tag] = t
	}
	return page, nil
}

// funcs are the functions that templates may call.
func funcs(l *words.Language) template.FuncMap {
	return template.FuncMap{
		"t": l.Say, "lang": func() string { return l.Tag }, "dir": l.Dir, "style": func() template.CSS { return template.CSS(Style) },
		"span": Span, "bytes": Bytes, "count": Count, "percent": Percent, "code": code, "link": link,
		"date": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" },
		"iso":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
}

// code marks up what is not of a language, link an address of winnow's own.
func code(s string) template.HTML {
	return template.HTML(`<code dir="ltr">` + template.HTMLEscapeString(s) + `</code>`)
}

func link(s string) template.HTML {
	s = template.HTMLEscapeString(s)
	return template.HTML(`<a dir="ltr" href="` + s + `">` + s + `</a>`)
}

// Span writes a time for people, in the two largest of days, hours, minutes and seconds.
func Span(d time.Duration) string {
	d = max(d, 0).Round(time.Second)
	switch {
	case d >= 24*time.Hour:
		return fmt.Sprintf("%d d %d h", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

// Bytes writes a size for people: "1.4 MB". n is a number.
func Bytes(n any) string {
	v, unit := number(n), 0
	units := [...]string{"bytes", "kB", "MB", "GB", "TB"}
	for v >= 999.5 && unit < len(units)-1 {
		v /= 1000
		unit++
	}
	if unit == 0 || v >= 99.5 {
		return fmt.Sprintf("%.0f %s", v, units[unit])
	}
	return fmt.Sprintf("%.1f %s", v, units[unit])
}

// Count writes a whole number of at least 0, with narrow spaces between thousands.
func Count(n any) string {
	s := strconv.FormatFloat(number(n), 'f', 0, 64)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteRune('\u202f')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func number(n any) float64 {
	switch v := reflect.ValueOf(n); {
	case v.CanInt():
		return float64(max(v.Int(), 0))
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	}
	return 0
}

// Percent writes a share in [0,1].
func Percent(share float64) string { return strconv.Itoa(int(share*100+.5)) + " %" }
