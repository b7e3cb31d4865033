package blend

import (
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/benchpages"
)

// judged is a page with the model that marks it.
type judged struct {
	h     *Host
	p     *page.Page
	visit model.Visit
}

// judgedPages returns the last page of each site with a model that has learned the pages before it.
func judgedPages(b *testing.B, sites []benchpages.Site) (pages []judged) {
	d, err := New()
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range sites {
		j := judged{h: d.newHost(model.Key{})}
		for i, src := range s.Pages {
			p, err := page.Parse(src, benchpages.ContentType)
			if err != nil {
				b.Fatal(err)
			}
			j.p, j.visit = p, model.Visit{URL: s.URL(i)}
			if i < len(s.Pages)-1 {
				j.h.Observe(p, j.visit)
			}
		}
		pages = append(pages, j)
	}
	return pages
}

// BenchmarkStages measures marking a page, stage by stage, and learning it. One operation is one page. Marking is
// measured on a host that has learned 30 pages (warm) and on one that has learned none (cold).
func BenchmarkStages(b *testing.B) {
	const learned = 30
	for name, sites := range map[string][]benchpages.Site{
		"made": {benchpages.Made(learned + 1)}, "corpus": benchpages.Corpus(b, 8, learned),
	} {
		pages := judgedPages(b, sites)
		measure := func(stage string, prepare func(j judged) func()) {
			if len(pages) == 0 {
				return
			}
			work := make([]func(), len(pages))
			for i, j := range pages {
				work[i] = prepare(j)
			}
			b.Run(name+"/"+stage, func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					work[i%len(work)]()
					i++
				}
			})
		}
		read := func(j judged) pageReading { return j.h.read(j.p, j.visit) }
		measure("view", func(j judged) func() { return func() { read(j) } })
		measure("features and forest of the page", func(j judged) func() {
			in := &features.Input{Page: read(j).Page}
			return func() { j.h.d.w.Judge(in, nil) }
		})
		measure("forest of the page", func(j judged) func() {
			judged := j.h.d.w.Judge(&features.Input{Page: read(j).Page}, nil)
			return func() { judged.Weights.Page.LogOdds(judged.Comparison) }
		})
		measure("all features and forests", func(j judged) func() {
			page := read(j)
			return func() { j.h.weigh(page, false).Odds() }
		})
		measure("style tree", func(j judged) func() {
			page := read(j)
			return func() { j.h.partners(page, memory.Recall{Memory: j.h.memory}) }
		})
		measure("labels", func(j judged) func() {
			judged := j.h.weigh(read(j), false)
			odds := judged.Odds()
			return func() { judged.Decide(odds) }
		})
		measure("mark warm", func(j judged) func() { return func() { j.h.Mark(j.p, j.visit) } })
		measure("mark cold", func(j judged) func() {
			cold := j.h.d.newHost(model.Key{})
			return func() { cold.Mark(j.p, j.visit) }
		})
		measure("learn", func(j judged) func() { return func() { j.h.d.newHost(model.Key{}).Observe(j.p, j.visit) } })
	}
}
