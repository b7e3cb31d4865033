// Package facts finds the blocks of a page that hold facts about its subject: the price and the codes of a product, the
// ingredients, yield and times of a recipe, the byline and the date of an article, the names of the people who wrote
// the posts of a thread.
//
// Most pages declare these values (schema.org, Open Graph). The finder looks for the values on the page, and takes what
// stands in a list of other things for theirs. What a page does not declare is found by its label.
package facts

import (
	"slices"
	"sync"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/metadata"
)

// Reader is what the finder asks about a page.
type Reader struct {
	Page *page.Page
	// Text returns the text of a block in lower case.
	Text func(page.BlockID) string
	// Names returns what NamesOf says of an element, Profile whether it is a link that LeadsToProfile.
	Names   func(page.ElementID) Names
	Profile func(page.ElementID) bool
	// Noise says which blocks are thought to be noise.
	Noise func(page.BlockID) bool
	// Unseen marks the elements that nobody sees.
	Unseen []bool
	// Product says that the page is that of a product, Forum that it is a thread.
	Product, Forum bool
}

// Find returns for each block the kind of the fact that it holds.
func Find(r Reader) []metadata.FactKind {
	declared := metadata.Declared(r.Page)
	f, facts := newFinder(r, declared), declared.Facts()
	f.Product = f.Product || slices.ContainsFunc(facts, isOfProduct)
	var datelines, others []metadata.Fact
	for _, fact := range facts {
		if isDateline(fact.Kind) {
			datelines = append(datelines, fact)
		} else {
			others = append(others, fact)
		}
	}
	f.declared(others)
	f.series(facts)
	f.ingredientLists()
	f.labelled()
	f.writers()
	f.labels()
	if slices.ContainsFunc(f.kinds, isOfRecipe) {
		f.declared(append(datelines, declared.Datelines(r.Unseen)...)) // which no other page keeps
	} else {
		f.leaveDateline()
	}
	return f.kinds
}

// leaveDateline leaves out byline and date.
func (f *finder) leaveDateline() {
	for b, kind := range f.kinds {
		if isDateline(kind) {
			f.kinds[b] = metadata.NoFact
		}
	}
}

func isDateline(kind metadata.FactKind) bool {
	return kind == metadata.FactAuthor || kind == metadata.FactDate
}

func isOfProduct(fact metadata.Fact) bool {
	return fact.Kind == metadata.FactPrice || fact.Kind == metadata.FactCode
}

// finder finds the facts of one page.
type finder struct {
	Reader
	// text are the words of the page.
	text *wordIndex
	// kinds has the fact that each block holds.
	kinds []metadata.FactKind
	// buf is working memory.
	buf []string
	// others says which blocks belong to other things, heading returns the first block of the page's title, or None. Most
	// pages have no fact for which either is asked.
	others  func() *others
	heading func() page.BlockID
}

func newFinder(r Reader, declared *metadata.Declarations) *finder {
	f := &finder{Reader: r, text: newWordIndex(r), kinds: make([]metadata.FactKind, len(r.Page.Blocks))}
	f.others = sync.OnceValue(func() *others { return newOthers(f) })
	f.heading = sync.OnceValue(func() page.BlockID {
		if h := declared.Heading(r.Unseen); h != page.None && r.Page.Elements[h].BlockStart < r.Page.Elements[h].BlockEnd {
			return r.Page.Elements[h].BlockStart
		}
		return page.None
	})
	return f
}

// isOther reports whether block b belongs to another thing than the subject of the page.
func (f *finder) isOther(b page.BlockID) bool { return f.others().has(b) }

// The most words of a block with one fact, by kind: a value beside its label, the byline of several people or a price
// with its conditions. codeBeside is the most words beside a code.
const (
	factWords   = 14
	bylineWords = 25
	codeBeside  = 6
)

// maxPlaces is the most places where one declared value is found.
const maxPlaces = 6

// declared finds the blocks with declared values.
func (f *finder) declared(facts []metadata.Fact) {
	for _, fact := range facts {
		if fact.Element != page.None {
			f.shown(fact)
			continue
		}
		switch fact.Kind {
		case metadata.FactPrice:
			f.each(fact.Kind, bylineWords, func(b page.BlockID) bool { return f.showsAmount(b, fact.Value) })
		case metadata.FactTime:
			if minutes := isoMinutes(fact.Value); minutes > 0 {
				f.each(fact.Kind, factWords, func(b page.BlockID) bool { return slices.Contains(durations(f.Text(b)), minutes) })
			}
		case metadata.FactDate:
			if day := metadata.ReadDate(fact.Value); day != "" {
				f.each(fact.Kind, bylineWords, func(b page.BlockID) bool { return f.isNear(b) && metadata.ReadDate(f.Text(b)) == day })
			}
		case metadata.FactAuthor:
			f.values(fact, bylineWords, f.isNear)
		case metadata.FactCode:
			f.values(fact, len(words(fact.Value))+codeBeside, nil)
		case metadata.FactBrand, metadata.FactAvailability:
			f.values(fact, len(words(fact.Value))+longestLabel, func(b page.BlockID) bool { return !f.inFrame(b) })
		case metadata.FactYield:
			if len(words(fact.Value)) > 1 {
				f.values(fact, factWords, nil)
			}
		case metadata.FactName:
			f.values(fact, factWords+len(words(fact.Value)), func(b page.BlockID) bool { return f.isTitle(b) })
		}
	}
}

// shown takes the blocks of an element that shows a fact.
func (f *finder) shown(fact metadata.Fact) {
	el := &f.Page.Elements[fact.Element]
	from, to := el.BlockStart, el.BlockEnd
	if from == to { // an inline element is part of a block
		from, to = f.blockAround(fact.Element)
	}
	limit := factWords
	switch fact.Kind {
	case metadata.FactAuthor, metadata.FactDate:
		limit = bylineWords
	case metadata.FactIngredient, metadata.FactStep:
		limit = 10_000
	}
	if from == to || f.isOther(from) || f.text.wordsIn(from, to) > limit || limit == bylineWords && !f.isDateline(from, to) {
		return
	}
	for b := from; b < to; b++ {
		f.take(b, fact.Kind)
	}
}

// blockAround returns the block that e is a part of.
func (f *finder) blockAround(e page.ElementID) (from, to page.BlockID) {
	el := &f.Page.Elements[e]
	for _, t := range f.Page.Texts[el.TextStart:el.TextEnd] {
		if t.Block != page.None {
			return t.Block, t.Block + 1
		}
	}
	return 0, 0
}

// take says that block b holds a fact. The first counts, but a short text near the title is often taken for a byline.
func (f *finder) take(b page.BlockID, kind metadata.FactKind) {
	switch f.kinds[b] {
	case metadata.NoFact, metadata.FactAuthor, metadata.FactDate:
		if !f.Unseen[f.Page.Blocks[b].Element] {
			f.kinds[b] = kind
		}
	}
}

// each takes the blocks of at most so many words that have a fact.
func (f *finder) each(kind metadata.FactKind, most int, has func(page.BlockID) bool) {
	for i := range f.Page.Blocks {
		b := page.BlockID(i)
		if n := f.text.wordsIn(b, b+1); n > 0 && n <= most && has(b) && !f.isOther(b) {
			f.take(b, kind)
		}
	}
}

// values takes the short blocks with a declared text.
func (f *finder) values(fact metadata.Fact, most int, where func(page.BlockID) bool) {
	value := words(fact.Value)
	if len(value) == 0 || len(value) == 1 && len(value[0]) < 2 {
		return
	}
	places := 0
	for from, to := range f.text.find(value) {
		if f.text.wordsIn(from, to) > most || where != nil && !where(from) || f.isOther(from) {
			continue
		}
		for b := from; b < to; b++ {
			f.take(b, fact.Kind)
		}
		if places++; places == maxPlaces {
			return
		}
	}
}

const (
	// nearAbove and nearBelow are the most blocks between the title and a byline or date.
	nearAbove = 10
	nearBelow = 30
)

// isNear reports whether b is near the title.
func (f *finder) isNear(b page.BlockID) bool {
	h := f.heading()
	return h != page.None && b >= h-nearAbove && b <= h+nearBelow
}

// isDateline reports whether the blocks in [from, to) may be a byline or date: they are near the title, and no links.
func (f *finder) isDateline(from, to page.BlockID) bool {
	return f.isNear(from) && to-from <= 4
}

func (f *finder) isTitle(b page.BlockID) bool {
	for e, n := f.Page.Blocks[b].Element, 0; e > f.Page.Body && n < 4; e, n = f.Page.Elements[e].Parent, n+1 {
		if name := f.Page.Elements[e].Name; name == "h1" || name == "h2" {
			return true
		}
	}
	return false
}
