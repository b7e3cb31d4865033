package purify

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// nodes are the paragraphs and tables of one page.
type nodes struct {
	// contents are the keyed hashes of the text and pictures of a node, without those of nodes inside it. Nodes without
	// content have none.
	contents []uint64
	// of is, for each element, the index in contents of the innermost node around it, or none.
	of []int32
}

// none stands for "in no node".
const none = -1

// findNodes finds the nodes of the page.
func findNodes(p *page.Page, hash model.Hasher) nodes {
	f := finder{p: p, content: make([][]byte, len(p.Elements)), around: innermost(p)}
	f.texts()
	f.pictures()
	found := nodes{of: make([]int32, len(p.Elements))}
	index := make([]int32, len(p.Elements))
	for e, content := range f.content {
		index[e] = none
		if len(content) > 0 {
			index[e] = int32(len(found.contents))
			found.contents = append(found.contents, hash.Bytes(content))
		}
	}
	for e, n := range f.around {
		found.of[e] = none
		if n != page.None {
			found.of[e] = index[n]
		}
	}
	return found
}

// innermost returns for each element the innermost P or TABLE around it, or the element itself.
func innermost(p *page.Page) []page.ElementID {
	around := make([]page.ElementID, len(p.Elements))
	for e := range p.Elements {
		el := &p.Elements[e]
		switch {
		case el.Tag == atom.P || el.Tag == atom.Table:
			around[e] = page.ElementID(e)
		case el.Parent != page.None:
			around[e] = around[el.Parent]
		default:
			around[e] = page.None
		}
	}
	return around
}

// finder collects the content of nodes by element.
type finder struct {
	p       *page.Page
	around  []page.ElementID
	content [][]byte
}

func (f *finder) texts() {
	for b := range f.p.Blocks {
		if n := f.around[f.p.Blocks[b].Element]; n != page.None {
			f.content[n] = append(f.p.BlockText(f.content[n], page.BlockID(b)), '\n')
		}
	}
}

func (f *finder) pictures() {
	for e := range f.p.Elements {
		n := f.around[e]
		if f.p.Elements[e].Tag != atom.Img || n == page.None {
			continue
		}
		if src, ok := f.p.Attr(page.ElementID(e), "src"); ok {
			f.content[n] = append(append(append(f.content[n], "\x00img "...), src...), '\n')
		}
	}
}
