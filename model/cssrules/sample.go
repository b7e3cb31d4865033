package cssrules

import "github.com/winnow-proxy/winnow/model/page"

// Label says what a block is.
type Label uint8

// What carries no label in a tagged page is unknown: it weighs nothing.
const (
	Unknown Label = iota
	Content
	Noise
)

// MaxSamples is the most pages of a site that rules are made from: more do not make them better.
const MaxSamples = 30

// Sample is a page, and what each of its blocks is.
type Sample struct {
	Page   *page.Page
	Labels []Label
}

// NewSample returns a page with the verdicts of a marking.
func NewSample(p *page.Page, m *page.Marking) Sample {
	s := Sample{Page: p, Labels: make([]Label, len(p.Blocks))}
	for b, v := range m.Verdicts {
		s.Labels[b] = Content
		if v.Noise {
			s.Labels[b] = Noise
		}
	}
	return s
}

// TaggedSample returns a page that was written in mode tag.
func TaggedSample(p *page.Page) Sample {
	s := Sample{Page: p, Labels: make([]Label, len(p.Blocks))}
	labels := make([]Label, len(p.Elements))
	for e := range p.Elements {
		if up := p.Elements[e].Parent; up != page.None {
			labels[e] = labels[up]
		}
		switch v, _ := p.Attr(page.ElementID(e), "data-winnow"); v {
		case "noise":
			labels[e] = Noise
		case "content":
			labels[e] = Content
		}
	}
	for b := range p.Blocks {
		s.Labels[b] = labels[p.Blocks[b].Element]
	}
	return s
}
