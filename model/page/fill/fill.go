// Package fill puts content that a page brings along, and that only its scripts would show, in its place.
package fill

import (
	"bytes"
	"context"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/edit"
	"github.com/winnow-proxy/winnow/model/page/htmltree"
	"github.com/winnow-proxy/winnow/model/page/visibility"
)

// Some pages bring their content along in places that a browser without scripts does not show: servers of React
// stream parts of a page into hidden elements, and a script moves them; forums put a thread into a noscript beside
// the shell of their application; others hide everything until a script shows it. Programs run no scripts, so they
// would get nothing of such a page. [Page] puts the content in its place first.

// Page returns the page as its own scripts would fill it from what it brings along, or the page itself if they would
// change nothing, or if that can't be done safely. The new page has a source of its own. It has no script, handler or
// other active element that is not active in this page.
//
// It is for forms that nobody runs scripts for, see [write.Form.Basis].
func Page(ctx context.Context, p *page.Page) *page.Page {
	if !hasFilling(p) || !May(p.UTF8()) {
		return p
	}
	filled := p
	for _, find := range []func(*page.Page) []edit.Edit{streamEdits, noscriptEdits, revealEdits} {
		filled = withFilling(ctx, filled, find)
	}
	return filled
}

// May reports whether a page may have something to fill it with.
func May(src []byte) bool {
	return bytes.Contains(src, []byte("<noscript")) || containsAfter(src, `id="`, "S:") || containsAfter(src, " ", "hidden")
}

// containsAfter reports whether src has a sign after a prefix. It looks for the sign, because bytes.Index is slow where
// the first byte of what it looks for is frequent.
func containsAfter(src []byte, prefix, sign string) bool {
	for {
		i := bytes.Index(src, []byte(sign))
		if i < 0 || bytes.HasSuffix(src[:i], []byte(prefix)) {
			return i >= 0
		}
		src = src[i+len(sign):]
	}
}

// hasFilling reports whether the page has anything to fill it with. Most pages have nothing.
func hasFilling(p *page.Page) bool {
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
		if size >= visibility.MinRevealed {
			return true
		}
		e = p.Elements[e].Sub - 1
	}
	return false
}

// withFilling returns the page after the edits that find makes, or p.
func withFilling(ctx context.Context, p *page.Page, find func(*page.Page) []edit.Edit) *page.Page {
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
	after, err := p.Refill(ctx, edit.Edits(edits).Apply(before.Source))
	if err != nil || after.Fragile() != 0 || !active.AddsNothing(before, after) {
		return p
	}
	return after
}

// shownInk is the number of characters that the page shows without its scripts.
func shownInk(p *page.Page) int {
	unseen, ink := visibility.Unseen(p), 0
	for b := range p.Blocks {
		if !unseen[p.Blocks[b].Element] {
			ink += p.BlockLen(page.BlockID(b))
		}
	}
	return ink
}
