package marks

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// kindOfText uses the text and the contents of a part. It reads only short parts, because a long part has many
// subjects.
func kindOfText(v *parts.Outline, e page.ElementID, from, to page.BlockID) page.Kind {
	var s view.Size
	copyright := false
	for b := from; b < to; b++ {
		s.Add(v.Blocks[b].Size)
		copyright = copyright || v.Blocks[b].Shape&view.ShapeCopyright != 0
	}
	if s.Words > 250 || from == to {
		return page.KindOther
	}
	t := readPart(v.Page, from, to)
	switch {
	case t.cookies:
		return page.KindCookie
	case t.ad && s.Words < 80:
		return page.KindAd
	case s.Words < 60 && v.Among(v.ShareLinks, e) >= 2:
		return page.KindShare
	case t.pages == int(s.Blocks) && t.numbers+int(s.Links) >= 2:
		return page.KindPagination
	case t.toc:
		return page.KindTOC
	case t.related:
		return page.KindRelated
	}
	if k := kindOfControls(v.Page, e, s); k != page.KindOther {
		return k
	}
	if copyright && s.Words < 60 {
		return page.KindLegal
	}
	return page.KindOther
}

// partText sums up the text of the blocks of a part.
type partText struct {
	cookies, ad, toc, related bool
	// pages is the number of blocks that lead to other pages of a list, numbers the number of plain numbers in them.
	pages, numbers int
}

func readPart(v *view.Page, from, to page.BlockID) (t partText) {
	for b := from; b < min(to, from+40); b++ {
		text, bv := v.Texts[b].Folded, &v.Blocks[b]
		t.cookies = t.cookies || bv.Chars-bv.LinkChars > 20 && vocab.SpeaksOfCookies(text)
		t.ad = t.ad || bv.Words <= 3 && vocab.IsAdLabel(text)
		if b < from+2 && bv.Words <= 12 {
			t.related = t.related || vocab.BeginsRelated(text)
			t.toc = t.toc || vocab.BeginsTOC(text)
		}
		if leads, numbers := leadsToPages(text); leads {
			t.pages++
			t.numbers += numbers
		}
	}
	return t
}

// leadsToPages reports whether a text has only page numbers and words such as "next", and how many numbers.
func leadsToPages(text string) (leads bool, numbers int) {
	if len(text) > 120 {
		return false, 0
	}
	if vocab.IsPageWord(text) {
		return true, 0
	}
	for f := range strings.FieldsSeq(text) {
		f = strings.Trim(f, "[]()|,.-–")
		switch {
		case isNumber(f) && len(f) <= 4:
			numbers++
		case !vocab.IsPageWord(f) && f != "of" && f != "von" && f != "sur" && f != "de" && f != "из" && f != "/":
			return false, 0
		}
	}
	return numbers > 0, numbers
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// kindOfControls uses what a part asks its reader to fill in.
func kindOfControls(v *view.Page, e page.ElementID, s view.Size) page.Kind {
	kind := page.KindOther
	for c := e; c < v.Doc.Elements[e].Sub; c++ {
		switch v.Doc.Elements[c].Tag {
		case atom.Textarea:
			return page.KindCommentsForm
		case atom.Input:
			if s.Words < 40 && asksForWords(v, c) {
				kind = page.KindSearch
			}
		}
	}
	return kind
}

// asksForWords reports whether an input is a search field.
func asksForWords(v *view.Page, e page.ElementID) bool {
	if t, _ := v.Doc.Attr(e, "type"); strings.EqualFold(t, "search") {
		return true
	} else if t != "" && !strings.EqualFold(t, "text") {
		return false
	}
	name, _ := v.Doc.Attr(e, "name")
	switch strings.ToLower(name) {
	case "q", "s", "search", "query", "keyword", "keywords", "searchword", "search_query", "wd", "kw", "suche", "buscar", "text":
		return true
	}
	return false
}
