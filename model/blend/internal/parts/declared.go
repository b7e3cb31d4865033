package parts

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// Declaration collects what a page declares about itself.
type Declaration struct {
	// og is the type of Open Graph, generator the program that made the page.
	og, generator string
	// address is the URL that the page declares, in lower case.
	address string
	// types counts the schema.org types of elements and of data in scripts.
	types map[string]int
	// names are the classes and ids of html and body.
	names []string
	// topics says that the page has a part that only threads of forums have, cart that a control puts something into a
	// cart.
	topics, cart bool
}

// declaredKind returns PageUnknown if the page declares nothing decisive. Many front pages declare that they are
// articles, so an article must look like one too.
func (v *Outline) declaredKind(s contentShape) page.PageKind {
	d := v.Declared()
	products := d.count("product")
	switch {
	case d.count("discussionforumposting", "qapage", "question") > 0 && d.count("faqpage") == 0 || d.IsForum():
		return page.PageForum
	case strings.HasPrefix(d.og, "product") || products == 1 && s.items < 12 || products > 0 && s.buys:
		return page.PageProduct
	case products > 3 || d.count("collectionpage", "searchresultspage", "offercatalog", "productcollection") > 0:
		return page.PageList
	case d.count("techarticle", "apireference") > 0 || d.isManual():
		return page.PageDocumentation
	case s.Prose*3 < s.Words:
		return page.PageUnknown
	case (d.og == "article" || d.count("article", "newsarticle", "blogposting", "reportagenewsarticle") == 1) && s.Prose >= 60:
		return page.PageArticle
	}
	return page.PageUnknown
}

// Declared returns the declarations of the page. The first call reads them.
func (v *Outline) Declared() *Declaration {
	if v.declaration == nil {
		d := readDeclaration(v.Page)
		v.declaration = &d
	}
	return v.declaration
}

func readDeclaration(v *view.Page) Declaration {
	d := Declaration{types: map[string]int{}}
	for i := range v.Doc.Elements {
		e, el := page.ElementID(i), &v.Doc.Elements[i]
		if itemtype, ok := v.Doc.Attr(e, "itemtype"); ok {
			d.types[strings.ToLower(itemtype[strings.LastIndexByte(itemtype, '/')+1:])]++
		}
		d.topics = d.topics || v.Elements[e].Facts.Topic
		switch el.Tag {
		case atom.Meta:
			d.readMeta(v.Doc, e)
		case atom.Link:
			if rel, _ := v.Doc.Attr(e, "rel"); strings.EqualFold(rel, "canonical") {
				href, _ := v.Doc.Attr(e, "href")
				d.address = strings.ToLower(href)
			}
		case atom.Html, atom.Body:
			for _, key := range []string{"class", "id"} {
				val, _ := v.Doc.Attr(e, key)
				d.names = append(d.names, strings.Fields(strings.ToLower(val))...)
			}
		case atom.Form, atom.Button, atom.Input, atom.A:
			d.cart = d.cart || offersCart(v, e)
		case atom.Script:
			if kind, _ := v.Doc.Attr(e, "type"); kind == "application/ld+json" {
				for _, t := range v.Doc.Texts[el.TextStart:el.TextEnd] {
					d.readData(t.Data)
				}
			}
		}
	}
	return d
}

func (d *Declaration) readMeta(p *page.Page, e page.ElementID) {
	content, _ := p.Attr(e, "content")
	name, _ := p.Attr(e, "name")
	property, _ := p.Attr(e, "property")
	switch {
	case strings.EqualFold(name, "generator"):
		d.generator = strings.ToLower(content)
	case property == "og:type" || name == "og:type":
		d.og = strings.ToLower(content)
	case property == "og:url" && d.address == "":
		d.address = strings.ToLower(content)
	}
}

// readData counts the types in JSON-LD. It scans for them and ignores the rest, because much of it is not valid JSON.
func (d *Declaration) readData(data string) {
	for {
		_, rest, ok := strings.Cut(data, `"@type"`)
		if !ok {
			return
		}
		rest = strings.TrimLeft(rest, " \t\r\n:[")
		if value, isString := strings.CutPrefix(rest, `"`); isString {
			name, _, _ := strings.Cut(value, `"`)
			d.types[strings.ToLower(name)]++
		}
		data = rest
	}
}

func (d *Declaration) count(types ...string) int {
	n := 0
	for _, t := range types {
		n += d.types[t]
	}
	return n
}

// IsForum reports whether a forum program made the page, or whether its address is like that of a thread. A bug tracker
// counts as a forum.
func (d *Declaration) IsForum() bool {
	if d.topics {
		return true
	}
	for _, n := range d.names {
		switch n {
		case "phpbb", "nsection-viewtopic", "section-viewtopic", "viewtopic", "xenforo", "discourse", "vbulletin", "ipsapp_front", "ipsapp":
			return true
		}
	}
	if vocab.ContainsAny(d.address, "viewtopic", "viewforum", "showthread", "/threads/", "/thread-", "/forums/", "/forum/", "index.php?topic=") {
		return true
	}
	return vocab.ContainsAny(d.generator, "discourse", "phpbb", "vbulletin", "mybb", "fluxbb", "punbb", "xenforo", "flarum", "nodebb", "vanilla forums")
}

// isManual reports whether a program for manuals made the page, or whether its address is like that of a manual.
func (d *Declaration) isManual() bool {
	for _, n := range d.names {
		switch n {
		case "docs", "documentation", "docs-wrapper", "docs-doc-page", "wy-body-for-nav", "class-declaration-page":
			return true
		}
	}
	if vocab.ContainsAny(d.address, "://docs.", "://doc.", "/docs/", "/doc/", "/documentation/", "/manual/", "/reference/", ".readthedocs.") {
		return true
	}
	return vocab.ContainsAny(d.generator, "starlight", "sphinx", "docutils", "docusaurus", "mkdocs", "javadoc", "doxygen", "gitbook", "antora", "docbook",
		"vitepress", "mdbook", "rustdoc", "readme.io")
}
