package styletree_test

import (
	"math"
	"slices"
	"testing"

	"golang.org/x/net/html/atom"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// refElem is an element node as the paper writes it down, with everything kept: each style node has the occurrences of
// each feature on each page.
type refElem struct{ styles map[string]*refStyle }

type refStyle struct {
	pages    int
	elems    []*refElem
	features map[string][]float64
}

// refAdd adds the page's element e to E. Only what the generator of pages makes is understood.
func refAdd(E *refElem, p *page.Page, e page.ElementID) {
	seq, kids := "", slices.Collect(p.Children(e))
	for _, c := range kids {
		align, _ := p.Attr(c, "align")
		seq += p.Elements[c].Name + "." + align + " "
	}
	s := E.styles[seq]
	if s == nil {
		s = &refStyle{features: map[string][]float64{}}
		for range kids {
			s.elems = append(s.elems, &refElem{styles: map[string]*refStyle{}})
		}
		E.styles[seq] = s
	}
	s.pages++
	counts := map[string]float64{}
	for _, t := range p.Texts {
		if t.Parent == e && t.Block != page.None {
			for w := range page.Words(t.Data) {
				counts["word "+w]++
			}
		}
	}
	if href, ok := p.Attr(e, "href"); ok {
		counts["link "+href]++
	}
	if src, ok := p.Attr(e, "src"); ok && p.Elements[e].Tag == atom.Img {
		counts["image "+src]++
	}
	for f, c := range counts {
		s.features[f] = append(s.features[f], c)
	}
	for i, c := range kids {
		refAdd(s.elems[i], p, c)
	}
}

func (E *refElem) pages() (m int) {
	for _, s := range E.styles {
		m += s.pages
	}
	return m
}

// compImp is the definition, word for word.
func (E *refElem) compImp() float64 {
	m := float64(E.pages())
	if len(E.styles) == 1 {
		for _, s := range E.styles {
			if len(s.elems) == 0 {
				return s.leafImp()
			}
		}
	}
	node, below := 0.0, 0.0
	for _, s := range E.styles {
		p := float64(s.pages) / m
		node -= p * math.Log(p) / math.Log(m)
		below += p * s.compImp()
	}
	if m == 1 {
		node = 1
	}
	weight := math.Pow(0.9, float64(len(E.styles)))
	return (1-weight)*node + weight*below
}

func (s *refStyle) compImp() float64 {
	sum, k := 0.0, 0.0
	for _, e := range s.elems {
		sum, k = sum+e.compImp(), k+1
	}
	if len(s.features) > 0 || k == 0 {
		sum, k = sum+s.leafImp(), k+1
	}
	return sum / k
}

func (s *refStyle) leafImp() float64 {
	if s.pages == 1 {
		return 1
	}
	if len(s.features) == 0 {
		return 0
	}
	sum := 0.0
	for _, counts := range s.features {
		total := 0.0
		for _, c := range counts {
			total += c
		}
		for _, c := range counts {
			sum -= c / total * math.Log(c/total) / math.Log(float64(s.pages))
		}
	}
	return 1 - sum/float64(len(s.features))
}

// collect gathers the importances of the partners of a page's elements.
func (E *refElem) collect(p *page.Page, e page.ElementID, out map[page.ElementID]float64) {
	out[e] = E.compImp()
	seq, kids := "", slices.Collect(p.Children(e))
	for _, c := range kids {
		align, _ := p.Attr(c, "align")
		seq += p.Elements[c].Name + "." + align + " "
	}
	if s := E.styles[seq]; s != nil {
		for i, c := range kids {
			s.elems[i].collect(p, c, out)
		}
	}
}

// The incremental sums give what the definition gives on all pages at once, for every element of pages that were
// learned and of one that was not.
func TestImportancesFollowTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		generated := bodies(2, 7).Draw(t, "pages")
		tree := learned(t, exact(), generated[1:]...)
		ref := &refElem{styles: map[string]*refStyle{}}
		for _, b := range generated[1:] {
			p := parse(t, b)
			refAdd(ref, p, p.Body)
		}
		for _, b := range generated {
			p := parse(t, b)
			want := map[page.ElementID]float64{}
			ref.collect(p, p.Body, want)
			for e, part := range tree.Partners(p, nil) {
				w, seen := want[page.ElementID(e)]
				if seen != (part.Verdict != styletree.Unseen) {
					t.Fatalf("element %d of %s: seen = %v, verdict %v", e, b, seen, part.Verdict)
				}
				if seen && math.Abs(float64(part.Importance)-w) > 0.01 {
					t.Fatalf("element %d (%s) of %s: importance %v, want %v\n%s", e, p.Elements[e].Name, b, part.Importance,
						w, outline(tree.Root()))
				}
			}
		}
	})
}
