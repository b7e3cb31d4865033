package source

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/edit"
	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// openFormats counts the formatting elements that a cut range has opened and not ended.
type openFormats map[string]int

// cutTags cuts s, except for end tags of formatting that began before: without them a link or a font would continue.
func (c *cutter) cutTags(s page.Span, open openFormats) {
	if !s.Known() {
		return
	}
	var ends strings.Builder
	if cut := c.p.Source[s.Start:s.End]; bytes.Contains(cut, []byte("</")) {
		htmltree.Tags(page.InPlace(cut), func(tag htmltree.Tag) bool {
			switch name := tag.Name; {
			case tag.SelfClosing || name != "a" && !isFormatting(name):
			case !tag.End:
				open[name]++
			case open[name] > 0:
				open[name]--
			default:
				ends.WriteString("</" + name + ">")
			}
			return true
		})
	}
	c.cuts = append(c.cuts, cutRange{s, ends.String()})
}

// isFormatting reports whether elements of this name are reopened after a misplaced end (HTML §13.2.4.2). That excludes
// a, because there is never more than one.
func isFormatting(name string) bool {
	switch name {
	case "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return true
	}
	return false
}

// splice makes the cuts. It returns them as edits, and the result.
func (c *cutter) splice() (edit.Edits, []byte) {
	src := c.p.Source
	if c.mergeCuts(); len(c.cuts) == 0 {
		return edit.Edits{}, src
	}
	implied, breaks := c.impliedEnds(), c.breaks()
	edits := make(edit.Edits, len(c.cuts))
	for i, s := range c.cuts {
		edits[i] = edit.Edit{Start: s.Start, End: s.End, Insert: implied[i] + without(s.ends, implied[i]) + breaks[i]}
	}
	out, at := make([]byte, 0, edits.Size(src)), int32(0)
	for i := range edits {
		e := &edits[i]
		out = append(append(out, src[at:e.Start]...), e.Insert...)
		at = e.End
		if runsTogether(out, src[at:]) {
			const apart = "<!---->"
			e.Insert += apart
			out = append(out, apart...)
		}
	}
	return edits, append(out, src[at:]...)
}

// without returns the end tags of ends without those of given.
func without(ends, given string) string {
	for tag := range strings.SplitAfterSeq(given, ">") {
		ends = strings.Replace(ends, tag, "", 1)
	}
	return ends
}

// mergeCuts sorts the cuts and joins adjacent ones.
func (c *cutter) mergeCuts() {
	slices.SortStableFunc(c.cuts, func(a, b cutRange) int { return int(a.Start) - int(b.Start) })
	merged := c.cuts[:0]
	for _, s := range c.cuts {
		if n := len(merged); n > 0 && s.Start <= merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, s.End)
			merged[n-1].ends += s.ends
			continue
		}
		merged = append(merged, s)
	}
	c.cuts = merged
}

// impliedEnds returns, by cut, the end tags of remaining elements that a removed part had ended: the p before a div,
// the option before the next.
func (c *cutter) impliedEnds() map[int]string {
	p := c.p
	ends := map[int]string{}
	for e := p.Body + 1; int(e) < len(p.Elements) && len(c.cuts) > 0; e++ {
		el := &p.Elements[e]
		if !el.Outer.Known() || page.IsVoid(el.Tag) {
			continue
		}
		if el.EndTag > 0 || isSelfClosed(p, e) {
			continue
		}
		i, ok := c.cutAt(el.Outer.End)
		if !ok || el.Outer.Start >= c.cuts[i].Start || c.gone.Holds(p, e) {
			continue
		}
		ends[i] = "</" + el.Name + ">" + ends[i] // inner elements come later and end first
	}
	return ends
}

// isSelfClosed reports whether e is only a start tag that ends in a slash, as in SVG.
func isSelfClosed(p *page.Page, e page.ElementID) bool {
	el := &p.Elements[e]
	return el.StartTag == el.Outer && p.Source[el.StartTag.End-2] == '/'
}

// runsTogether reports whether the texts before and after a cut would together make a new tag or reference.
func runsTogether(before, after []byte) bool {
	if len(before) == 0 || len(after) == 0 {
		return false
	}
	if before[len(before)-1] == '<' {
		return true
	}
	i := len(before) - 1
	for i >= 0 && (page.IsWordByte(before[i]) || before[i] == '#') {
		i--
	}
	return i >= 0 && before[i] == '&' && (page.IsWordByte(after[0]) || after[0] == '#' || after[0] == ';')
}

// breaks returns separators for the cuts that were all that separated two blocks.
func (c *cutter) breaks() map[int]string {
	b := breaker{c: c, last: page.None, cut: page.None, at: map[int]string{}}
	if root := max(c.p.Body, 0); len(c.p.Elements) > 0 && slices.ContainsFunc(c.cuts, func(s cutRange) bool { return s.Known() }) {
		b.element(root)
	}
	return b.at
}

// breaker walks over the remaining parts as the cutter of blocks walks over the page, and finds where blocks would
// run together.
type breaker struct {
	c *cutter
	// last is the block of the last visible text since a boundary.
	last page.BlockID
	// cut is the first cut since then, with the element that was cut.
	cut   int
	cutOf page.ElementID
	brs   int
	at    map[int]string
}

func (b *breaker) element(e page.ElementID) {
	p := b.c.p
	el := &p.Elements[e]
	inline := page.IsInline(el.Tag)
	switch {
	case b.c.gone.Elements[e] && !b.c.staysHollow(e):
		b.pass(e)
		return
	case p.IsInvisible(e):
		return
	case el.Tag == atom.Br:
		if b.brs++; b.brs >= 2 {
			b.boundary()
		}
		return
	case !inline:
		b.boundary()
	}
	next := el.TextStart
	for d := e + 1; d < el.Sub; d = p.Elements[d].Sub {
		b.texts(next, p.Elements[d].TextStart)
		b.element(d)
		next = p.Elements[d].TextEnd
	}
	b.texts(next, el.TextEnd)
	if !inline {
		b.boundary()
	}
}

func (b *breaker) boundary() { b.last, b.cut, b.brs = page.None, page.None, 0 }

// pass records that e was cut.
func (b *breaker) pass(e page.ElementID) {
	if b.last == page.None || b.cut != page.None {
		return
	}
	start := b.c.p.Elements[e].Outer
	if !start.Known() {
		start = b.c.p.Elements[e].StartTag
	}
	if i, ok := b.c.cutAt(start.Start); ok {
		b.cut, b.cutOf = i, e
	}
}

// cutAt returns the cut that holds offset at.
func (c *cutter) cutAt(at int32) (int, bool) {
	i, found := slices.BinarySearchFunc(c.cuts, at, func(s cutRange, at int32) int { return int(s.Start) - int(at) })
	if !found {
		i--
	}
	return i, i >= 0 && at < c.cuts[i].End
}

func (b *breaker) texts(from, to int32) {
	for i := from; i < to; i++ {
		t := &b.c.p.Texts[i]
		if page.IsBlank(t.Data) {
			continue
		}
		if b.c.gone.Texts[i] {
			if j, ok := b.c.cutAt(t.Span.Start); ok && b.last != page.None && b.cut == page.None {
				b.cut, b.cutOf = j, t.Parent
			}
			continue
		}
		if b.last != page.None && t.Block != b.last && b.cut != page.None {
			b.at[b.cut] = separator(b.c.p, b.cutOf)
		}
		b.last, b.cut, b.brs = t.Block, page.None, 0
	}
}

// separator keeps the texts around the cut element e as separate as before: controls are in a line, other elements
// break it.
func separator(p *page.Page, e page.ElementID) string {
	switch {
	case page.IsControl(p.Elements[e].Tag):
		return " "
	case p.MediaType() == "application/xhtml+xml":
		return "<br/><br/>" // as in XML
	}
	return "<br><br>"
}
