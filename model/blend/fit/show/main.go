// Command show lists the blocks of one page that weights judge wrongly.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/page"
)

func main() {
	dir := flag.String("sites", "", "")
	weights := flag.String("weights", "", "")
	site := flag.String("site", "", "")
	at := flag.String("page", "25", "")
	all := flag.Bool("all", false, "")
	price := flag.Float64("price", 1.5, "")
	flag.Parse()
	sites, err := evaluate.LoadSites(*dir, *site)
	if err != nil {
		panic(err)
	}
	w, err := blend.LoadWeights(*weights)
	if err != nil {
		panic(err)
	}
	w.Tune(*price, -.3, .6)
	n, _ := strconv.Atoi(*at)
	s := sites[0]
	h := blend.NewWith(w).New(model.Key{})
	for i, pg := range s.Pages {
		src, _ := os.ReadFile(pg.File)
		p, err := page.Parse(src, pg.ContentType)
		if err != nil {
			continue
		}
		if i == n {
			in, _ := s.GoldElements(src, pg.ContentType)
			m := h.Mark(p, model.Visit{URL: pg.Path})
			fmt.Println(pg.File, pg.Path, "pass:", m.Pass, "pages", m.Pages)
			for b := range p.Blocks {
				g := 0
				k := 0
				for _, t := range p.Texts[p.Blocks[b].TextStart:p.Blocks[b].TextEnd] {
					k += len(strings.Fields(t.Data))
					if in[t.Parent] {
						g += len(strings.Fields(t.Data))
					}
				}
				gold := g*2 > k
				mark := "  "
				if gold && m.Verdicts[b].Noise {
					mark = "-L"
				}
				if !gold && !m.Verdicts[b].Noise {
					mark = "+K"
				}
				if mark == "  " && !*all {
					continue
				}
				t := string(p.BlockText(nil, page.BlockID(b)))
				if len(t) > 90 {
					t = t[:90]
				}
				path := ""
				for e, c := p.Blocks[b].Element, 0; e != page.None && c < 4; e, c = p.Elements[e].Parent, c+1 {
					id, _ := p.Attr(e, "id")
					cl, _ := p.Attr(e, "class")
					x := p.Elements[e].Name
					if id != "" {
						x += "#" + id
					}
					if cl != "" {
						x += "." + strings.ReplaceAll(cl, " ", ".")
					}
					if len(x) > 30 {
						x = x[:30]
					}
					path = x + ">" + path
				}
				fmt.Printf("%s g=%v %.2f %4d %q  %s\n", mark, gold, m.Verdicts[b].Score, b, t, path)
			}
		}
		h.Observe(p, model.Visit{URL: pg.Path})
		if i == n {
			break
		}
	}
}
