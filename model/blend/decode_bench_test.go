package blend

import (
	"math"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/benchpages"
)

// BenchmarkDecode reads the encoded model of each site of the corpus, after 30 pages.
//
//	WINNOW_CORPUS=../corpus go test -run - -bench Decode$ -cpu 1 ./model/blend
func BenchmarkDecode(b *testing.B) {
	d, err := New()
	if err != nil {
		b.Fatal(err)
	}
	var models [][]byte
	for _, s := range benchpages.Corpus(b, math.MaxInt, 30) {
		h := d.newHost(model.Key{})
		for i, src := range s.Pages {
			p, err := page.Parse(src, benchpages.ContentType)
			if err != nil {
				b.Fatal(err)
			}
			h.Observe(p, model.Visit{URL: s.URL(i)})
		}
		encoded, err := h.Encode()
		if err != nil {
			b.Fatal(err)
		}
		models = append(models, encoded)
	}
	if len(models) == 0 {
		b.Skip("WINNOW_CORPUS names no corpus")
	}
	for b.Loop() {
		for _, m := range models {
			if _, err := d.Decode(model.Key{}, m); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(models)), "µs/model")
}
