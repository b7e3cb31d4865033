package page

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// Some pages bring their content along in places that a browser without scripts does not show: servers of React
// stream parts of a page into hidden elements, and a script moves them; forums put a thread into a noscript beside
// the shell of their application; others hide everything until a script shows it. Programs run no scripts, so they
// would get nothing of such a page. [Page.Filled] puts the content in its place first.

const (
	// almostNothing is the number of visible characters below which nothing is there to read: about 25 words.
	almostNothing = 125
	// worthShowing is the least number of characters of something that is shown although the page does not show it. A
	// note that the page needs JavaScript is shorter.
	worthShowing = 500
)

// Filled returns the page as its own scripts would fill it from what it brings along, or the page itself if they would
// change nothing, or if that can't be done safely. The new page has a source of its own. It has no script, handler or
// other active element that is not active in this page.
//
// It is for forms that nobody runs scripts for, see [Form.Basis].
func (p *Page) Filled(ctx context.Context) *Page {
	if !mayFill(p.text) || !p.hasFilling() {
		return p
	}
	filled := p
	for _, find := range []func(*Page) []Edit{(*Page).streamEdits, (*Page).noscriptEdits, (*Page).revealEdits} {
		filled = filled.withFilling(ctx, find)
	}
	return filled
}

// mayFill reports whether a page may have something to fill it with.
func mayFill(src []byte) bool {
	for _, sign := range [...]string{"<noscript", `id="S:`, " hidden"} {
		if bytes.Contains(src, []byte(sign)) {
			return true
		}
	}
	return false
}

// hasFilling reports whether the page has anything to fill it with. Most pages have nothing.
func (p *Page) hasFilling() bool {
	for e := max(p.Body, 0); int(e) < len(p.Elements); e++ {
		if id, _ := p.Attr(e, "id"); strings.Contains(id, "S:") {
			return true
		}
		_, hidden := p.Attr(e, "hidden")
		if !hidden && p.Elements[e].Tag != atom.Noscript {
			continue
		}
		size := 0
		for _, t := range p.Texts[p.Elements[e].TextStart:p.Elements[e].TextEnd] {
			size += len(t.Data)
		}
		if size >= worthShowing {
			return true
		}
		e = p.Elements[e].Sub - 1
	}
	return false
}

// Basis returns the page that the form is written from: for what programs and devices without scripts get, the page as
// [Page.Filled] fills it. Browsers get the page as it is, because its scripts fill it there.
func (f Form) Basis(ctx context.Context, p *Page) *Page {
	if !f.fills() {
		return p
	}
	return p.Filled(ctx)
}

// fills reports whether nobody runs the scripts of a page in the form.
func (f Form) fills() bool {
	switch f.Mode {
	case ModeRemove:
		return !f.InBrowser
	case ModeReader, ModeLite, ModeVintage, ModeText, ModeMarkdown, ModeJSON:
		return true
	}
	return false
}

// withFilling returns the page after the edits that find makes, or p.
func (p *Page) withFilling(ctx context.Context, find func(*Page) []Edit) *Page {
	if p.fragile&^htmltree.NoscriptLeaks != 0 {
		return p // a noscript that decides how the rest is parsed may be one that is gone afterwards
	}
	before := p.inUTF8(ctx)
	if before == nil {
		return p
	}
	edits := find(before)
	if len(edits) == 0 {
		return p
	}
	after, err := ParseContext(ctx, Edits(edits).Apply(before.Source), "text/html; charset=utf-8")
	if err != nil || after.fragile != 0 || !before.livesAs(after) {
		return p
	}
	after.Charset, after.contentType = p.Charset, p.contentType
	after.filled, after.recode = true, p.Charset != "utf-8"
	return after
}

// inUTF8 returns a page whose places are those of its text in UTF-8, or nil.
func (p *Page) inUTF8(ctx context.Context) *Page {
	if len(p.text) == len(p.Source) && &p.text[0] == &p.Source[0] {
		return p
	}
	again, err := ParseContext(ctx, p.text, "text/html; charset=utf-8")
	if err != nil {
		return nil
	}
	return again
}

// livesAs reports whether nothing is live in after that is not live in p.
func (p *Page) livesAs(after *Page) bool {
	c := newLiveCheck(p)
	return !slices.ContainsFunc(after.live(&c.hash), func(part uint64) bool { return !c.knows(part) })
}

// shownInk is the number of characters that the page shows without its scripts.
func (p *Page) shownInk() int {
	unseen, ink := p.Unseen(), 0
	for b := range p.Blocks {
		if !unseen[p.Blocks[b].Element] {
			ink += p.BlockLen(BlockID(b))
		}
	}
	return ink
}
