//go:build full

package blend_test

import (
	"context"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/page"
)

// Three replicas that get the pages of a site at random, and each other's increments two pages late, clean as well from
// page 6 on as one process that gets all of them.
func TestAFleetCleansLikeOneProcess(t *testing.T) {
	dir := filepath.Join(os.Getenv("WINNOW_CORPUS"), "sites")
	if os.Getenv("WINNOW_CORPUS") == "" || testing.Short() {
		t.Skip("corpus absent: set WINNOW_CORPUS to a folder with sites")
	}
	sites, err := evaluate.LoadSites(dir, "dokuwiki-ubucon", "hexo-0cch", "wp-whizzy")
	if err != nil {
		t.Fatal(err)
	}
	one, err := blend.New()
	if err != nil {
		t.Fatal(err)
	}
	r := evaluate.Runner{Detectors: []model.Detector{one, fleet{one}}, Protocol: evaluate.Online}
	results, err := r.Sites(context.Background(), sites)
	if err != nil {
		t.Fatal(err)
	}
	alone, shared := afterFive(results[0]), afterFive(results[1])
	t.Logf("F1 from page 6 on: one process %.4f, three replicas %.4f", alone, shared)
	if shared < alone-.005 {
		t.Errorf("F1 from page 6 on: three replicas %.4f, one process %.4f", shared, alone)
	}
}

// afterFive is the mean over sites of the F1 of the pages from the sixth on.
func afterFive(r evaluate.SiteResult) (mean float64) {
	for _, s := range r.Sites {
		sum, n := 0., 0
		for _, p := range s.Pages[min(5, len(s.Pages)):] {
			if p.Gold > 0 {
				sum, n = sum+p.F1, n+1
			}
		}
		mean += sum / float64(max(n, 1)) / float64(len(r.Sites))
	}
	return mean
}

// fleet makes models that are three replicas.
type fleet struct{ *blend.Detector }

func (fleet) Name() string { return "fleet" }

func (d fleet) New(key model.Key) model.Host {
	h := &fleetHost{d: d, key: key}
	for range 3 {
		h.replicas = append(h.replicas, d.Detector.New(key).(*blend.Host))
	}
	return h
}

// late is the number of pages after which an increment arrives at the other replicas.
const late = 2

type fleetHost struct {
	*blend.Host
	d        fleet
	key      model.Key
	replicas []*blend.Host
	onTheWay []model.Host
}

// at is the replica that a page comes to.
func (h *fleetHost) at(v model.Visit) *blend.Host {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(v.URL))
	return h.replicas[sum.Sum32()%uint32(len(h.replicas))]
}

func (h *fleetHost) Mark(p *page.Page, v model.Visit) *page.Marking { return h.at(v).Mark(p, v) }

func (h *fleetHost) Observe(p *page.Page, v model.Visit) {
	r := h.at(v)
	one := r.Increment(p, v)
	if one == nil {
		return
	}
	b, err := one.Encode()
	if err == nil {
		err = r.Add(one)
	}
	if err != nil {
		panic(err)
	}
	sent, err := h.d.Decode(h.key, b)
	if err != nil {
		panic(err)
	}
	h.onTheWay = append(h.onTheWay, sent)
	if len(h.onTheWay) <= late {
		return
	}
	for _, r := range h.replicas { // also the one that has sent it
		if err := r.Add(h.onTheWay[0]); err != nil {
			panic(err)
		}
	}
	h.onTheWay = h.onTheWay[1:]
}
