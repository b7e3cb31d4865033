package source

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/edit"
)

// Tag adds data-winnow attributes to the marked elements, to the maximal elements of pure content, to the
// elements of parts and to the body. The origin's own such attributes are renamed. All other bytes stay. A run of text
// that no element holds alone can't be tagged and has no label.
func Tag(p *page.Page, m *page.Marking, done <-chan struct{}) (*Output, error) {
	foreign, err := foreignLabels(p)
	if err != nil {
		return nil, fmt.Errorf("tagging: %w", err)
	}
	t := tagger{p: p, tagged: make([]bool, len(p.Elements)), adds: foreign}
	for _, mark := range m.Marks {
		if page.IsDone(done) {
			return nil, page.ErrDone
		}
		if mark.Element != page.None {
			t.tag(mark.Element, "noise", mark.Kind, mark.Score)
		} else {
			t.run(mark)
		}
	}
	t.parts = partKinds(p, m)
	t.content(m)
	t.inner(m)
	t.page(m.PageKind)
	edits := t.edits()
	return output(p, edits, edits.Apply(p.Source), 0)
}

// tagger collects insertions into start tags.
type tagger struct {
	p    *page.Page
	adds []insertion
	// tagged marks the elements that have their label. parts are the kinds of the elements that make up parts.
	tagged []bool
	parts  map[page.ElementID]page.Kind
}

type insertion struct {
	at   int32
	text string
}

// tag labels e, or its contents if the source has no tag for e. Without a verdict it adds only the kind.
func (t *tagger) tag(e page.ElementID, verdict string, kind page.Kind, score float32) {
	s := t.p.Elements[e].StartTag
	if !s.Known() {
		for c := range t.p.Children(e) {
			t.tag(c, verdict, kind, score)
		}
		return
	}
	t.tagged[e] = true
	if verdict != "" {
		verdict = `data-winnow="` + verdict + `" `
	}
	t.add(s, verdict+`data-winnow-kind="`+kind.String()+`" data-winnow-score="`+strconv.FormatFloat(float64(score), 'f', 2, 32)+`"`)
}

// add puts attributes into a start tag, directly after the name: at the end, a slash may belong to an unquoted value,
// and the first of two equal attributes counts.
func (t *tagger) add(s page.Span, attributes string) {
	at := s.Start + int32(nameEnd(t.p.Source[s.Start:s.End]))
	t.adds = append(t.adds, insertion{at, " " + attributes})
}

// nameEnd returns the index after the name in the start tag b.
func nameEnd(b []byte) int {
	return 1 + bytes.IndexAny(b[1:], "/> \t\r\n\f")
}

// page labels the body with the kind of the whole page, if the source has a tag for it.
func (t *tagger) page(kind page.PageKind) {
	if body := t.p.Body; kind != page.PageUnknown && body != page.None && t.p.Elements[body].StartTag.Known() {
		t.add(t.p.Elements[body].StartTag, `data-winnow-page="`+kind.String()+`"`)
	}
}

// run tags the inline elements that lie completely in the blocks of a mark without an element.
func (t *tagger) run(m page.Mark) {
	p := t.p
	for b := m.BlockStart; b < m.BlockEnd; b++ {
		bl := p.Blocks[b]
		last := page.ElementID(page.None)
		for i := bl.TextStart; i < bl.TextEnd; i++ {
			e := p.Texts[i].Parent
			if p.Texts[i].Block == b && e != bl.Element && holdsOnly(p, e, bl) && (last == page.None || !p.Contains(last, e)) {
				t.tag(e, "noise", m.Kind, m.Score)
				last = e
			}
		}
	}
}

// content tags the maximal elements below body that have text and no noise.
func (t *tagger) content(m *page.Marking) {
	p := t.p
	noisy := page.NoisyBefore(m.Verdicts)
	marked := marked(p, m)
	for e := max(p.Body, 0); int(e) < len(p.Elements); {
		el := &p.Elements[e]
		if e == p.Body || el.BlockStart == el.BlockEnd || noisy[el.BlockEnd] != noisy[el.BlockStart] || marked[e] {
			e++
			continue
		}
		t.tag(e, "content", t.parts[e], meanScore(p, m, el.BlockStart, el.BlockEnd)) // KindContent is the zero Kind
		e = el.Sub
	}
}

// marked returns, for each element, whether its subtree has a mark: an element without text can be noise too.
func marked(p *page.Page, m *page.Marking) []bool {
	in := make([]bool, len(p.Elements))
	for _, mark := range m.Marks {
		e := mark.Element
		if e == page.None {
			e = p.Blocks[mark.BlockStart].Element
		}
		for ; e != page.None && !in[e]; e = p.Elements[e].Parent {
			in[e] = true
		}
	}
	return in
}

// meanScore is the mean score of blocks, weighted by their length.
func meanScore(p *page.Page, m *page.Marking, from, to page.BlockID) float32 {
	var sum, weight float32
	for b := from; b < to; b++ {
		n := float32(p.BlockLen(b))
		sum += n * m.Verdicts[b].Score
		weight += n
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}

// edits returns the edits that insert the attributes.
func (t *tagger) edits() edit.Edits {
	sort.SliceStable(t.adds, func(i, j int) bool { return t.adds[i].at < t.adds[j].at })
	edits := make(edit.Edits, len(t.adds))
	for i, a := range t.adds {
		edits[i] = edit.Edit{Start: a.at, End: a.at, Insert: a.text}
	}
	return edits
}
