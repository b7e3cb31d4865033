package vocab

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// Reading is what names say about an element.
type Reading struct {
	Set NameSet
	// Leaning is the sum of the log-odds of the known names, count their number.
	Leaning float32
	Count   int32
	Facts   NameFacts
}

// NameFacts are facts about classes and ids that rules ask for.
type NameFacts struct {
	// Box is the box with details of an author that the name stands for.
	Box WriterBox
	// Topic says that forum programs give the name to a part of a thread, comment that it is one of readers' comments.
	Topic, Comment bool
}

func (r *Reading) add(o Reading) {
	r.Set |= o.Set
	r.Leaning += o.Leaning
	r.Count += o.Count
	r.Facts.add(o.Facts)
}

func (f *NameFacts) add(o NameFacts) {
	if f.Box == NoBox {
		f.Box = o.Box
	}
	f.Topic, f.Comment = f.Topic || o.Topic, f.Comment || o.Comment
}

// ElementNames reads the tag, id, class and other names of an element.
func (r *Vocabulary) ElementNames(p *page.Page, e page.ElementID, id, class string) Reading {
	var got Reading
	got.Set = tagGroups(p.Elements[e].Tag)
	got.add(r.name(id))
	of := r.name(class)
	got.add(of)
	if of.Facts.Box != NoBox {
		got.Facts.Box = of.Facts.Box
	}
	facts := got.Facts
	for _, a := range p.Attrs(e) {
		if IsNaming(a.Key) {
			of := r.name(a.Val)
			got.add(of)
			facts.Comment = facts.Comment || a.Key == "itemprop" && of.Facts.Comment
		}
	}
	got.Facts = facts
	if lean, ok := r.tags[p.Elements[e].Name]; ok {
		got.Leaning += lean
		got.Count++
	}
	return got
}

// IsNaming reports whether an attribute other than class and id says what an element is.
func IsNaming(key string) bool { return key == "role" || key == "itemprop" || key == "aria-label" }

func (r *Vocabulary) name(s string) (got Reading) {
	for part := range NameParts(s) {
		got.Set |= r.exact[part]
		for n := 3; n <= len(part); n++ {
			got.Set |= r.prefix[part[:n]]
		}
		if lean, ok := r.leaning.Known(part); ok {
			got.Leaning += lean
			got.Count++
		}
		got.Facts.Comment = got.Facts.Comment || namesComments(part)
	}
	for name := range strings.FieldsSeq(strings.ToLower(s)) {
		got.Facts.add(NameFacts{Box: writerBoxOf(name), Topic: isTopicPart(name)})
	}
	return got
}
