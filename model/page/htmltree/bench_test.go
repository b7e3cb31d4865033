package htmltree

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/page/benchpages"
)

// BenchmarkStages measures what it takes to cut a page into tokens, and to build its tree from them. An operation is
// one page.
func BenchmarkStages(b *testing.B) {
	for name, sites := range map[string][]benchpages.Site{"made": {benchpages.Made(1)}, "corpus": benchpages.Corpus(b, 8, 0)} {
		var pages []string
		for _, s := range sites {
			pages = append(pages, string(s.Pages[0]))
		}
		measure := func(stage string, do func(src string)) {
			if len(pages) == 0 {
				return
			}
			b.Run(name+"/"+stage, func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					do(pages[i%len(pages)])
					i++
				}
			})
		}
		var s scanner
		measure("scan", func(src string) {
			var t token
			for s.reset(src); t.kind != endOfPage || s.pos < len(src); {
				s.next(&t)
			}
		})
		measure("scan and tree", func(src string) {
			if err := Parse(src, nil, func(*Tree) error { return nil }); err != nil {
				b.Fatal(err)
			}
		})
	}
}
