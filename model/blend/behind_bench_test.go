package blend

import (
	"strconv"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/benchpages"
)

// BenchmarkPagesBehind tells the CPU time of marking and learning a page of a host that has 100 or 10,000 pages behind
// it. It stays the same, because models are bounded. Learning the pages takes half a minute before.
func BenchmarkPagesBehind(b *testing.B) {
	d, err := New()
	if err != nil {
		b.Fatal(err)
	}
	h, site, behind := d.newHost(model.Key{}), benchpages.Made(1), 0
	next := func() (*page.Page, model.Visit) {
		behind++
		p, err := page.Parse(benchpages.MadePage(behind), benchpages.ContentType)
		if err != nil {
			b.Fatal(err)
		}
		return p, model.Visit{URL: site.URL(behind)}
	}
	for _, pages := range []int{100, 10_000} {
		for behind < pages {
			h.Observe(next())
		}
		b.Run(strconv.Itoa(pages), func(b *testing.B) {
			var mark, learn time.Duration
			for b.Loop() {
				p, visit := next()
				started := cpuTime(b)
				h.Mark(p, visit)
				marked := cpuTime(b)
				h.Observe(p, visit) // without the reading of the mark, so that the page is learned, and not left out
				mark, learn = mark+marked-started, learn+cpuTime(b)-marked
			}
			b.ReportMetric(float64(mark.Microseconds())/float64(b.N), "mark-µs/page")
			b.ReportMetric(float64(learn.Microseconds())/float64(b.N), "learn-µs/page")
		})
	}
}
