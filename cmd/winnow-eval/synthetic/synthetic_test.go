package synthetic_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/cmd/winnow-eval/mining"
	"github.com/winnow-proxy/winnow/cmd/winnow-eval/synthetic"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

func write(t *testing.T, o synthetic.Options) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "corpus")
	if err := synthetic.Write(dir, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

// files reads all files below dir, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestASeedIsACorpus(t *testing.T) {
	o := synthetic.Options{Seed: 7, Pages: 5}
	one := files(t, write(t, o))
	if len(one) != 10*(5+1) {
		t.Errorf("%d files, want five pages and a site.json for each of ten sites", len(one))
	}
	if d := cmp.Diff(one, files(t, write(t, o))); d != "" {
		t.Errorf("the same seed gave another corpus (-first +second):\n%s", d)
	}
	o.Seed++
	if cmp.Equal(one, files(t, write(t, o))) {
		t.Error("another seed gave the same corpus")
	}
}

func TestCorporaNeverMix(t *testing.T) {
	dir := write(t, synthetic.Options{Pages: 1})
	if err := synthetic.Write(dir, synthetic.Options{Pages: 1}); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a second corpus in the same folder: %v", err)
	}
}

// Every page has content and noise, and every site has pages of each topic.
func TestGold(t *testing.T) {
	const pages = 15
	sites, err := evaluate.LoadSites(write(t, synthetic.Options{Pages: pages}))
	if err != nil {
		t.Fatal(err)
	}
	r := &evaluate.Runner{Detectors: []model.Detector{detectors.Keep{}}}
	results, err := r.Sites(t.Context(), sites)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range results[0].Sites {
		classes := map[string]int{}
		for k := range sites[i].Pages {
			classes[sites[i].ClassOf(k)]++
		}
		for class, n := range classes {
			if n < pages/5 || class == "" || len(classes) != 5 {
				t.Errorf("%s: classes %v", s.Site, classes)
			}
		}
		for _, p := range s.Pages {
			if noise := float64(p.Noise) / float64(p.Noise+p.Gold); p.Gold < 30 || noise < 0.1 || noise > 0.95 {
				t.Errorf("%s/%s: %d tokens of content and %d of noise", s.Site, p.Page, p.Gold, p.Noise)
			}
		}
	}
}

// The corpus must distinguish detectors: the default detector is better than none, and none is perfect.
func TestHardEnough(t *testing.T) {
	sites, err := evaluate.LoadSites(write(t, synthetic.Options{Pages: 6}))
	if err != nil {
		t.Fatal(err)
	}
	blend, err := detectors.ByName(detectors.Default, detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &evaluate.Runner{Detectors: []model.Detector{detectors.Keep{}, blend}}
	results, err := r.Sites(t.Context(), sites)
	if err != nil {
		t.Fatal(err)
	}
	keep, cleaned := results[0].All.F1, results[1].All.F1
	if keep > 0.8 || cleaned < keep+0.1 || cleaned > 0.98 {
		t.Errorf("F1 is %.3f without cleaning and %.3f with: too easy, or too hard", keep, cleaned)
	}
}

// The text of the templates misleads every task, and the text of the content does not.
func TestTasksNeedCleaning(t *testing.T) {
	sites, err := evaluate.LoadSites(write(t, synthetic.Options{Pages: 20}))
	if err != nil {
		t.Fatal(err)
	}
	r := &evaluate.Runner{Detectors: []model.Detector{detectors.Keep{}}, Protocol: evaluate.Cold}
	variants, err := r.Texts(t.Context(), sites)
	if err != nil {
		t.Fatal(err)
	}
	type figures struct{ confounded, cluster, search float64 }
	measure := func(docs []mining.Document) figures {
		c, errC := mining.Classify(t.Context(), docs, 1)
		k, errK := mining.Cluster(t.Context(), docs, 3)
		s, errS := mining.Find(t.Context(), docs)
		if err := errors.Join(errC, errK, errS); err != nil {
			t.Fatal(err)
		}
		return figures{c.Confounded.Mean, k.F.Mean, s.MRR}
	}
	whole, gold := measure(variants[0].Documents), measure(variants[1].Documents)
	if whole.confounded > 0.5 || gold.confounded < 0.9 || gold.cluster < whole.cluster+0.1 || gold.search < whole.search+0.02 {
		t.Errorf("whole pages %+v, their content %+v", whole, gold)
	}
}
