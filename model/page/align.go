package page

import (
	"bytes"
	"strings"
)

// alignSource turns the spans, which are ranges of the UTF-8 text so far, into ranges of Source.
//
// Every span starts or ends at a "<", after a ">", or at an end of the page, and in the encodings of the web these two
// bytes mean themselves (GBK, Shift_JIS, Big5 and EUC trail bytes avoid them). So the k-th of either in the text is
// the k-th in the source. Where the counts differ (UTF-16, ISO-2022-JP, broken sequences) the UTF-8 text becomes the
// source, and what is written is encoded again.
func (p *Page) alignSource() {
	if len(p.text) == len(p.Source) && (len(p.text) == 0 || &p.text[0] == &p.Source[0]) {
		return
	}
	if strings.HasPrefix(p.Charset, "utf-16") || !angleBracketsAgree(p.text, p.Source) {
		p.origin, p.Source, p.recode = p.Source, p.text, true
		return
	}
	a := newAligner(p.text, p.Source)
	for i := range p.Elements {
		e := &p.Elements[i]
		e.Outer, e.StartTag, e.EndTag = a.span(e.Outer), a.span(e.StartTag), a.at[e.EndTag]
	}
	for i := range p.Texts {
		p.Texts[i].Span = a.span(p.Texts[i].Span)
	}
}

func angleBracketsAgree(a, b []byte) bool {
	return bytes.Count(a, []byte("<")) == bytes.Count(b, []byte("<")) &&
		bytes.Count(a, []byte(">")) == bytes.Count(b, []byte(">"))
}

// aligner maps offsets at angle brackets from text to source.
type aligner struct {
	// at maps the offset of a "<", or the offset after a ">".
	at map[int32]int32
}

func newAligner(text, source []byte) aligner {
	a := aligner{at: map[int32]int32{}}
	for _, c := range []struct {
		mark  byte
		shift int32
	}{{'<', 0}, {'>', 1}} {
		s := 0
		for t, b := range text {
			if b != c.mark {
				continue
			}
			s += bytes.IndexByte(source[s:], c.mark)
			a.set(int32(t)+c.shift, int32(s)+c.shift)
			s++
		}
	}
	a.set(0, 0)
	a.set(int32(len(text)), int32(len(source)))
	return a
}

func (a aligner) set(text, source int32) {
	if _, taken := a.at[text]; !taken {
		a.at[text] = source
	}
}

// span maps both ends; a span with an end at no bracket becomes unknown.
func (a aligner) span(s Span) Span {
	start, ok1 := a.at[s.Start]
	end, ok2 := a.at[s.End]
	if !s.Known() || !ok1 || !ok2 {
		return Span{}
	}
	return Span{start, end}
}
