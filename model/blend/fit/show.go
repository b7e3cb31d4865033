package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/page"
)

// show prints the blocks that weights judge wrongly on the page with the given index of a host, online: "-" lost
// content, "+" kept noise, then the score, the text and the path.
func show(w io.Writer, all []*series, weights, name string, index int) error {
	for _, s := range all {
		if s.name != name {
			continue
		}
		fitted, err := blend.LoadWeights(strings.ReplaceAll(weights, "%s", strconv.Itoa(s.fold)))
		if err != nil {
			return err
		}
		return showPage(w, blend.NewWith(fitted).New(model.Key{}), s, index)
	}
	return fmt.Errorf("there is no host %q", name)
}

func showPage(w io.Writer, h model.Host, s *series, index int) error {
	for i := range s.len() {
		l, err := s.label(i)
		if err != nil {
			return err
		}
		if l == nil {
			continue
		}
		if i == index {
			showBlocks(w, l, h.Mark(l.p, s.visit(i)))
			return nil
		}
		h.Observe(l.p, s.visit(i))
	}
	return fmt.Errorf("%s has no page %d with gold", s.name, index)
}

func showBlocks(w io.Writer, l *labelled, m *page.Marking) {
	if m.Pass != "" {
		fmt.Fprintln(w, "passes:", m.Pass)
	}
	for b, v := range m.Verdicts {
		if l.isUnknown(b) {
			continue
		}
		gold := l.gold[b] > .5
		if gold != v.Noise {
			continue
		}
		sign := "+"
		if gold {
			sign = "-"
		}
		text := []rune(string(l.p.BlockText(nil, page.BlockID(b))))
		fmt.Fprintf(w, "%s %.2f %q  %s\n", sign, v.Score, string(text[:min(len(text), 80)]), path(l.p, l.p.Blocks[b].Element))
	}
}

// path names an element and three around it.
func path(p *page.Page, e page.ElementID) (s string) {
	for range 4 {
		if e == page.None {
			break
		}
		step := p.Elements[e].Name
		if id, _ := p.Attr(e, "id"); id != "" {
			step += "#" + id
		}
		if class, _ := p.Attr(e, "class"); class != "" {
			step += "." + strings.Join(strings.Fields(class), ".")
		}
		s = step[:min(len(step), 40)] + ">" + s
		e = p.Elements[e].Parent
	}
	return s
}
