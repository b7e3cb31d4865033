package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/benchpages"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
)

// BenchmarkClean measures all that the pipeline does with one response, sockets left out: gzip in, gzip out, mode auto,
// learning in the background. Pages of a warm host have 30 others behind them, those of a cold one none, and again is
// the same page once more. An operation is one page.
func BenchmarkClean(b *testing.B) {
	const learned = 30
	for name, sites := range map[string][]benchpages.Site{
		"made": {benchpages.Made(2*learned + 1)}, "corpus": benchpages.Corpus(b, 8, learned+10),
	} {
		if len(sites) == 0 {
			continue
		}
		b.Run(name+"/warm", func(b *testing.B) { benchmarkClean(b, sites, learned, false) })
		b.Run(name+"/cold", func(b *testing.B) { benchmarkClean(b, sites, 0, false) })
		b.Run(name+"/again", func(b *testing.B) { benchmarkClean(b, sites, learned, true) })
	}
}

// cleaner cleans pages of sites.
type cleaner struct {
	b      *testing.B
	models *cache.Models
	pl     *Pipeline
}

// clean cleans one page, under an address that tells the rounds apart.
func (c *cleaner) clean(s *benchpages.Site, i, round int, coded []byte) {
	resp := &http.Response{StatusCode: 200, Header: header("Content-Type", benchpages.ContentType, "Content-Encoding", "gzip"),
		Body: io.NopCloser(bytes.NewReader(coded)), ContentLength: int64(len(coded))}
	u, err := url.Parse(s.URL(i))
	if err != nil {
		c.b.Fatal(err)
	}
	u.Host = fmt.Sprintf("%s-%d.example", s.Name, round)
	req := &http.Request{Method: http.MethodGet, URL: u, Header: header("Accept-Encoding", "gzip", "Accept", "text/html", "Sec-Fetch-Dest", "document")}
	c.pl.Response(c.pl.Request(req), resp)
	if got := resp.Header.Get("Winnow"); !strings.HasPrefix(got, "cleaned") {
		c.b.Fatalf("Winnow: %s", got)
	}
	_ = resp.Body.Close()
}

// benchmarkClean cleans the pages of each site in turn that come after those which are learned first, or the first of
// them again and again.
func benchmarkClean(b *testing.B, sites []benchpages.Site, learned int, again bool) {
	models := testmodels.New(b)
	pl, err := New(Options{Models: models, Mode: page.ModeAuto, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	c := &cleaner{b, models, pl}
	coded := make([][][]byte, len(sites))
	for i, s := range sites {
		for _, src := range s.Pages {
			coded[i] = append(coded[i], applyCodings(b, src, codingGzip))
		}
	}
	teach := func(round int) {
		b.StopTimer()
		for i := range sites {
			for j := range learned {
				c.clean(&sites[i], j, round, coded[i][j])
			}
		}
		if err := models.Drain(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; {
		teach(n) // of new hosts
		round := n
		for j := learned; j < len(sites[0].Pages) && n < b.N; j++ {
			for i := range sites {
				at := j
				if again {
					at = learned
				}
				c.clean(&sites[i], at, round, coded[i][at])
				n++
			}
			if learned == 0 {
				break
			}
		}
	}
	if err := models.Drain(b.Context()); err != nil {
		b.Fatal(err)
	}
}
