package evaluate

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// recorder is a detector whose hosts record their calls. It keeps everything.
type recorder struct {
	name string
	mu   sync.Mutex
	log  []string
}

func (r *recorder) Name() string             { return r.name }
func (r *recorder) New(model.Key) model.Host { return &recorderHost{rec: r} }
func (r *recorder) note(f string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, fmt.Sprintf(f, args...))
}

func (r *recorder) Decode(model.Key, []byte) (model.Host, error) { return nil, model.ErrFormat }

type recorderHost struct {
	model.Host
	rec *recorder
}

func (h *recorderHost) Observe(_ *page.Page, v model.Visit) {
	h.rec.note("learn %s", strings.TrimPrefix(v.URL, "http://site-a.example/"))
}

func (h *recorderHost) Mark(p *page.Page, _ model.Visit) *page.Marking {
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
	h.rec.note("clean")
	if strings.Contains(string(p.Source), "application") {
		m.Pass = "application"
	}
	return m
}

const twoPages = `{"content": "#c", "pages": [{"file": "1.html", "path": "/one"}, {"file": "2.html", "path": "/two"}, {"file": "3.html", "path": "/three"}]}`

func writeThreePages(t *testing.T) string {
	t.Helper()
	return writeSite(t, twoPages, map[string]string{
		"1.html": `<div id=c>one two three four five</div>`,
		"2.html": `<div id=c>an application of six words here</div><p>noise`,
		"3.html": strings.Repeat("<div>", 600) + `too deep for the parser`,
	})
}

func TestProtocols(t *testing.T) {
	for p, want := range map[Protocol]string{
		Online: "clean, learn one, clean, learn two",
		Batch:  "learn one, learn two, clean, clean",
		Cold:   "clean, clean",
	} {
		sites, err := LoadSites(writeSite(t, twoPages, map[string]string{
			"1.html": "<p id=c>one two three four", "2.html": "<p id=c>two", "3.html": strings.Repeat("<div>", 600),
		}))
		if err != nil {
			t.Fatal(err)
		}
		sites[0].Pages = sites[0].Pages[:2]
		rec := &recorder{name: "rec"}
		if _, err := (&Runner{Detectors: []model.Detector{rec}, Protocol: p}).Sites(t.Context(), sites); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(rec.log, ", "); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
}

func TestPagesThatPassCountUnchanged(t *testing.T) {
	dir := writeThreePages(t)
	// The scorer's parser refuses the third page as well, so its gold can't be known: that is an error of the corpus.
	sites, err := LoadSites(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Detectors: []model.Detector{&recorder{name: "rec"}}}
	if _, err := r.Sites(t.Context(), sites); err == nil || !strings.Contains(err.Error(), "site-a, page 3") {
		t.Errorf("error %v should name the site and the page", err)
	}
	sites[0].Pages = sites[0].Pages[:2]
	res, err := r.Sites(t.Context(), sites)
	if err != nil {
		t.Fatal(err)
	}
	pages := res[0].Sites[0].Pages
	if pages[0].Passed != "" || pages[1].Passed != "application" || pages[1].Left != 1 || pages[1].Kept != 6 {
		t.Errorf("pages %+v", pages)
	}
}

func TestOutputsAndProgress(t *testing.T) {
	sites, err := LoadSites(writeThreePages(t))
	if err != nil {
		t.Fatal(err)
	}
	sites[0].Pages = sites[0].Pages[:2]
	for _, tc := range []struct {
		names []string
		want  []string
	}{
		{[]string{"a"}, []string{"site-a/1.html", "site-a/2.html"}},
		{[]string{"a", "b"}, []string{"a/site-a/1.html", "a/site-a/2.html", "b/site-a/1.html", "b/site-a/2.html"}},
	} {
		var seen []string
		r := &Runner{Out: t.TempDir(), Workers: 1, Progress: func(site, page string) { seen = append(seen, site+" "+page) }}
		for _, n := range tc.names {
			r.Detectors = append(r.Detectors, &recorder{name: n})
		}
		if _, err := r.Sites(t.Context(), sites); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tc.want, filesBelow(t, r.Out)); d != "" {
			t.Errorf("files (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"site-a 1", "site-a 2"}, seen); d != "" {
			t.Errorf("progress (-want +got):\n%s", d)
		}
	}
}

func filesBelow(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

func TestCancel(t *testing.T) {
	sites, err := LoadSites(writeThreePages(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &Runner{Detectors: []model.Detector{&recorder{name: "a"}}, Progress: func(_, _ string) { cancel() }}
	if _, err := r.Sites(ctx, sites); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancelling", err)
	}
}

func writeSingles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for id, p := range map[string][2]string{
		"0001": {`{"type": "article", "text": "One two, three.", "with": ["ONE two", "nine"], "without": ["menu"]}`, `<nav>Menu</nav><p>One two</p>`},
		"0002": {`{"type": "forum", "text": "four five"}`, `<p>four five</p>`},
	} {
		writeFile(t, filepath.Join(dir, "gold", id+".json"), p[0])
		var z strings.Builder
		w := gzip.NewWriter(&z)
		if _, err := w.Write([]byte(p[1])); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "html", id+".html.gz"), z.String())
	}
	return dir
}

func TestSingles(t *testing.T) {
	dir := writeSingles(t)
	if !IsSingles(dir) || IsSingles(filepath.Dir(dir)) {
		t.Error("single pages are known by their folders html and gold")
	}
	pages, err := LoadSingles(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Detectors: []model.Detector{&recorder{name: "a"}}, Out: t.TempDir()}
	res, err := r.Singles(t.Context(), pages)
	if err != nil {
		t.Fatal(err)
	}
	// Page 1: output "menu one two", gold "one two three": P = R = F1 = 2/3; one of two wanted snippets, the unwanted one;
	// 6 of the gold's 11 characters, and all 4 of the noise.
	want := []SingleScore{
		{Type: "article", Pages: 1, P: 2. / 3, R: 2. / 3, F1: 2. / 3, RougeL: 2. / 3, With: 0.5, Without: 1, P1: 6. / 11, Chars: Chars{11, 6, 4, 4}},
		{Type: "forum", Pages: 1, P: 1, R: 1, F1: 1, RougeL: 1, With: 1, Without: 0, P1: 1, P2: 1, Chars: Chars{Gold: 8, Kept: 8}},
		{Type: "ALL", Pages: 2, P: 5. / 6, R: 5. / 6, F1: 5. / 6, RougeL: 5. / 6, With: 0.75, Without: 0.5, P1: 14. / 19, Chars: Chars{19, 14, 4, 4}},
	}
	if d := cmp.Diff(want, res[0].Types, cmp.Comparer(near)); d != "" {
		t.Errorf("scores (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"0001.html", "0002.html"}, filesBelow(t, r.Out)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if _, err := LoadSingles(t.TempDir()); !errors.Is(err, ErrNoCorpus) {
		t.Errorf("empty folder: %v", err)
	}
}

func TestProtocolNames(t *testing.T) {
	for _, p := range []Protocol{Online, Batch, Cold} {
		var q Protocol
		if b, err := p.MarshalText(); err != nil || q.UnmarshalText(b) != nil || q != p {
			t.Errorf("%v reads back as %v", p, q)
		}
	}
	if err := new(Protocol).UnmarshalText([]byte("x")); err == nil || !strings.Contains(err.Error(), "online, batch, cold") {
		t.Errorf("error %v should list the names", err)
	}
	if s := Protocol(9).String(); s != "protocol(9)" {
		t.Error(s)
	}
}
