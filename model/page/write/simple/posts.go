package simple

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/facts"
	"github.com/winnow-proxy/winnow/model/page/write/content"
)

// postsOf returns the boxes of the posts of a thread: siblings of one kind, each of which has the name of somebody who
// writes, and text. Entries of a list with their authors are alike.
func postsOf(v *content.View) map[page.ElementID]bool {
	const sentence = 30
	p := v.Page
	ink := make([]int, len(p.Texts)+1) // of what stays, before each text
	for t := range p.Texts {
		ink[t+1] = ink[t]
		if !v.Gone.Texts[t] {
			ink[t+1] += page.Ink(p.Texts[t].Data)
		}
	}
	best, boxes, known := page.ElementID(page.None), map[page.ElementID][]page.ElementID{}, map[page.ElementID]bool{}
	for e := p.Body + 1; e > 0 && int(e) < len(p.Elements); e++ {
		if !v.Alive[e] || !facts.NamesOf(p, e).IsWriter() {
			continue
		}
		for box := e; box > p.Body && !known[box]; box = p.Elements[box].Parent {
			known[box] = true
			el := &p.Elements[box]
			if !isBox(el.Tag) || ink[el.TextEnd]-ink[el.TextStart] < sentence {
				continue
			}
			if boxes[el.Parent] = append(boxes[el.Parent], box); best == page.None || len(boxes[el.Parent]) > len(boxes[best]) {
				best = el.Parent
			}
		}
	}
	if best == page.None || len(boxes[best]) < 2 {
		return nil
	}
	posts := map[page.ElementID]bool{}
	for _, box := range boxes[best] {
		posts[box] = p.Elements[box].Tag == p.Elements[boxes[best][0]].Tag
	}
	return posts
}

// isBox reports whether an element can be around a whole post.
func isBox(tag atom.Atom) bool {
	switch tag {
	case atom.Li, atom.Tr, atom.Td, atom.Tbody, atom.P, atom.Dd, atom.Dt:
		return false
	}
	return !page.IsInline(tag)
}
