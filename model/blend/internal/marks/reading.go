package marks

import (
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
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
	case f.isComments(from, to) && !v.HoldsControls(e):
		return page.KindComments
	case to-from <= 2 && holdsCaption(v.Page, e, from, to):
		return page.KindCaption
	case to-from <= 2 && (parts.IsDateline(v.Page, int(from)) || parts.IsDateline(v.Page, int(to)-1)):
		return kindOfDateline(v.Page, e, from, to)
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
func isGrid(v *view.Page, from, to page.BlockID) bool {
	prices, cards, teasers := int32(0), int32(0), false
	for b := from; b < min(to, from+gridBlocks); b++ {
		if v.Blocks[b].Shape&view.ShapeMoney != 0 {
			prices++
		}
		i := v.ListOf(v.Blocks[b].Home)
		if i < 0 || v.Lists[i].Images*4 < v.Lists[i].Items*3 {
			continue
		}
		l := &v.Lists[i]
		cards = max(cards, l.Items)
		teasers = teasers || l.Items >= gridItems && l.Links >= l.Items && l.Words >= gridWords*l.Items
	}
	return teasers || cards >= gridItems && prices*2 >= cards
}

// isComments reports whether all blocks in [from, to) are readers' comments.
func (f *markFinder) isComments(from, to page.BlockID) bool {
	if f.comments == nil {
		f.comments, _ = parts.CommentBlocks(f.v.Page)
		if f.comments == nil {
			f.comments = make([]bool, len(f.v.Blocks))
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
func holdsCaption(v *view.Page, e page.ElementID, from, to page.BlockID) bool {
	for range 3 {
		if e == page.None {
			break
		}
		if isCaption(v, e) {
			return true
		}
		e = soleChild(v, e, from, to)
	}
	return false
}

// isCaption reports whether e is the caption of a picture or of a table, by its tag or its name.
func isCaption(v *view.Page, e page.ElementID) bool {
	switch v.Doc.Elements[e].Tag {
	case atom.Figcaption, atom.Caption:
		return true
	}
	class, _ := v.Doc.Attr(e, "class")
	for part := range vocab.NameParts(class) {
		if part == "caption" || part == "photocaption" || part == "imagecaption" || part == "figcaption" {
			return true
		}
	}
	return false
}

// kindOfDateline distinguishes bylines from dates near the title. A part with an author is a byline, whatever else it
// contains.
func kindOfDateline(v *view.Page, e page.ElementID, from, to page.BlockID) page.Kind {
	dated := false
	for b := from; b < to; b++ {
		dated = dated || v.Blocks[b].Shape&(view.ShapeDate|view.ShapeClock) != 0
		if strings.HasPrefix(string(v.Doc.BlockText(nil, b)), "By ") {
			return page.KindByline
		}
	}
	for range 2 {
		if e <= v.Doc.Body {
			break
		}
		class, _ := v.Doc.Attr(e, "class")
		rel, _ := v.Doc.Attr(e, "rel")
		prop, _ := v.Doc.Attr(e, "itemprop")
		for _, part := range slices.AppendSeq([]string{rel, prop}, vocab.NameParts(class)) {
			switch part {
			case "byline", "author", "authors", "creator":
				return page.KindByline
			}
		}
		e = v.Doc.Elements[e].Parent
	}
	if dated {
		return page.KindDate
	}
	return page.KindOther
}
