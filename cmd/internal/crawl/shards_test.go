package crawl

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// learnAlone learns an archive into a data folder of its own, with the key of another.
func learnAlone(t testing.TB, file, key string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := cache.CopyKey(key, dir); err != nil {
		t.Fatal(err)
	}
	m := open(t, dir)
	defer closed(t, m)
	if _, err := newReader(t, Patient{m, true}, pipeline.LearnAll).Learn(t.Context(), m, dir, file); err != nil {
		t.Fatal(err)
	}
	return dir
}

// gather adds the models of a data folder.
func gather(t testing.TB, to *cache.Models, dir string) {
	t.Helper()
	from := open(t, dir)
	defer closed(t, from)
	hosts, err := from.Hosts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hosts {
		b, err := from.Export(t.Context(), h.Host)
		if err == nil {
			err = to.Import(t.Context(), h.Host, b, true)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// verdicts are what models say about a new page of each host.
func verdicts(t *testing.T, m *cache.Models) map[string][]page.Verdict {
	t.Helper()
	all := map[string][]page.Verdict{}
	for host := range pages(t, m) {
		p, err := page.Parse([]byte(htmlPage(host, 1_000)), "text/html")
		if err != nil {
			t.Fatal(err)
		}
		marking, err := m.Mark(t.Context(), host, p, model.Visit{URL: "http://" + host + "/new"})
		if err != nil {
			t.Fatal(err)
		}
		all[host] = marking.Verdicts
	}
	return all
}

// Archives that are learned side by side, and whose models are put together, teach what one process learns from all of
// them. To put a part's models in twice changes nothing.
func TestShards(t *testing.T) {
	const n, shards = 240, 8
	whole := t.TempDir()
	one := open(t, whole)
	defer closed(t, one)
	if _, err := newReader(t, Patient{one, true}, pipeline.LearnAll).Learn(t.Context(), one, whole, crawled(t, n)); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(whole, "key")
	sum := t.TempDir()
	if err := cache.CopyKey(key, sum); err != nil {
		t.Fatal(err)
	}
	put := open(t, sum)
	defer closed(t, put)
	for part := range shards {
		dir := learnAlone(t, crawledPart(t, n, part, shards), key)
		gather(t, put, dir)
		if part == shards/2 {
			gather(t, put, dir)
		}
	}
	if d := cmp.Diff(pages(t, one), pages(t, put)); d != "" {
		t.Errorf("pages of one process and of shards differ: %s", d)
	}
	// Scores also rest on the newest pages, of which shards have others.
	near := cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 0.01 })
	if d := cmp.Diff(verdicts(t, one), verdicts(t, put), near); d != "" {
		t.Errorf("verdicts of one process and of shards differ: %s", d)
	}
}
