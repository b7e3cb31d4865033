// Command errs sums up wrong judgements by what the blocks look like.
package main

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/page"
)

func main() {
	dir := flag.String("sites", "", "")
	weights := flag.String("weights", "", "")
	folds := flag.String("folds", "", "")
	flag.Parse()
	sites, err := evaluate.LoadSites(*dir)
	if err != nil { panic(err) }
	foldOf := map[string]string{}
	if b, err := os.ReadFile(*folds); err == nil {
		for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n") { f := strings.Fields(l); foldOf[f[1]] = f[0] }
	}
	mass := map[string]float64{}
	n := 0
	for si, s := range sites {
		if si%3 != 0 && len(sites) > 60 { continue }
		w, err := blend.LoadWeights(strings.ReplaceAll(*weights, "%s", foldOf[s.ID]))
		if err != nil { panic(err) }
		w.Tune(1.5, -.3, .6)
		h := blend.NewWith(w).New(model.Key{})
		seen := map[string]int{}
		for i, pg := range s.Pages {
			src, _ := os.ReadFile(pg.File)
			p, err := page.Parse(src, pg.ContentType)
			if err != nil { continue }
			v := model.Visit{URL: pg.Path}
			in, _ := s.GoldElements(src, pg.ContentType)
			if len(in) != len(p.Elements) { continue }
			if i >= 10 {
				n++
				m := h.Mark(p, v)
				tot := 0.0
				type row struct{ k string; w float64 }
				var rows []row
				for b := range p.Blocks {
					g, k, l := 0, 0, 0
					for _, t := range p.Texts[p.Blocks[b].TextStart:p.Blocks[b].TextEnd] {
						x := 0
						for range page.Words(t.Data) { x++ }
						k += x
						if in[t.Parent] { g += x }
						for e, c := t.Parent, 0; e != page.None && c < 3; e, c = p.Elements[e].Parent, c+1 { if p.Elements[e].Name == "a" { l += x; break } }
					}
					gold := g*2 > k
					if gold { tot += float64(g) }
					if gold == m.Verdicts[b].Noise {
						t := string(p.BlockText(nil, page.BlockID(b)))
						key := "KEPT-NOISE"
						if gold { key = "LOST-CONT " }
						if seen[t] > 0 { key += " recurring" } else { key += " fresh    " }
						if l*2 > k { key += " links" } else { key += " plain" }
						if k <= 5 { key += " short" } else if k < 20 { key += " mid" } else { key += " long" }
						rows = append(rows, row{key, float64(k)})
					}
				}
				for _, r := range rows { mass[r.k] += min(r.w/max(tot, 20), 1) / float64(len(s.Pages)-10) }
			}
			for b := range p.Blocks { seen[string(p.BlockText(nil, page.BlockID(b)))]++ }
			h.Observe(p, v)
		}
	}
	var ks []string
	for k := range mass { ks = append(ks, k) }
	sort.Slice(ks, func(a, b int) bool { return mass[ks[a]] > mass[ks[b]] })
	for _, k := range ks { fmt.Printf("%-40s %.3f\n", k, mass[k]) }
}
