package metadata

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// FactKind says what a fact is.
type FactKind uint8

// The kinds of facts. A code is an identifier of a product (SKU, MPN, GTIN, ISBN). Time is how long something takes,
// Date when the page was published. A writer is the author of a post in a thread.
const (
	NoFact FactKind = iota
	FactName
	FactPrice
	FactCode
	FactBrand
	FactAvailability
	FactIngredient
	FactStep
	FactYield
	FactTime
	FactAuthor
	FactDate
	FactWriter
)

// Fact is a value of schema.org (microdata, RDFa, JSON-LD) or of Open Graph that a page declares about its subject.
type Fact struct {
	Kind FactKind
	// Value is the value as it is declared, which is often in a form for programs (PT1H30M). It is empty if Element
	// shows the value.
	Value string
	// Element shows the value. It is None for what only programs read.
	Element page.ElementID
}

// maxFacts bounds the facts of a page.
const maxFacts = 400

// Facts returns what the page declares about its subject. The caller must not change it.
func (d *Declarations) Facts() []Fact { return d.facts }

// Datelines returns the byline and date that the page's markup shows near the heading, and those that it declares about
// itself. unseen marks the elements that nobody sees.
func (d *Declarations) Datelines(unseen []bool) (facts []Fact) {
	shown := shownOn(d.p, unseen, d.named)
	for e := range d.p.Elements {
		if id := page.ElementID(e); shown.isNear(id) && !shown.unseen[e] {
			if k := shown.factKind(id); k != NoFact {
				facts = append(facts, Fact{Kind: k, Element: id})
			}
		}
	}
	for b := range shown.below() {
		text := shown.line(b)
		if bylineOf(text) != "" {
			facts = append(facts, Fact{FactAuthor, text, page.None})
		}
		if len(strings.Fields(text)) <= dateWords && ReadDate(text) != "" {
			facts = append(facts, Fact{FactDate, text, page.None})
		}
	}
	if author := d.named.author(); author != "" {
		facts = append(facts, Fact{FactAuthor, author, page.None})
	}
	if date := d.named.date(); date != "" {
		facts = append(facts, Fact{FactDate, date, page.None})
	}
	return facts
}

// factKind reports whether e is a byline or date by its markup.
func (s *shown) factKind(e page.ElementID) FactKind {
	switch {
	case s.p.Elements[e].Tag == atom.Time || markup.Kind(s.p, e) == page.KindDate:
		if !s.inComments(e) {
			return FactDate
		}
	case s.isAuthor(e) || s.isPerson(e) || s.isBylineByName(e):
		if !s.inComments(e) && cleanByline(s.people(e)) != "" {
			return FactAuthor
		}
	}
	return NoFact
}

// Heading returns the heading of first or second rank that is the title of the page, or None. unseen marks the elements
// that nobody sees.
func (d *Declarations) Heading(unseen []bool) page.ElementID {
	return shownOn(d.p, unseen, d.named).title
}

// factOfProperty returns the kind of a property of schema.org, without its prefix.
func factOfProperty(property string) FactKind {
	switch strings.ToLower(property[strings.LastIndexAny(property, ":/")+1:]) {
	case "price", "lowprice", "highprice", "price:amount", "amount":
		return FactPrice
	case "sku", "mpn", "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "isbn", "productid", "retailer_item_id", "ean", "upc":
		return FactCode
	case "brand", "manufacturer":
		return FactBrand
	case "availability":
		return FactAvailability
	case "recipeingredient", "ingredients", "ingredient":
		return FactIngredient
	case "recipeinstructions", "instructions":
		return FactStep
	case "recipeyield", "yield":
		return FactYield
	case "preptime", "cooktime", "totaltime", "performtime":
		return FactTime
	case "author", "creator":
		return FactAuthor
	case "datepublished", "datemodified", "datecreated", "published_time", "modified_time":
		return FactDate
	}
	return NoFact
}

// markupFact reads the properties of e in microdata and RDFa, and those of Open Graph about products.
func (d *Declarations) markupFact(p *page.Page, e page.ElementID) {
	for _, a := range p.Attrs(e) {
		if a.Key != "itemprop" && a.Key != "property" {
			continue
		}
		for property := range strings.FieldsSeq(a.Val) {
			kind := factOfProperty(property)
			if kind == NoFact {
				continue
			}
			f := Fact{Kind: kind, Element: e}
			for _, key := range []string{"content", "datetime"} {
				if v, ok := p.Attr(e, key); ok {
					f.Value = v
				}
			}
			switch p.Elements[e].Tag {
			case atom.Meta, atom.Link:
				f.Element = page.None
			}
			d.add(f)
		}
	}
}

func (d *Declarations) add(f Fact) {
	if f.Value = strings.TrimSpace(f.Value); len(d.facts) < maxFacts && (f.Value != "" || f.Element != page.None) {
		d.facts = append(d.facts, f)
	}
}

// dataFacts reads the facts of the page's subject from JSON-LD: of a product with its offers, of a recipe, of an
// article. It does not read lists of other things.
func (d *Declarations) dataFacts(v any, depth int) {
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			d.dataFacts(item, depth-1)
		}
	case map[string]any:
		if hasType(v["@type"], hasFacts) {
			d.properties(v, depth)
		}
		d.dataFacts(v["@graph"], depth-1)
		d.dataFacts(v["mainEntity"], depth-1)
	}
}

// hasFacts reports whether things of a type of schema.org have facts that readers look for.
func hasFacts(kind string) bool {
	switch kind {
	case "Product", "ProductGroup", "IndividualProduct", "ProductModel", "SomeProducts", "Vehicle", "Car", "Book", "Offer", "AggregateOffer", "Recipe", "HowTo":
		return true
	}
	return isWork(kind) && !isWebPage(kind)
}

// properties adds the facts of one thing.
func (d *Declarations) properties(thing map[string]any, depth int) {
	if name := nameOf(thing["name"]); name != "" && !hasType(thing["@type"], func(k string) bool { return strings.HasSuffix(k, "Offer") }) {
		d.add(Fact{FactName, name, page.None})
	}
	for _, key := range slices.Sorted(maps.Keys(thing)) {
		if kind := factOfProperty(key); kind != NoFact {
			d.values(kind, thing[key], depth-1)
		}
	}
	for _, key := range []string{"offers", "priceSpecification", "hasVariant", "itemOffered", "model"} {
		d.offers(thing[key], depth-1)
	}
}

// offers adds the facts of the offers of a product.
func (d *Declarations) offers(v any, depth int) {
	if depth <= 0 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			d.offers(item, depth-1)
		}
	case map[string]any:
		d.properties(v, depth)
	}
}

// values adds the values of one property: texts, numbers, things with a name or a text, and sections of steps.
func (d *Declarations) values(kind FactKind, v any, depth int) {
	if depth <= 0 {
		return
	}
	switch v := v.(type) {
	case string:
		d.add(Fact{kind, v, page.None})
	case float64:
		d.add(Fact{kind, strconv.FormatFloat(v, 'f', -1, 64), page.None})
	case []any:
		for _, item := range v {
			d.values(kind, item, depth-1)
		}
	case map[string]any:
		for _, key := range []string{"text", "name", "itemListElement", "item"} {
			if v[key] != nil {
				d.values(kind, v[key], depth-1)
				if key != "name" || v["itemListElement"] == nil {
					return
				}
			}
		}
	}
}
