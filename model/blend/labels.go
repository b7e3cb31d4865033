package blend

import (
	"strings"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// A labelled value ("Publisher: Northern Lights") is a fact of the page if the label recurs from page to page and the
// value is new on each, although its shape recurs and its digits are masked.

// labelled is what is known about a block with a label and a value.
type labelled struct {
	// kind says how the label is marked: 0 not at all, 1 by a colon, 2 by bold print, 3 by the cell before.
	kind uint8
	// words are those of the label, value those of the value.
	words, value int32
	// label and text are the hashes of label and value.
	label, text uint64
}

// A label has at most maxLabel words, a value maxValue.
const (
	maxLabel = 5
	maxValue = 25
	// maxLabelBytes is the greatest position of the colon after a label.
	maxLabelBytes = 40
)

// readLabel finds the label of block i.
func (v *view) readLabel(i int) labelled {
	folded := v.texts[i].folded
	if at := int(v.blocks[i].colon); at > 0 {
		_, width := utf8.DecodeRuneInString(folded[at:])
		if l, ok := v.newLabel(1, folded[:at], folded[at+width:]); ok {
			return l
		}
	}
	if bold, rest := v.boldStart(i); bold != "" {
		if l, ok := v.newLabel(2, bold, rest); ok {
			return l
		}
	}
	return v.cellLabel(i)
}

// colonIn returns the position of the colon after the label that a text may begin with, or 0.
func colonIn(folded string) int {
	at := strings.IndexAny(folded[:min(len(folded), maxLabelBytes+utf8.UTFMax)], ":：")
	if at < 0 || at > maxLabelBytes {
		return 0
	}
	return at
}

func (v *view) newLabel(kind uint8, label, value string) (l labelled, ok bool) {
	label, value = strings.TrimSpace(label), strings.TrimSpace(value)
	l = labelled{kind: kind, words: countWords(label), value: countWords(value)}
	if l.words == 0 || l.words > maxLabel || l.value == 0 || l.value > maxValue {
		return labelled{}, false
	}
	l.label, l.text = v.hash.String(label), v.hash.String(value)
	return l, true
}

func countWords(s string) (n int32) {
	for range page.Words(s) {
		n++
	}
	return n
}

// boldStart splits a block after its first text if that is in bold print or the like and the rest is not.
func (v *view) boldStart(i int) (bold, rest string) {
	bl := v.p.Blocks[i]
	for t := bl.TextStart; t < bl.TextEnd; t++ {
		text := &v.p.Texts[t]
		if text.Block != page.BlockID(i) {
			continue
		}
		if bold == "" {
			if strings.TrimSpace(text.Data) == "" {
				continue
			}
			switch v.p.Elements[text.Parent].Tag {
			case atom.B, atom.Strong, atom.Label, atom.Em:
				bold = strings.ToLower(text.Data)
				continue
			}
			return "", ""
		}
		if len(rest) < 400 {
			rest += strings.ToLower(text.Data)
		}
	}
	return bold, rest
}

// cellLabel uses the block before as the label if it fills the cell before the block's own.
func (v *view) cellLabel(i int) labelled {
	if i == 0 {
		return labelled{}
	}
	cell := v.cellOf(v.blocks[i].home)
	before := v.blocks[i-1].home
	label := v.cellOf(before)
	if cell == page.None || label == page.None || v.p.Elements[label].Sub != cell || v.p.Elements[label].Tag == atom.Dd ||
		v.elems[label].blocks > 1 {
		return labelled{}
	}
	l, _ := v.newLabel(3, v.texts[i-1].folded, v.texts[i].folded)
	return l
}

// cellOf returns the cell or definition around e, at most two elements up, or None.
func (v *view) cellOf(e page.ElementID) page.ElementID {
	for range 3 {
		if e <= v.p.Body {
			break
		}
		switch v.p.Elements[e].Tag {
		case atom.Td, atom.Th, atom.Dt, atom.Dd:
			return e
		}
		e = v.p.Elements[e].Parent
	}
	return page.None
}

// countFellows counts for each block the labelled ones among itself and the three blocks on either side.
func (v *view) countFellows() {
	for i := range v.blocks {
		for j := max(0, i-3); j < min(len(v.blocks), i+4); j++ {
			if v.blocks[j].label.kind != 0 {
				v.blocks[i].fellows++
			}
		}
	}
}

func (v *pageInput) labelRow(row []float32, i int) []float32 {
	l := &v.blocks[i].label
	return append(row, float32(l.kind), float32(l.words), float32(l.value), float32(v.blocks[i].fellows), float32(v.blocks[i].labelTwins))
}

// labelRow says how regularly the block's label occurs, how often with a new value, and how often with this value.
func (ev *evidence) labelRow(row []float32, i int) []float32 {
	l := &ev.v.blocks[i].label
	if l.kind == 0 {
		return append(row, 0, 0, -1, 0)
	}
	p := ev.m.place(mix(l.label, saltLabel))
	r := ev.m.rateOf(p.visits, p.age)
	return append(row, r.since, r.count, float32(p.novel)/float32(max(p.finds, 1)), ev.m.rate(mix(mix(l.label, l.text), saltLabel)).count)
}
