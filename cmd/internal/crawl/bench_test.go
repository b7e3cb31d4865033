package crawl

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// BenchmarkShards compares what is learned of a corpus side by side, each archive in a data folder of its own, with
// what one process learns of all archives. WINNOW_SHARDS is a folder that winnow-eval archives has written of the sites
// in WINNOW_CORPUS. It reports the mean F1 of both.
func BenchmarkShards(b *testing.B) {
	dir, corpus := os.Getenv("WINNOW_SHARDS"), os.Getenv("WINNOW_CORPUS")
	if dir == "" || corpus == "" {
		b.Skip("WINNOW_SHARDS or WINNOW_CORPUS is not set")
	}
	archives, err := Find(dir)
	if err != nil {
		b.Fatal(err)
	}
	sites, err := evaluate.LoadSites(corpus)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		whole := b.TempDir()
		one := open(b, whole)
		for _, in := range archives {
			if _, err := newReader(b, Patient{one, true}, pipeline.LearnAll).Learn(b.Context(), one, whole, in.File); err != nil {
				b.Fatal(err)
			}
		}
		key, sum := filepath.Join(whole, "key"), b.TempDir()
		if err := cache.CopyKey(key, sum); err != nil {
			b.Fatal(err)
		}
		put := open(b, sum)
		for _, in := range archives {
			gather(b, put, learnAlone(b, in.File, key))
		}
		r := evaluate.Runner{Detectors: []model.Detector{learnedBy{"one process", one}, learnedBy{"shards", put}}, Protocol: evaluate.Cold}
		results, err := r.Sites(b.Context(), sites)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(results[0].All.F1, "F1-one")
		b.ReportMetric(results[1].All.F1, "F1-shards")
		b.ReportMetric(float64(len(archives)), "shards")
		closed(b, one)
		closed(b, put)
	}
}

// learnedBy is a detector whose hosts are those of models that have learned.
type learnedBy struct {
	name   string
	models *cache.Models
}

func (d learnedBy) Name() string                                 { return d.name }
func (d learnedBy) New(model.Key) model.Host                     { return learnedHost{models: d.models} }
func (d learnedBy) Decode(model.Key, []byte) (model.Host, error) { return nil, model.ErrFormat }

// learnedHost marks pages of any host.
type learnedHost struct {
	model.Host
	models *cache.Models
}

// Mark implements model.Host.
func (h learnedHost) Mark(p *page.Page, v model.Visit) *page.Marking {
	u, err := url.Parse(v.URL)
	if err != nil {
		panic(err)
	}
	m, err := h.models.Mark(context.Background(), u.Host, p, v)
	if err != nil {
		panic(err)
	}
	return m
}
