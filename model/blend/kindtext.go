package blend

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// kindOfText uses the text and the contents of a part. It reads only short parts, because a long part has many
// subjects.
func (v *outline) kindOfText(e page.ElementID, from, to page.BlockID) page.Kind {
	var s size
	copyright := false
	for b := from; b < to; b++ {
		s.add(v.blocks[b].size)
		copyright = copyright || v.blocks[b].shape&shapeCopyright != 0
	}
	if s.words > 250 || from == to {
		return page.KindOther
	}
	t := v.readPart(from, to)
	switch {
	case t.cookies:
		return page.KindCookie
	case t.ad && s.words < 80:
		return page.KindAd
	case s.words < 60 && v.among(v.sharers, e) >= 2:
		return page.KindShare
	case t.pages == int(s.blocks) && t.numbers+int(s.links) >= 2:
		return page.KindPagination
	case t.toc:
		return page.KindTOC
	case t.related:
		return page.KindRelated
	}
	if k := v.kindOfControls(e, s); k != page.KindOther {
		return k
	}
	if copyright && s.words < 60 {
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

func (v *view) readPart(from, to page.BlockID) (t partText) {
	for b := from; b < min(to, from+40); b++ {
		text, bv := v.texts[b].folded, &v.blocks[b]
		t.cookies = t.cookies || bv.chars-bv.linkChars > 20 && speaksOfCookies(text)
		t.ad = t.ad || bv.words <= 3 && isAdLabel(text)
		if b < from+2 && bv.words <= 12 {
			t.related = t.related || beginsRelated(text)
			t.toc = t.toc || beginsTOC(text)
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
	if isPageWord(text) {
		return true, 0
	}
	for f := range strings.FieldsSeq(text) {
		f = strings.Trim(f, "[]()|,.-–")
		switch {
		case isNumber(f) && len(f) <= 4:
			numbers++
		case !isPageWord(f) && f != "of" && f != "von" && f != "sur" && f != "de" && f != "из" && f != "/":
			return false, 0
		}
	}
	return numbers > 0, numbers
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isSharer reports whether a link, in lower case, shares a page on a social network.
func isSharer(href string) bool {
	// All of them have one of these, and most links have none.
	if !containsAny(href, ".com/", ".me", ".ru/", "://send", ".jp", ".us/", ".app/") {
		return false
	}
	return containsAny(href, "facebook.com/share", "facebook.com/dialog", "twitter.com/intent", "twitter.com/share", "x.com/intent",
		"x.com/share", "pinterest.com/pin/create", "linkedin.com/share", "linkedin.com/cws", "t.me/share", "telegram.me/share", "wa.me/?",
		"api.whatsapp.com/send", "whatsapp://send", "reddit.com/submit", "vk.com/share", "vkontakte.ru/share", "connect.ok.ru/offer",
		"service.weibo.com/share", "line.me/r/msg", "social-plugins.line.me", "b.hatena.ne.jp", "tumblr.com/share", "getpocket.com/save",
		"news.ycombinator.com/submitlink", "digg.com/submit", "del.icio.us/post", "delicious.com/save", "stumbleupon.com/submit",
		"plus.google.com/share", "bsky.app/intent")
}

// kindOfControls uses what a part asks its reader to fill in.
func (v *view) kindOfControls(e page.ElementID, s size) page.Kind {
	kind := page.KindOther
	for c := e; c < v.p.Elements[e].Sub; c++ {
		switch v.p.Elements[c].Tag {
		case atom.Textarea:
			return page.KindCommentsForm
		case atom.Input:
			if s.words < 40 && v.asksForWords(c) {
				kind = page.KindSearch
			}
		}
	}
	return kind
}

// asksForWords reports whether an input is a search field.
func (v *view) asksForWords(e page.ElementID) bool {
	if t, _ := v.p.Attr(e, "type"); strings.EqualFold(t, "search") {
		return true
	} else if t != "" && !strings.EqualFold(t, "text") {
		return false
	}
	name, _ := v.p.Attr(e, "name")
	switch strings.ToLower(name) {
	case "q", "s", "search", "query", "keyword", "keywords", "searchword", "search_query", "wd", "kw", "suche", "buscar", "text":
		return true
	}
	return false
}
