package page

import (
	"bytes"
	"context"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// Some pages bring their content along in places that a browser without scripts does not show: servers of React
// stream parts of a page into hidden elements, and a script moves them; forums put a thread into a noscript beside
// the shell of their application; others hide everything until a script shows it. Programs run no scripts, so they
// would get nothing of such a page. [Page.Filled] puts the content in its place first.

// Filled returns the page as its own scripts would fill it from what it brings along, or the page itself if they would
// change nothing, or if that can't be done safely. The new page has a source of its own. It has no script, handler or
// other active element that is not active in this page.
//
// It is for forms that nobody runs scripts for, see [Form.Basis].
func (p *Page) Filled(ctx context.Context) *Page {
	if !mayFill(p.UTF8()) || !p.hasFilling() {
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

// withFilling returns the page after the edits that find makes, or p.
func (p *Page) withFilling(ctx context.Context, find func(*Page) []Edit) *Page {
	if p.Fragile()&^htmltree.NoscriptLeaks != 0 {
		return p // a noscript that decides how the rest is parsed may be one that is gone afterwards
	}
	before, err := p.InUTF8(ctx)
	if err != nil {
		return p
	}
	edits := find(before)
	if len(edits) == 0 {
		return p
	}
	after, err := p.Refill(ctx, Edits(edits).Apply(before.Source))
	if err != nil || after.Fragile() != 0 || !before.livesAs(after) {
		return p
	}
	return after
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
