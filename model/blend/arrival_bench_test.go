package blend

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/benchpages"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// BenchmarkArrival takes the pages of the corpus in the order of their arrival through parse, mark, write and learn,
// and tells the CPU time of each stage for one page. The first pages of each site are learned and not counted. It logs
// two hashes: of all that marking and writing gave, and of the encoded models. A change that only saves time leaves
// them as they are.
//
//	WINNOW_CORPUS=../corpus go test -run - -bench Arrival -benchtime 1x -count 5 -cpu 1 ./model/blend
func BenchmarkArrival(b *testing.B) {
	const uncounted, pages = 30, 49
	sites := benchpages.Corpus(b, math.MaxInt, pages)
	d, err := New()
	if err != nil {
		b.Fatal(err)
	}
	var run arrival
	for b.Loop() {
		run = arrival{b: b, results: sha256.New(), models: sha256.New()}
		for i := range sites {
			run.site(d, &sites[i], uncounted)
		}
	}
	if run.counted == 0 {
		b.Skip("WINNOW_CORPUS names no corpus")
	}
	for stage, name := range stages {
		b.ReportMetric(float64(run.spent[stage].Microseconds())/float64(run.counted), name+"-µs/page")
	}
	b.Logf("results %.12x, models %.12x", run.results.Sum(nil), run.models.Sum(nil))
}

//nolint:gochecknoglobals // the names of the stages
var stages = [...]string{"parse", "mark", "write", "learn"}

// arrival is one pass over the pages of sites.
type arrival struct {
	b               *testing.B
	spent           [len(stages)]time.Duration
	counted         int
	results, models hash.Hash
}

func (a *arrival) site(d *Detector, s *benchpages.Site, uncounted int) {
	h := d.newHost(model.Key{})
	for i, src := range s.Pages {
		visit := model.Visit{URL: s.URL(i)}
		spent := [len(stages) + 1]time.Duration{cpuTime(a.b)}
		p, err := page.Parse(src, benchpages.ContentType)
		if err != nil {
			a.b.Fatal(err)
		}
		spent[1] = cpuTime(a.b)
		m := h.Mark(p, visit)
		spent[2] = cpuTime(a.b)
		out, err := write.Page(p, m, page.ModeAuto)
		spent[3] = cpuTime(a.b)
		visit.Reading = m.Reading
		h.Observe(p, visit)
		spent[4] = cpuTime(a.b)
		a.note(m, out, err)
		if i < uncounted {
			continue
		}
		a.counted++
		for stage := range a.spent {
			a.spent[stage] += spent[stage+1] - spent[stage]
		}
	}
	encoded, err := h.Encode()
	if err != nil {
		a.b.Fatal(err)
	}
	a.models.Write(encoded)
}

// note adds what came out for one page to the hash.
func (a *arrival) note(m *page.Marking, out *write.Output, err error) {
	var b []byte
	for _, v := range m.Verdicts {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v.Score))
		if v.Noise {
			b = append(b, 1)
		}
	}
	for _, mark := range m.Marks {
		b = binary.LittleEndian.AppendUint32(b, uint32(mark.Element))
	}
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(m.Confidence))
	a.results.Write(append(b, m.Pass...))
	if err != nil {
		a.results.Write([]byte(err.Error()))
		return
	}
	a.results.Write(out.Body)
}
