package fleet

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnow-proxy/winnow/cmd/winnow-eval/synthetic"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/page"
)

// madeUp returns the default detector and made-up sites.
func madeUp(t *testing.T, pages int, only ...string) (model.Detector, []*evaluate.Site) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "corpus")
	if err := synthetic.Write(dir, synthetic.Options{Pages: pages}); err != nil {
		t.Fatal(err)
	}
	sites, err := evaluate.LoadSites(dir, only...)
	if err != nil {
		t.Fatal(err)
	}
	d, err := detectors.ByName(detectors.Default, detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d, sites
}

// realModels are the models of made-up sites, one for each host, on all replicas.
type realModels struct {
	t        *testing.T
	d        model.Detector
	sites    []*evaluate.Site
	next     []int // page of each site
	replicas [][]model.Host
	bytes    int // of all increments, for each receiver
}

func newRealModels(t *testing.T, d model.Detector, sites []*evaluate.Site, replicas int) *realModels {
	r := &realModels{t: t, d: d, sites: sites, next: make([]int, len(sites))}
	for range replicas {
		var hosts []model.Host
		for range sites {
			hosts = append(hosts, d.New(model.Key{}))
		}
		r.replicas = append(r.replicas, hosts)
	}
	return r
}

func (r *realModels) learn(replica, host int) any {
	s, i := r.sites[host], r.next[host]
	r.next[host]++
	src, err := os.ReadFile(s.Pages[i%len(s.Pages)].File)
	if err != nil {
		r.t.Fatal(err)
	}
	p, err := page.Parse(src, "")
	if err != nil {
		r.t.Fatal(err)
	}
	v := model.Visit{URL: fmt.Sprintf("http://%s.example/%d", s.ID, i)}
	one, err := learn(r.d, model.Key{}, r.replicas[replica][host], p, v)
	if err != nil || one == nil {
		r.t.Fatalf("page %d of %s taught nothing (%v)", i, s.ID, err)
	}
	return r.encoded(one)
}

func (r *realModels) encoded(h model.Host) []byte {
	b, err := h.Encode()
	if err != nil {
		r.t.Fatal(err)
	}
	return b
}

func (r *realModels) add(replica, host int, increment any) {
	b := increment.([]byte)
	r.bytes += len(b)
	if err := receive(r.d, model.Key{}, r.replicas[replica][host], b); err != nil {
		r.t.Fatal(err)
	}
}

func (r *realModels) pages(replica, host int) int { return r.replicas[replica][host].Stats().Pages }

// What is measured of models of made-up sites is what they come to.
func TestModelsAreMeasured(t *testing.T) {
	d, sites := madeUp(t, lastSize()+1, "syn-docs", "syn-tables")
	f, err := Measure(t.Context(), d, sites, func() {})
	if err != nil {
		t.Fatal(err)
	}
	const pages = 10
	i := slices.IndexFunc(f.Sizes, func(s Size) bool { return s.Pages == pages })
	models := newRealModels(t, d, sites, 1)
	stored, memory := 0.0, 0.0
	for host := range sites {
		for range pages {
			models.learn(0, host)
		}
		h := models.replicas[0][host]
		stored += float64(len(models.encoded(h))) / float64(len(sites))
		memory += float64(h.Stats().Bytes) / float64(len(sites))
	}
	for what, c := range map[string][2]float64{"store": {f.Sizes[i].Encoded, stored}, "memory": {f.Sizes[i].Memory, memory}} {
		if !(math.Abs(c[0]-c[1]) <= .15*c[1]) { // not a number fails, too
			t.Errorf("%s: %.0f measured, %.0f of real models", what, c[0], c[1])
		}
	}
	if f.Page <= 0 || f.Add <= 0 || f.Increment <= 0 {
		t.Errorf("%+v", f)
	}
}

// Replicas that get what the others learn clean as one process that sees all pages: if they get each page at once, up to
// the few blocks whose verdict each process settles for itself, and within .005 if they get them later. Replicas that
// get nothing know less.
func TestReplicasCleanAsOneProcess(t *testing.T) {
	d, sites := madeUp(t, 12, "syn-blog", "syn-docs", "syn-news", "syn-shop")
	setups := []*Replicas{{Detector: d, Replicas: 1}}
	for _, every := range []int{1, 3, 0} {
		setups = append(setups, &Replicas{Detector: d, Replicas: 3, Every: every, Seed: 1})
	}
	replays, err := ReplaySites(t.Context(), setups, sites, func() {})
	if err != nil {
		t.Fatal(err)
	}
	one, atOnce, later, never := replays[0], replays[1], replays[2], replays[3]
	if math.Abs(atOnce.Learned-one.Learned) > .0005 || atOnce.Early != one.Early {
		t.Errorf("with all pages at once %+v, one process %+v", atOnce, one)
	}
	if math.Abs(later.Learned-one.Learned) > .005 {
		t.Errorf("with pages later %+v, one process %+v", later, one)
	}
	if never.Early == one.Early || never.Sent != 0 || atOnce.Sent < 1000 {
		t.Errorf("without sharing %+v, one process %+v", never, one)
	}
}

// Models that have no increments share models of single pages.
func TestModelsWithoutIncrements(t *testing.T) {
	_, sites := madeUp(t, 4, "syn-docs")
	d, err := detectors.ByName("lines", detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := d.New(model.Key{}).(model.Incremental); ok {
		t.Fatal("this detector has increments now: take another one")
	}
	models := newRealModels(t, d, sites, 2)
	for i := range 4 {
		models.add(1-i%2, 0, models.learn(i%2, 0))
	}
	if models.pages(0, 0) != 4 || !bytes.Equal(models.encoded(models.replicas[0][0]), models.encoded(models.replicas[1][0])) {
		t.Errorf("the replicas know %d and %d pages", models.pages(0, 0), models.pages(1, 0))
	}
}
