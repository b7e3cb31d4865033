package blend

import (
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// People can ask by kind for some parts that are removed by default: readers' comments, the byline, the date, captions.

// kindOfReading returns the kind of a marked part that is one of these, and KindOther for all others.
func (f *markFinder) kindOfReading(e page.ElementID, from, to page.BlockID) page.Kind {
	if from == to {
		return page.KindOther
	}
	switch v := f.v; {
	case f.isComments(from, to) && !v.holdsControls(e):
		return page.KindComments
	case to-from <= 2 && v.holdsCaption(e, from, to):
		return page.KindCaption
	case to-from <= 2 && (v.isDateline(int(from)) || v.isDateline(int(to)-1)):
		return v.kindOfDateline(e, from, to)
	}
	return page.KindOther
}

const (
	// gridItems is the least number of cards in a grid.
	gridItems = 4
	// gridWords is the least number of words of a card without a price, on average: an icon in a menu has fewer.
	gridWords = 5
	// gridBlocks is the most blocks of a part that are read for cards.
	gridBlocks = 400
)

// isGrid reports whether the blocks in [from, to) are cards: entries of a list, most with a picture, half of them with
// a price, or each with a link and a few words.
func (v *view) isGrid(from, to page.BlockID) bool {
	prices, cards, teasers := int32(0), int32(0), false
	for b := from; b < min(to, from+gridBlocks); b++ {
		if v.blocks[b].shape&shapeMoney != 0 {
			prices++
		}
		i := v.listOf(v.blocks[b].home)
		if i < 0 || v.lists[i].images*4 < v.lists[i].items*3 {
			continue
		}
		l := &v.lists[i]
		cards = max(cards, l.items)
		teasers = teasers || l.items >= gridItems && l.links >= l.items && l.words >= gridWords*l.items
	}
	return teasers || cards >= gridItems && prices*2 >= cards
}

// isComments reports whether all blocks in [from, to) are readers' comments.
func (f *markFinder) isComments(from, to page.BlockID) bool {
	if f.comments == nil {
		f.comments, _ = f.v.commentBlocks()
		if f.comments == nil {
			f.comments = make([]bool, len(f.v.blocks))
		}
	}
	for b := from; b < to; b++ {
		if !f.comments[b] {
			return false
		}
	}
	return true
}

// holdsCaption reports whether e is a caption, or holds one and nothing else.
func (v *view) holdsCaption(e page.ElementID, from, to page.BlockID) bool {
	for range 3 {
		if e == page.None {
			break
		}
		if v.isCaption(e) {
			return true
		}
		e = v.soleChild(e, from, to)
	}
	return false
}

// isCaption reports whether e is the caption of a picture or of a table, by its tag or its name.
func (v *view) isCaption(e page.ElementID) bool {
	switch v.p.Elements[e].Tag {
	case atom.Figcaption, atom.Caption:
		return true
	}
	class, _ := v.p.Attr(e, "class")
	for part := range nameParts(class) {
		if part == "caption" || part == "photocaption" || part == "imagecaption" || part == "figcaption" {
			return true
		}
	}
	return false
}

// kindOfDateline distinguishes bylines from dates near the title. A part with an author is a byline, whatever else it
// contains.
func (v *view) kindOfDateline(e page.ElementID, from, to page.BlockID) page.Kind {
	dated := false
	for b := from; b < to; b++ {
		dated = dated || v.blocks[b].shape&(shapeDate|shapeClock) != 0
		if strings.HasPrefix(string(v.p.BlockText(nil, b)), "By ") {
			return page.KindByline
		}
	}
	for range 2 {
		if e <= v.p.Body {
			break
		}
		class, _ := v.p.Attr(e, "class")
		rel, _ := v.p.Attr(e, "rel")
		prop, _ := v.p.Attr(e, "itemprop")
		for _, part := range slices.AppendSeq([]string{rel, prop}, nameParts(class)) {
			switch part {
			case "byline", "author", "authors", "creator":
				return page.KindByline
			}
		}
		e = v.p.Elements[e].Parent
	}
	if dated {
		return page.KindDate
	}
	return page.KindOther
}
