package facts

import (
	"html"
	"regexp"
	"sync"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/metadata"
)

const (
	// openingWords is the most words by which a step is found: what follows may be written in another way.
	openingWords = 8
	// gapBlocks is the most blocks between two ingredients that belong to their list: headings of its parts, amounts
	// for other yields. gapWords is the most words of each.
	gapBlocks = 3
	gapWords  = 12
)

// tags are those of HTML in declared texts.
var tags = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]*>`) }) //nolint:gochecknoglobals // it never changes

// series finds the blocks with the declared ingredients and steps of a recipe, and what stands between the ingredients.
func (f *finder) series(facts []metadata.Fact) {
	last := page.BlockID(page.None)
	for _, fact := range facts {
		if fact.Element != page.None || fact.Kind != metadata.FactIngredient && fact.Kind != metadata.FactStep {
			continue
		}
		value := words(html.UnescapeString(tags().ReplaceAllString(html.UnescapeString(fact.Value), " ")))
		if len(value) == 0 {
			continue
		}
		from, to := f.findOpening(value, fact.Kind)
		for b := from; b < to; b++ {
			f.take(b, fact.Kind)
		}
		if fact.Kind == metadata.FactIngredient && from < to {
			if last != page.None {
				f.fill(last+1, from)
			}
			last = to - 1
		}
	}
}

// findOpening finds the blocks with a value of which at least the first words are on the page. Blocks with much else
// are left alone.
func (f *finder) findOpening(value []string, kind metadata.FactKind) (from, to page.BlockID) {
	opening := value[:min(len(value), openingWords)]
	if kind == metadata.FactIngredient {
		opening = value
	}
	for from, to = range f.text.find(opening) {
		if f.isOther(from) {
			continue
		}
		for int(to) < len(f.Page.Blocks) && f.text.wordsIn(from, to+1) <= len(value)+2 {
			to++
		}
		if kind == metadata.FactIngredient {
			_, to = f.text.run(from, len(value))
		}
		if f.text.wordsIn(from, to) <= 2*len(value)+6 {
			return from, to
		}
	}
	return 0, 0
}

// run returns the blocks from a block on that have so many words.
func (x *wordIndex) run(from page.BlockID, n int) (page.BlockID, page.BlockID) {
	to := from + 1
	for int(to) < len(x.counts)-1 && x.wordsIn(from, to) < n {
		to++
	}
	return from, to
}

// fill takes the few short blocks in [from, to).
func (f *finder) fill(from, to page.BlockID) {
	if to-from > gapBlocks {
		return
	}
	for b := from; b < to; b++ {
		if f.text.wordsIn(b, b+1) <= gapWords && !f.isOther(b) {
			f.take(b, metadata.FactIngredient)
		}
	}
}
