package blend

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// elemMeasures are what follows from the tag, class, id and other names of an element alone. Almost all of them recur
// on the page, and on the pages after it.
type elemMeasures struct {
	// names are the word groups found in class, id, role, itemprop and tag.
	names nameSet
	facts nameFacts
	// leaning is the mean log-odds of noise of the names.
	leaning float32
	// own is the hash of the element's tag, id and classes. spot is the same, but 0 without id and class.
	own, spot uint64
}

// keptElems is the most kinds of elements whose measures are kept, in about 1 MB.
const keptElems = 1 << 14

// element returns the measures of an element.
func (m *measurer) element(p *page.Page, e page.ElementID) elemMeasures {
	m.buf = append(m.buf[:0], p.Elements[e].Name...)
	for _, a := range p.Attrs(e) {
		if a.Key == "class" || a.Key == "id" || isNaming(a.Key) {
			m.buf = append(append(append(append(m.buf, 0), a.Key...), 0), a.Val...)
		}
	}
	key := m.elems.BytesKey(m.buf, m.salt)
	got, ok := m.elems.Get(key)
	if !ok {
		got = m.newElement(p, e)
		m.elems.Put(key, got)
	}
	return got
}

func (m *measurer) newElement(p *page.Page, e page.ElementID) elemMeasures {
	id, _ := p.Attr(e, "id")
	class, _ := p.Attr(e, "class")
	r := m.read(p, e, id, class)
	got := elemMeasures{names: r.set, facts: r.facts}
	if r.count > 0 {
		got.leaning = r.leaning / float32(r.count)
	}
	m.buf = append(append(m.buf[:0], p.Elements[e].Name...), '#')
	m.buf = append(appendMasked(m.buf, id), '.')
	m.buf = appendMasked(m.buf, class)
	got.own = m.hash.Bytes(m.buf)
	if id != "" || class != "" {
		got.spot = got.own
	}
	return got
}

// reading is what names say about an element.
type reading struct {
	set nameSet
	// leaning is the sum of the log-odds of the known names, count their number.
	leaning float32
	count   int32
	facts   nameFacts
}

// nameFacts are facts about classes and ids that rules ask for.
type nameFacts struct {
	// box is the box with details of an author that the name stands for.
	box writerBox
	// topic says that forum programs give the name to a part of a thread, comment that it is one of readers' comments.
	topic, comment bool
}

func (r *reading) add(o reading) {
	r.set |= o.set
	r.leaning += o.leaning
	r.count += o.count
	r.facts.add(o.facts)
}

func (f *nameFacts) add(o nameFacts) {
	if f.box == noBox {
		f.box = o.box
	}
	f.topic, f.comment = f.topic || o.topic, f.comment || o.comment
}

func (r *vocabulary) read(p *page.Page, e page.ElementID, id, class string) reading {
	var got reading
	got.set = tagGroups(p.Elements[e].Tag)
	got.add(r.name(id))
	of := r.name(class)
	got.add(of)
	if of.facts.box != noBox {
		got.facts.box = of.facts.box
	}
	facts := got.facts
	for _, a := range p.Attrs(e) {
		if isNaming(a.Key) {
			of := r.name(a.Val)
			got.add(of)
			facts.comment = facts.comment || a.Key == "itemprop" && of.facts.comment
		}
	}
	got.facts = facts
	if lean, ok := r.tags[p.Elements[e].Name]; ok {
		got.leaning += lean
		got.count++
	}
	return got
}

// isNaming reports whether an attribute other than class and id says what an element is.
func isNaming(key string) bool { return key == "role" || key == "itemprop" || key == "aria-label" }

func (r *vocabulary) name(s string) (got reading) {
	for part := range nameParts(s) {
		got.set |= r.exact[part]
		for n := 3; n <= len(part); n++ {
			got.set |= r.prefix[part[:n]]
		}
		if lean, ok := r.leaning.known(part); ok {
			got.leaning += lean
			got.count++
		}
		got.facts.comment = got.facts.comment || namesComments(part)
	}
	for name := range strings.FieldsSeq(strings.ToLower(s)) {
		got.facts.add(nameFacts{box: writerBoxOf(name), topic: isTopicPart(name)})
	}
	return got
}
