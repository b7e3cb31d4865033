package blend

import (
	"syscall"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/benchpages"
)

// shared is what the replicas of a fleet have and send each other for one host, encoded.
type shared struct {
	// known has learned half of the pages, and other the other half.
	known, other []byte
	// pages are the increments by which a model that knows known learns the others.
	pages [][]byte
}

// newShared learns the pages of a site.
func newShared(b *testing.B, d *Detector, s benchpages.Site) (out shared) {
	h, other := d.newHost(model.Key{}), d.newHost(model.Key{})
	for i, src := range s.Pages {
		p, err := page.Parse(src, benchpages.ContentType)
		if err != nil {
			b.Fatal(err)
		}
		visit := model.Visit{URL: s.URL(i)}
		one := h.Increment(p, visit)
		if err := h.Add(one); err != nil {
			b.Fatal(err)
		}
		switch {
		case i < len(s.Pages)/2-1:
		case i == len(s.Pages)/2-1:
			out.known = encoded(b, h)
		default:
			out.pages = append(out.pages, encoded(b, one))
			other.Observe(p, visit)
		}
	}
	out.other = encoded(b, other)
	return out
}

// encoded returns the encoding of a model.
func encoded(b *testing.B, h model.Host) []byte {
	out, err := h.Encode()
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// BenchmarkMerge measures what replicas that share their models do besides cleaning: add a page that another replica
// has learned, merge all that another one knows, and write down and read a whole model. Models have learned 19 pages,
// as many as the sites of the corpus have twice. Decoding what arrives is included. cpu-ns/op is processor time, which
// other work on the machine changes less than the time that passes.
func BenchmarkMerge(b *testing.B) {
	const pages = 38
	d, err := New()
	if err != nil {
		b.Fatal(err)
	}
	for name, sites := range map[string][]benchpages.Site{
		"made": {benchpages.Made(pages)}, "corpus": benchpages.Corpus(b, 8, pages-1),
	} {
		var fleet []shared
		for _, s := range sites {
			fleet = append(fleet, newShared(b, d, s))
		}
		if len(fleet) > 0 {
			b.Run(name, func(b *testing.B) { d.benchmarkShared(b, fleet) })
		}
	}
}

func (d *Detector) benchmarkShared(b *testing.B, fleet []shared) {
	into := make([]*Host, len(fleet))
	b.Run("page", func(b *testing.B) {
		measure(b, func(i int) func() error {
			s, n := &fleet[i%len(fleet)], i/len(fleet)
			if n %= len(s.pages); n == 0 || into[i%len(fleet)] == nil {
				into[i%len(fleet)] = d.decoded(b, s.known)
			}
			return func() error { return into[i%len(fleet)].Add(d.decoded(b, s.pages[n])) }
		})
		b.ReportMetric(meanLength(fleet, func(s *shared) []byte { return s.pages[0] }), "bytes")
	})
	b.Run("model", func(b *testing.B) {
		measure(b, func(i int) func() error {
			s := &fleet[i%len(fleet)]
			h := d.decoded(b, s.known)
			return func() error { return h.Merge(d.decoded(b, s.other)) }
		})
		b.ReportMetric(meanLength(fleet, func(s *shared) []byte { return s.other }), "bytes")
	})
	b.Run("decode", func(b *testing.B) {
		measure(b, func(i int) func() error { return func() error { d.decoded(b, fleet[i%len(fleet)].known); return nil } })
	})
	b.Run("encode", func(b *testing.B) {
		measure(b, func(i int) func() error {
			h := d.decoded(b, fleet[i%len(fleet)].known)
			return func() error { encoded(b, h); return nil }
		})
	})
}

func (d *Detector) decoded(b *testing.B, encoded []byte) *Host {
	h, err := d.Decode(model.Key{}, encoded)
	if err != nil {
		b.Fatal(err)
	}
	return h.(*Host)
}

func meanLength(fleet []shared, of func(*shared) []byte) float64 {
	sum := 0
	for i := range fleet {
		sum += len(of(&fleet[i]))
	}
	return float64(sum) / float64(len(fleet))
}

// measure times what prepare returns, without the preparation.
func measure(b *testing.B, prepare func(i int) func() error) {
	b.ReportAllocs()
	var used time.Duration
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		work := prepare(i)
		b.StartTimer()
		start := cpuTime(b)
		if err := work(); err != nil {
			b.Fatal(err)
		}
		used += cpuTime(b) - start
	}
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(b.N)/used.Seconds(), "op/cpu-s")
}

// cpuTime is the processor time that the process has used, collection of garbage included.
func cpuTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
