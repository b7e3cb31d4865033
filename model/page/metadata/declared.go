package metadata

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// Declarations are what a page declares about itself: its metadata and its facts come from them.
type Declarations struct {
	p *page.Page
	// named are the values of meta, link and time elements and of the page's own work in JSON-LD.
	named declared
	// facts are those of the page's subject.
	facts []Fact
}

// Declared reads what a page declares about itself.
func Declared(p *page.Page) *Declarations {
	d, data := &Declarations{p: p, named: declared{}}, p.LinkedData()
	for e := range p.Elements {
		id := page.ElementID(e)
		if p.Elements[e].Tag != atom.Script {
			d.named.element(p, id)
			d.markupFact(p, id)
			continue
		}
		for ; len(data) > 0 && data[0].Element <= id; data = data[1:] {
			d.data(data[0].Value)
		}
	}
	return d
}

// data reads one document of JSON-LD.
func (d *Declarations) data(v any) {
	people := people{}
	people.collect(v, maxDataDepth)
	d.named.things(v, people, maxDataDepth)
	d.dataFacts(v, maxDataDepth)
}

// maxDataDepth bounds the depth of JSON-LD that is read.
const maxDataDepth = 8
