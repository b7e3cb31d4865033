//go:build unix

package blend

import (
	"syscall"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/benchpages"
)

// learnedModel returns a model that has learned the given pages of a site.
func learnedModel(b *testing.B, d *Detector, s benchpages.Site, from, to int) *Host {
	h := d.newHost(model.Key{})
	for i := from; i < to; i++ {
		p, err := page.Parse(s.Pages[i], benchpages.ContentType)
		if err != nil {
			b.Fatal(err)
		}
		h.Observe(p, model.Visit{URL: s.URL(i)})
	}
	return h
}

// encoded returns the encoding of a model.
func encoded(b *testing.B, h model.Host) []byte {
	out, err := h.Encode()
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// BenchmarkMerge measures what replicas that share their models do besides cleaning: take in one page that another
// replica has learned, or all that it knows, and write down and read a whole model. All models have learned 30 pages.
// One operation is one model; bytes is the length of what travels. cpu-ns/op is processor time, which other work on the
// machine changes less than the time that passes.
func BenchmarkMerge(b *testing.B) {
	const learned = 30
	d, err := New()
	if err != nil {
		b.Fatal(err)
	}
	for name, sites := range map[string][]benchpages.Site{
		"made": {benchpages.Made(2 * learned)}, "corpus": benchpages.Corpus(b, 8, learned+1),
	} {
		var known, one, other [][]byte
		for _, s := range sites {
			known = append(known, encoded(b, learnedModel(b, d, s, 0, learned)))
			one = append(one, encoded(b, learnedModel(b, d, s, learned, learned+1)))
			other = append(other, encoded(b, learnedModel(b, d, s, len(s.Pages)-learned, len(s.Pages))))
		}
		if len(sites) > 0 {
			b.Run(name+"/page", func(b *testing.B) { d.benchmarkMerge(b, known, one) })
			b.Run(name+"/model", func(b *testing.B) { d.benchmarkMerge(b, known, other) })
			b.Run(name+"/decode", func(b *testing.B) { d.benchmarkDecode(b, known) })
			b.Run(name+"/encode", func(b *testing.B) { d.benchmarkEncode(b, known) })
		}
	}
}

func (d *Detector) decoded(b *testing.B, encoded []byte) model.Host {
	h, err := d.Decode(model.Key{}, encoded)
	if err != nil {
		b.Fatal(err)
	}
	return h
}

// benchmarkMerge decodes and merges what travels.
func (d *Detector) benchmarkMerge(b *testing.B, known, travels [][]byte) {
	var into []model.Host
	bytes := 0
	for i := range known {
		into = append(into, d.decoded(b, known[i]))
		bytes += len(travels[i])
	}
	i := 0
	b.ReportAllocs()
	start := cpuTime(b)
	for b.Loop() {
		if err := into[i%len(into)].Merge(d.decoded(b, travels[i%len(into)])); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(bytes)/float64(len(travels)), "bytes")
	used := reportCPU(b, start)
	b.ReportMetric(float64(b.N)/used.Seconds(), "merges/cpu-s")
}

func (d *Detector) benchmarkDecode(b *testing.B, known [][]byte) {
	i := 0
	b.ReportAllocs()
	start := cpuTime(b)
	for b.Loop() {
		d.decoded(b, known[i%len(known)])
		i++
	}
	reportCPU(b, start)
}

func (d *Detector) benchmarkEncode(b *testing.B, known [][]byte) {
	var hosts []model.Host
	for _, k := range known {
		hosts = append(hosts, d.decoded(b, k))
	}
	i, bytes := 0, 0
	b.ReportAllocs()
	start := cpuTime(b)
	for b.Loop() {
		bytes += len(encoded(b, hosts[i%len(hosts)]))
		i++
	}
	reportCPU(b, start)
	b.ReportMetric(float64(bytes)/float64(b.N), "bytes")
}

// cpuTime is the processor time that the process has used, collection of garbage included.
func cpuTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// reportCPU reports the processor time of an operation, and returns that of all.
func reportCPU(b *testing.B, start time.Duration) time.Duration {
	used := cpuTime(b) - start
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N), "cpu-ns/op")
	return used
}
