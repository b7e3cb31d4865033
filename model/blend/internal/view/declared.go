package view

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// Declaration collects what a page declares about itself.
type Declaration struct {
	// OG is the type of Open Graph, generator the program that made the page.
	OG, generator string
	// address is the URL that the page declares, in lower case.
	address string
	// types counts the schema.org types of elements and of data in scripts.
	types map[string]int
	// names are the classes and ids of html and body.
	names []string
	// topics says that the page has a part that only threads of forums have, cart that a control puts something into a
	// cart.
	topics, Cart bool
}

// Declared returns the declarations of the page. The first call reads them, so that concurrent calls are not allowed.
func (v *Page) Declared() *Declaration {
	if v.declaration == nil {
		d := readDeclaration(v)
		v.declaration = &d
	}
	return v.declaration
}

func readDeclaration(v *Page) Declaration {
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
			d.Cart = d.Cart || offersCart(v, e)
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
		d.OG = strings.ToLower(content)
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

// Count returns how many parts of the page have one of some schema.org types, in lower case.
func (d *Declaration) Count(types ...string) int {
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

// IsManual reports whether a program for manuals made the page, or whether its address is like that of a manual.
func (d *Declaration) IsManual() bool {
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

// IsArticle reports whether the page declares that it has an article.
func (d *Declaration) IsArticle() bool {
	return d.OG == "article" || d.Count("article", "newsarticle", "blogposting", "reportagenewsarticle") > 0
}

// IsOffer reports whether the page declares that it has a product or a recipe.
func (d *Declaration) IsOffer() bool {
	return strings.HasPrefix(d.OG, "product") || d.Count("product", "recipe") > 0
}

// offersCart reports whether a control puts something into a cart.
func offersCart(v *Page, e page.ElementID) bool {
	for _, a := range v.Doc.Attrs(e) {
		switch a.Key {
		case "class", "id", "action", "name", "value":
			val := strings.ToLower(a.Val)
			if vocab.ContainsAny(val, "add-to-cart", "addtocart", "add_to_cart", "cart/add", "add to cart", "add to basket", "add-to-basket",
				"in den warenkorb", "в корзину", "カートに入れる", "加入购物车") {
				return true
			}
		}
	}
	return false
}
