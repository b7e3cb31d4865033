// Package metadata reads what a page says about itself: title, author and date, declared or shown, and facts about its
// subject.
package metadata

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
	"github.com/winnow-proxy/winnow/model/page/visibility"
)

// Metadata is what a page declares about itself. Empty fields are not known: nothing is guessed without markup.
type Metadata struct {
	// URL is the address that the page was fetched from, Canonical the address that it declares. Both are absolute.
	URL       string `json:"url,omitempty"`
	Canonical string `json:"canonical,omitempty"`
	// Title is the page's heading if it shows one, otherwise the title that it declares.
	Title string `json:"title,omitempty"`
	// Author has the names, separated by commas.
	Author string `json:"author,omitempty"`
	// Date is the time of publication in the form of ISO 8601: a day, or a time.
	Date        string `json:"date,omitempty"`
	Description string `json:"description,omitempty"`
	// Image is the absolute address of the picture that represents the page.
	Image    string `json:"image,omitempty"`
	SiteName string `json:"site_name,omitempty"`
	// Language is the language that the page declares (lang of html).
	Language string `json:"language,omitempty"`
}

// Of reads what the page declares in its head, in Open Graph, Dublin Core and JSON-LD (schema.org), and the
// heading, byline and date that its markup shows. pageURL is its address, empty if it is not known.
func Of(p *page.Page, pageURL string) Metadata { return Seen(p, pageURL, visibility.Of(p)) }

// Seen is Metadata of a page whose concealment is known.
func Seen(p *page.Page, pageURL string, c *visibility.Visibility) Metadata {
	unseen := make([]bool, len(p.Elements))
	for e := range unseen {
		unseen[e] = c.Text[e] == visibility.Concealed
	}
	at := address.Of(p, pageURL)
	d := Declared(p).named
	shown := shownOn(p, unseen, d)
	m := Metadata{
		Canonical:   at.Resolve(d.first("link:canonical", "og:url")),
		Title:       shown.titleText(),
		Author:      d.author(),
		Description: d.first("og:description", "description", "twitter:description", "dc.description"),
		Image:       at.Resolve(d.first("og:image", "og:image:url", "twitter:image", "ld:image", "link:image_src")),
		SiteName:    d.first("og:site_name", "ld:publisher", "application-name"),
		Language:    p.Language(),
	}
	if address.Absolute(pageURL) != nil {
		m.URL = pageURL
	}
	if title := cmp.Or(d.first("ld:headline", "og:title", "twitter:title", "dc.title", "dcterms.title"), p.Title()); m.Title == "" {
		m.Title, _ = cutSite(title, m.SiteName, cmp.Or(m.URL, m.Canonical))
	}
	if m.SiteName == "" {
		_, m.SiteName = cutSite(p.Title(), "", cmp.Or(m.URL, m.Canonical))
	}
	if m.Author == "" {
		m.Author = cmp.Or(d.withoutSite(shown.byline()), d.weakAuthor())
	}
	m.Date = cmp.Or(d.date(), shown.day(), addressDate(cmp.Or(m.URL, m.Canonical)))
	return m
}

// titles are the titles that the page declares.
func (d declared) titles(p *page.Page) []string {
	return []string{d.first("og:title"), d.first("ld:headline"), d.first("twitter:title"), p.Title()}
}

// authorNames are the names under which pages declare their author, the best first.
func authorNames() []string {
	return []string{"ld:author", "author", "article:author", "parsely-author", "dc.creator", "dcterms.creator", "citation_author", "sailthru.author", "byl",
		"ld:page-author", "twitter:written by", "itemprop:author"}
}

// author returns the name of the author that the page declares, or an empty string if it has one word, or is that of
// the site itself.
func (d declared) author() string {
	for _, name := range authorNames() {
		// article:author is often the address of a profile.
		if v := nameFirst(name, d[name]); v != "" && address.Absolute(v) == nil {
			if v = d.withoutSite(cleanByline(d.withoutSite(v))); strings.Contains(v, " ") || isWide(v) {
				return v
			}
		}
	}
	return ""
}

// nameFirst puts the first name first where a citation has it last ("Brown, Ada").
func nameFirst(declaredAs, name string) string {
	last, first, ok := strings.Cut(name, ", ")
	if ok && declaredAs == "citation_author" && !strings.ContainsAny(first, ",;") {
		return first + " " + last
	}
	return name
}

// isWide reports whether a name is in a script that has no spaces between words.
func isWide(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
	})
}

// weakAuthor returns what a page declares as its author although it may be no person: the name of an account, the
// staff, the site itself. It counts where the page shows no other.
func (d declared) weakAuthor() string {
	for _, name := range authorNames() {
		v := d[name]
		hasLetter := strings.ContainsFunc(v, unicode.IsLetter)
		if hasLetter && address.Absolute(v) == nil && len(strings.Fields(v)) <= maxByline && !isPlaceholder(v) {
			return cmp.Or(cleanByline(v), v)
		}
	}
	return ""
}

// isPlaceholder reports whether a declared author is what a system writes where there is none.
func isPlaceholder(author string) bool {
	switch strings.ToLower(author) {
	case "admin", "administrator", "author", "authors", "anonymous", "editor", "guest", "null", "undefined", "unknown", "user", "webmaster", "wordpress":
		return true
	}
	first, _ := utf8.DecodeRuneInString(author)
	return strings.Count(author, ".") > 1 && unicode.IsLower(first) && !strings.Contains(author, " ") // the name of a variable
}

// withoutSite returns the author, or an empty string if it is the name of the site.
func (d declared) withoutSite(author string) string {
	if isSameName(author, d.first("og:site_name", "ld:publisher", "application-name")) || isSameName(author, d["ld:publisher"]) {
		return ""
	}
	return author
}

// date returns the date that the page declares, in the form of ISO 8601.
func (d declared) date() string {
	for _, name := range []string{"ld:datepublished", "article:published_time", "date", "dc.date", "dcterms.created", "dc.date.issued", "parsely-pub-date",
		"citation_publication_date", "itemprop:datepublished", "pubdate", "publishdate", "publish-date", "og:article:published_time", "sailthru.date"} {
		if v := normalDate(d[name]); v != "" {
			return v
		}
	}
	return ""
}

// isSameName reports whether two names have the same words.
func isSameName(a, b string) bool {
	return a != "" && b != "" && slices.Equal(titleWordsOf(a), titleWordsOf(b))
}

// declared are the values that a page declares, by lower-case name. The first of each counts.
type declared map[string]string

func (d declared) first(names ...string) string {
	for _, n := range names {
		if v := d[n]; v != "" {
			return v
		}
	}
	return ""
}

func (d declared) set(name, value string) {
	name = strings.ToLower(strings.TrimSpace(name))
	if value = folded(value); value != "" && d[name] == "" {
		d[name] = value
	}
}

// folded returns a text with white space runs folded to one space, and none at the ends.
func folded(text string) string {
	if text = strings.TrimSpace(text); strings.Contains(text, "  ") || strings.ContainsFunc(text, page.IsOddSpace) {
		return strings.Join(strings.Fields(text), " ")
	}
	return text
}

func (d declared) element(p *page.Page, e page.ElementID) {
	switch p.Elements[e].Tag {
	case atom.Meta:
		content, _ := p.Attr(e, "content")
		for _, key := range []string{"property", "name"} {
			if name, ok := p.Attr(e, key); ok {
				d.set(name, content)
			}
		}
		if prop, _ := p.Attr(e, "itemprop"); prop != "" {
			d.set("itemprop:"+prop, content)
		}
		d.label(p, e, content)
	case atom.Link:
		rel, _ := p.Attr(e, "rel")
		href, _ := p.Attr(e, "href")
		for r := range strings.FieldsSeq(rel) {
			d.set("link:"+r, href)
		}
	case atom.Time:
		if prop, _ := p.Attr(e, "itemprop"); prop != "" {
			at, _ := p.Attr(e, "datetime")
			d.set("itemprop:"+prop, at)
		}
	}
}

// label reads the pairs of label and value of Twitter's cards: "Written by", "Ada Brown".
func (d declared) label(p *page.Page, e page.ElementID, content string) {
	name, _ := p.Attr(e, "name")
	if n, ok := strings.CutPrefix(name, "twitter:label"); ok {
		d.set("twitter:label"+n, content)
	} else if n, ok := strings.CutPrefix(name, "twitter:data"); ok {
		d.set("twitter:"+d["twitter:label"+n], content)
	}
}

// people are the names of the people in a graph, by the identifiers that works refer to.
type people map[string]string

func (n people) collect(v any, depth int) {
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n.collect(item, depth-1)
		}
	case map[string]any:
		id, _ := v["@id"].(string)
		if name, _ := v["name"].(string); id != "" && name != "" && hasType(v["@type"], func(kind string) bool { return kind == "Person" }) {
			n[id] = name
		}
		n.collect(v["@graph"], depth-1)
	}
}

// authorOf returns the names of the authors of a work, otherwise those of its creators.
func (n people) authorOf(work map[string]any) string {
	for _, key := range []string{"author", "creator"} {
		if name := nameOf(work[key]); name != "" {
			return name
		}
		thing, _ := work[key].(map[string]any)
		if list, _ := work[key].([]any); len(list) > 0 {
			thing, _ = list[0].(map[string]any)
		}
		if id, _ := thing["@id"].(string); n[id] != "" {
			return n[id]
		}
	}
	return ""
}

// things finds the works (articles, products, pages) in a graph.
func (d declared) things(v any, n people, depth int) {
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			d.things(item, n, depth-1)
		}
	case map[string]any:
		if hasType(v["@type"], isWork) {
			author := "ld:author"
			if hasType(v["@type"], isWebPage) || hasType(v["@type"], isRecipe) {
				author = "ld:page-author" // often the site
			}
			d.set("ld:headline", nameOf(v["headline"]))
			d.set(author, n.authorOf(v))
			d.set("ld:datepublished", nameOf(v["datePublished"]))
			d.set("ld:image", nameOf(v["image"]))
			d.set("ld:publisher", nameOf(v["publisher"]))
		}
		d.things(v["@graph"], n, depth-1)
		d.things(v["mainEntity"], n, depth-1)
	}
}

// hasType reports whether one of the types of a thing is a wanted one.
func hasType(kind any, wanted func(kind string) bool) bool {
	switch kind := kind.(type) {
	case string:
		return wanted(kind)
	case []any:
		return slices.ContainsFunc(kind, func(k any) bool { return hasType(k, wanted) })
	}
	return false
}

// isWork reports whether a schema.org type is that of the page's own work.
func isWork(kind string) bool {
	return strings.HasSuffix(kind, "Article") || strings.HasSuffix(kind, "Posting") || isWebPage(kind) || kind == "Report" ||
		kind == "Question" || isRecipe(kind)
}

func isRecipe(kind string) bool { return kind == "Recipe" }

func isWebPage(kind string) bool { return kind == "WebPage" }

// nameOf returns the text of a value, or the name or address of a thing; of several the names.
func nameOf(v any) string {
	switch v := v.(type) {
	case string:
		return html.UnescapeString(v) // many templates escape for HTML what stands in a script
	case map[string]any:
		if name := nameOf(v["name"]); name != "" {
			return name
		}
		return nameOf(v["url"])
	case []any:
		var names []string
		for _, item := range v {
			if name := nameOf(item); name != "" && len(names) < 10 {
				names = append(names, name)
			}
		}
		if len(names) > 0 && address.Absolute(names[0]) != nil {
			return names[0]
		}
		return strings.Join(names, ", ")
	}
	return ""
}
