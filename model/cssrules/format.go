package cssrules

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Format is the form of rules for one kind of program.
type Format string

// The formats, by the names of --as.
const (
	UBlock    Format = "ublock"
	Selectors Format = "selectors"
	XPath     Format = "xpath"
	FTR       Format = "ftr"
	FreshRSS  Format = "freshrss"
	Miniflux  Format = "miniflux"
	Scrapy    Format = "scrapy"
)

// formats returns all formats.
func formats() []Format {
	return []Format{UBlock, Selectors, XPath, FTR, FreshRSS, Miniflux, Scrapy}
}

// formatNames returns the names of all formats, separated by commas.
func formatNames() string {
	var names []string
	for _, f := range formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// ErrFormat says that there is no format of a name.
var ErrFormat = errors.New("there is no such form of rules")

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Format) UnmarshalText(b []byte) error {
	for _, one := range formats() {
		if string(one) == string(b) {
			*f = one
			return nil
		}
	}
	return fmt.Errorf("%w: %q is not one of %s", ErrFormat, b, formatNames())
}

// ForReading reports whether rules are for programs in which nobody can press a button or turn the page: there, these
// are template.
func (f Format) ForReading() bool { return f != UBlock }

// Write returns the report as a file for a kind of program. host is the host of the rules, with or without a port;
// example is the address of one of its pages, or empty.
func (r *Report) Write(f Format, host, example string) string {
	w := writer{r: r, host: host, example: example}
	if h, _, err := net.SplitHostPort(host); err == nil {
		w.host = h // a port has no place in filters
	}
	switch f {
	case UBlock:
		w.ublock()
	case XPath:
		w.plain(func(r Rule) string { return r.XPath }, (*Field).XPath)
	case FTR:
		w.ftr()
	case FreshRSS:
		w.reader("FreshRSS, in the settings of the feed under Advanced", "Article CSS selector on original website",
			"CSS selector of the elements to remove", strings.Join(w.strips(), ", "))
	case Miniflux:
		remove := ""
		if len(r.Strip.Rules) > 0 {
			remove = fmt.Sprintf("remove(%q)", strings.Join(w.strips(), ", "))
		}
		w.reader("Miniflux, in the settings of the feed with \"Fetch original content\"", "Scraper Rules", "Content Rewrite Rules", remove)
	case Scrapy:
		w.scrapy()
	default:
		w.plain(func(r Rule) string { return r.CSS }, (*Field).CSS)
	}
	return w.b.String()
}

// Document is rules as JSON: the file, and what is in it.
type Document struct {
	Host string `json:"host"`
	As   Format `json:"as"`
	// Text is the file.
	Text string `json:"text"`
	// Left is the number of pages that could not be fetched or judged.
	Left int `json:"left"`
	*Report
	// Fields are the places of title, author and date that were found, by name.
	Fields map[string]Place `json:"fields"`
}

// Place is where pages have a value, in two languages.
type Place struct {
	CSS   string `json:"css"`
	XPath string `json:"xpath"`
}

// Document returns the report with its file. host and example are as for [Report.Write].
func (r *Report) Document(f Format, host, example string) Document {
	d := Document{Host: host, As: f, Text: r.Write(f, host, example), Report: r, Fields: map[string]Place{}}
	for _, one := range (&writer{r: r}).fields() {
		d.Fields[one.name] = Place{one.field.CSS(), one.field.XPath()}
	}
	return d
}

// writer writes one report.
type writer struct {
	r             *Report
	host, example string
	b             strings.Builder
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// pages says what the figures rest on.
func (w *writer) pages() string {
	if w.r.Tested == 0 {
		return fmt.Sprintf("from %s, and measured on the same, because there are too few to test on others", count(w.r.Learned, "page"))
	}
	return fmt.Sprintf("from %s, and measured on %s", count(w.r.Learned, "page"), count(w.r.Tested, "other"))
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func (s Set) figures(what string) string {
	return fmt.Sprintf("what %s agrees with winnow by precision %.2f, recall %.2f, F1 %.2f", what, s.Precision, s.Recall, s.F1)
}

func (r Rule) figures() string {
	return fmt.Sprintf("precision %.2f, recall %.2f, pages with a match %d", r.Precision, r.Recall, r.Pages)
}

// set comments on a set of rules: their worth, and what is wrong with them. It returns whether there are any.
func (w *writer) set(comment string, s Set, what string) bool {
	if len(s.Rules) > 0 {
		w.line("%s %s", comment, s.figures(what))
	}
	if s.Doubt != "" {
		w.line("%s Note: %s.", comment, s.Doubt)
	}
	return len(s.Rules) > 0
}

// ublock writes cosmetic filters for uBlock Origin and AdGuard.
func (w *writer) ublock() {
	w.line("! Title: template of %s", w.host)
	w.line("! winnow made these filters %s.", w.pages())
	w.set("!", w.r.Hide, "they leave")
	for _, rule := range w.r.Hide.Rules {
		w.line("! %s", rule.figures())
		w.line("%s##%s", w.host, rule.CSS)
	}
}

// plain writes all selectors in CSS or XPath, with a heading for each purpose.
func (w *writer) plain(of func(Rule) string, field func(*Field) string) {
	w.line("# %s: selectors %s", w.host, w.pages())
	for _, part := range []struct {
		set         Set
		title, what string
	}{{w.r.Hide, "hide: the template", "they leave"}, {w.r.Hold, "hold: the content", "they hold, less strip,"}, {w.r.Strip, "strip: template in the content", ""}} {
		if part.what != "" || len(part.set.Rules) > 0 {
			w.line("\n# %s", part.title)
		}
		if part.what != "" {
			w.set("#", part.set, part.what)
		}
		for _, rule := range part.set.Rules {
			w.line("# %s", rule.figures())
			w.line("%s", of(rule))
		}
	}
	for _, f := range w.fields() {
		w.line("\n# %s\n%s", f.name, field(f.field))
	}
}

// namedField is a field that the rules have.
type namedField struct {
	name  string
	field *Field
}

func (w *writer) fields() (found []namedField) {
	for _, f := range []namedField{{"title", w.r.Title}, {"author", w.r.Author}, {"date", w.r.Date}} {
		if f.field != nil {
			found = append(found, f)
		}
	}
	return found
}

// ftr writes a site configuration for Full-Text RSS and the readers that share its format.
func (w *writer) ftr() {
	w.line("# %s.txt: winnow made these rules %s.", w.host, w.pages())
	some := w.set("#", w.r.Hold, "they hold")
	for _, f := range w.fields() {
		w.line("%s: %s", f.name, f.field.XPath())
	}
	if some {
		var paths []string // one statement, because the first that matches counts
		for _, rule := range w.r.Hold.Rules {
			w.line("# %s", rule.figures())
			paths = append(paths, rule.XPath)
		}
		w.line("body: %s", strings.Join(paths, " | "))
	}
	for _, rule := range w.r.Strip.Rules {
		w.line("# %s", rule.figures())
		w.line("strip: %s", rule.XPath)
	}
	w.line("prune: no")
	w.line("tidy: no")
	if u, err := url.Parse(w.example); err == nil && u.Host != "" {
		w.line("test_url: %s", u)
	}
}

func (w *writer) holds() (css []string) {
	for _, rule := range w.r.Hold.Rules {
		css = append(css, rule.CSS)
	}
	return css
}

func (w *writer) strips() (css []string) {
	for _, rule := range w.r.Strip.Rules {
		css = append(css, rule.CSS)
	}
	return css
}

// reader writes the two fields that feed readers have for pages.
func (w *writer) reader(where, content, template, strips string) {
	w.line("# %s: for %s. winnow made these rules %s.", w.host, where, w.pages())
	if !w.set("#", w.r.Hold, "they hold") {
		return
	}
	w.line("\n# %s", content)
	for _, rule := range w.r.Hold.Rules {
		w.line("# %s: %s", rule.CSS, rule.figures())
	}
	w.line("%s", strings.Join(w.holds(), ", "))
	if strips == "" {
		return
	}
	w.line("\n# %s", template)
	for _, rule := range w.r.Strip.Rules {
		w.line("# %s: %s", rule.CSS, rule.figures())
	}
	w.line("%s", strips)
}

// scrapy writes a function for a spider.
func (w *writer) scrapy() {
	w.line("# %s: winnow made these rules %s.", w.host, w.pages())
	w.set("#", w.r.Hold, "they hold")
	w.line("CONTENT = [")
	for _, rule := range w.r.Hold.Rules {
		w.line("    %q,  # %s", rule.CSS, rule.figures())
	}
	w.line("]\nTEMPLATE = [")
	for _, rule := range w.r.Strip.Rules {
		w.line("    %q,  # %s", rule.CSS, rule.figures())
	}
	w.line(`]


def parse_page(response):
    for part in response.css(", ".join(TEMPLATE)) if TEMPLATE else []:
        part.drop()
    return {
        "url": response.url,`)
	for _, f := range w.fields() {
		w.line("        %q: response.css(%q).get(default=\"\").strip(),", f.name, f.field.CSS())
	}
	w.line(`        "html": "".join(response.css(", ".join(CONTENT)).getall()) if CONTENT else "",
    }`)
}
