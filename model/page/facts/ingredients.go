package facts

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/metadata"
)

const (
	// minIngredients is the least number of ingredients in a list.
	minIngredients = 3
	// ingredientWords is the most words of an ingredient, listBlocks the most blocks of a list.
	ingredientWords = 30
	listBlocks      = 150
)

// ingredientLists takes the lists of ingredients that a class or a heading names, or that have declared ones.
func (f *finder) ingredientLists() {
	p, declared := f.Page, slices.Contains(f.kinds, metadata.FactIngredient)
	for e := max(p.Body, 0) + 1; int(e) < len(p.Elements); e++ {
		el := &p.Elements[e]
		if n := el.BlockEnd - el.BlockStart; n < minIngredients || n > listBlocks {
			continue
		}
		if f.isIngredientList(e, declared) && !f.holdsHeading(e) && !f.isOther(el.BlockStart) {
			f.takeIngredients(el.BlockStart, el.BlockEnd)
			e = el.Sub - 1
		}
	}
	for i := range p.Blocks {
		if b := page.BlockID(i); f.kinds[b] == metadata.NoFact && f.announcesIngredients(b) && !f.isOther(b) {
			f.underHeading(b)
		}
	}
}

// isIngredientList reports whether e is named as ingredients and has amounts, or is a list with many declared ones, if
// there are any.
func (f *finder) isIngredientList(e page.ElementID, declared bool) bool {
	el := &f.Page.Elements[e]
	switch el.Tag {
	case atom.Ul, atom.Ol, atom.Tbody, atom.Dl:
		return declared && f.countIngredients(el.BlockStart, el.BlockEnd)*2 >= int(el.BlockEnd-el.BlockStart)
	}
	return f.Names(e).ingredients && f.haveAmounts(el.BlockStart, el.BlockEnd)
}

func (f *finder) countIngredients(from, to page.BlockID) (n int) {
	for b := from; b < to; b++ {
		if f.kinds[b] == metadata.FactIngredient {
			n++
		}
	}
	return n
}

// haveAmounts reports whether the blocks in [from, to) are short and at least a third of them have numbers.
func (f *finder) haveAmounts(from, to page.BlockID) bool {
	amounts := 0
	for b := from; b < to; b++ {
		if f.text.wordsIn(b, b+1) > 2*ingredientWords {
			return false
		}
		if strings.ContainsAny(f.Text(b), "0123456789½¼¾⅓⅔⅛半一两") {
			amounts++
		}
	}
	return amounts*3 >= int(to-from) && amounts > 0
}

func (f *finder) takeIngredients(from, to page.BlockID) {
	for b := from; b < to; b++ {
		if f.kinds[b] == metadata.NoFact && f.text.wordsIn(b, b+1) <= ingredientWords {
			f.take(b, metadata.FactIngredient)
		}
	}
}

// announcesIngredients reports whether b is the heading of a list of ingredients.
func (f *finder) announcesIngredients(b page.BlockID) bool {
	all := f.text.of(b)
	if len(all) == 0 || len(all) > 4 {
		return false
	}
	switch all[0] {
	case "ingredients", "ingredient", "ingrediënten", "ingredienten", "zutaten", "ingrédients", "ingrédient",
		"ingredientes", "ingredienti", "ingredienser", "ingrediente", "składniki", "ингредиенты", "продукты", //nolint:misspell // Spanish
		"інгредієнти", "malzemeler", "ainekset", "ainesosat", "suroviny", "ingrediencie", "ingredience",
		"hozzávalók", "sastojci", "sestavine", "υλικά", "съставки", "材料", "用料", "食材", "재료", "מצרכים", "المكونات",
		"المقادير", "مواد":
		return true
	}
	return false
}

// underHeading takes the list under a heading: the short blocks in the smallest element around it that has some.
func (f *finder) underHeading(b page.BlockID) {
	p := f.Page
	e := p.Blocks[b].Element
	for e > p.Body && p.Elements[e].BlockEnd < b+1+minIngredients {
		e = p.Elements[e].Parent
	}
	end := min(p.Elements[e].BlockEnd, b+1+listBlocks)
	to := b + 1
	for to < end && f.text.wordsIn(to, to+1) <= ingredientWords && (to < b+1+minIngredients || !f.isHeading(to)) {
		to++
	}
	if to-b > minIngredients && f.haveAmounts(b+1, to) {
		f.takeIngredients(b, to)
	}
}

// isHeading reports whether block b is a heading by its tag.
func (f *finder) isHeading(b page.BlockID) bool {
	for e, n := f.Page.Blocks[b].Element, 0; e > f.Page.Body && n < 3; e, n = f.Page.Elements[e].Parent, n+1 {
		switch f.Page.Elements[e].Tag {
		case atom.H1, atom.H2, atom.H3:
			return true
		}
	}
	return false
}
