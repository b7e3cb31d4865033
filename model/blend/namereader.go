package blend

import (
	"hash/maphash"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// nameReader finds out what the names of elements mean. It keeps its results, because the names of a page recur on the
// page, and on the pages after it. It keeps them by keyed hashes, so that no word of a page stays.
type nameReader struct {
	*vocabulary
	seed  maphash.Seed
	cache map[uint64]reading
}

// keptNames is the most results that are kept for the next page.
const keptNames = 4096

// reader returns a nameReader. The caller releases it after use.
func (r *vocabulary) reader() *nameReader {
	if n, ok := r.readers.Get().(*nameReader); ok {
		return n
	}
	return &nameReader{r, maphash.MakeSeed(), map[uint64]reading{}}
}

func (r *nameReader) release() {
	if len(r.cache) > keptNames {
		r.cache = map[uint64]reading{}
	}
	r.readers.Put(r)
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

func (r *nameReader) read(p *page.Page, e page.ElementID, id, class string) reading {
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

func (r *nameReader) name(s string) reading {
	if s == "" {
		return reading{}
	}
	key := maphash.String(r.seed, s)
	got, ok := r.cache[key]
	if !ok {
		got = r.readName(s)
		r.cache[key] = got
	}
	return got
}

func (r *nameReader) readName(s string) (got reading) {
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
