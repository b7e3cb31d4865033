package view

import (
	"strings"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// A labelled value ("Publisher: Northern Lights") is a fact of the page if the label recurs from page to page and the
// value is new on each, although its shape recurs and its digits are masked.

// Label is what is known about a block with a label and a value.
type Label struct {
	// Kind says how the label is marked: 0 not at all, 1 by a colon, 2 by bold print, 3 by the cell before.
	Kind uint8
	// Words are those of the label, value those of the value.
	Words, ValueWords int32
	// Key and Value are the hashes of label and value.
	Key, Value uint64
}

// A label has at most maxLabel words, a value maxValue.
const (
	maxLabel = 5
	maxValue = 25
	// maxLabelBytes is the greatest position of the colon after a label.
	maxLabelBytes = 40
)

// readLabel finds the label of block i.
func (v *Page) readLabel(i int) Label {
	folded := v.Texts[i].Folded
	if at := int(v.Blocks[i].colon); at > 0 {
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

func (v *Page) newLabel(kind uint8, label, value string) (l Label, ok bool) {
	label, value = strings.TrimSpace(label), strings.TrimSpace(value)
	l = Label{Kind: kind, Words: CountWords(label), ValueWords: CountWords(value)}
	if l.Words == 0 || l.Words > maxLabel || l.ValueWords == 0 || l.ValueWords > maxValue {
		return Label{}, false
	}
	l.Key, l.Value = v.Hash.String(label), v.Hash.String(value)
	return l, true
}

// CountWords returns the number of words of a text.
func CountWords(s string) (n int32) {
	for range page.Words(s) {
		n++
	}
	return n
}

// boldStart splits a block after its first text if that is in bold print or the like and the rest is not.
func (v *Page) boldStart(i int) (bold, rest string) {
	bl := v.Doc.Blocks[i]
	for t := bl.TextStart; t < bl.TextEnd; t++ {
		text := &v.Doc.Texts[t]
		if text.Block != page.BlockID(i) {
			continue
		}
		if bold == "" {
			if strings.TrimSpace(text.Data) == "" {
				continue
			}
			switch v.Doc.Elements[text.Parent].Tag {
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
func (v *Page) cellLabel(i int) Label {
	if i == 0 {
		return Label{}
	}
	cell := v.cellOf(v.Blocks[i].Home)
	before := v.Blocks[i-1].Home
	label := v.cellOf(before)
	if cell == page.None || label == page.None || v.Doc.Elements[label].Sub != cell || v.Doc.Elements[label].Tag == atom.Dd ||
		v.Elements[label].Blocks > 1 {
		return Label{}
	}
	l, _ := v.newLabel(3, v.Texts[i-1].Folded, v.Texts[i].Folded)
	return l
}

// cellOf returns the cell or definition around e, at most two elements up, or None.
func (v *Page) cellOf(e page.ElementID) page.ElementID {
	for range 3 {
		if e <= v.Doc.Body {
			break
		}
		switch v.Doc.Elements[e].Tag {
		case atom.Td, atom.Th, atom.Dt, atom.Dd:
			return e
		}
		e = v.Doc.Elements[e].Parent
	}
	return page.None
}

// countLabelsNear counts for each block the labelled ones among itself and the three blocks on either side.
func (v *Page) countLabelsNear() {
	for i := range v.Blocks {
		for j := max(0, i-3); j < min(len(v.Blocks), i+4); j++ {
			if v.Blocks[j].Label.Kind != 0 {
				v.Blocks[i].LabelsNear++
			}
		}
	}
}
