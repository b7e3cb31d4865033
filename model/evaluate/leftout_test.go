package evaluate

import (
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

func TestBinaryFiles(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want bool
	}{
		"a page":          {"<p>tea", false},
		"a page in GBK":   {"<p>\xb2\xe8", false},
		"ISO-2022-JP":     {"<p>\x1b$B\x43c\x1b(B", false},
		"UTF-16":          {"\xff\xfe<\x00p\x00>\x00", false},
		"an empty file":   {"", false},
		"a picture":       {"\x89PNG\r\n\x1a\n\x00\x00\x00", true},
		"an archive":      {"PK\x03\x04", true},
		"a late null":     {strings.Repeat("a", sniffed) + "\x00", false},
		"an earlier null": {strings.Repeat("a", sniffed-1) + "\x00", true},
	} {
		if got := isBinary([]byte(tc.body)); got != tc.want {
			t.Errorf("%s: binary is %v", name, got)
		}
	}
}

// brittle panics on pages that say so.
type brittle struct{ recorder }

func (b *brittle) New(k model.Key) model.Host { return brittleHost{b.recorder.New(k)} }

type brittleHost struct{ model.Host }

func (h brittleHost) Observe(p *page.Page, v model.Visit) {
	if strings.Contains(string(p.Source), "break learning") {
		panic("learning broke")
	}
}

func (h brittleHost) Mark(p *page.Page, v model.Visit) *page.Marking {
	if strings.Contains(string(p.Source), "break marking") {
		panic("marking broke")
	}
	return h.Host.Mark(p, v)
}

const fivePages = `{"content": "p", "pages": [{"file": "1.html"}, {"file": "2.html"}, {"file": "3.html"}, {"file": "4.html"}, {"file": "5.html"}]}`

// Every page that can't be measured is named with its reason, under every protocol and for every use, and all others
// are measured.
func TestWhatCantBeMeasuredIsLeftOut(t *testing.T) {
	dir := writeSite(t, fivePages, map[string]string{
		"1.html": "<p>one", "2.html": "GIF89a\x00\x01", "3.html": "<p>break marking", "5.html": "<p>five",
	})
	sites, err := LoadSites(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Protocol{Online, Batch, Cold} {
		var mu sync.Mutex
		left := map[string]error{}
		r := &Runner{Detectors: []model.Detector{&brittle{recorder{name: "brittle"}}}, Protocol: p, LeftOut: func(_, page string, err error) {
			mu.Lock()
			defer mu.Unlock()
			left[page] = err
		}}
		res, err := r.Sites(t.Context(), sites)
		if err != nil {
			t.Fatal(err)
		}
		if res[0].All.N != 1 || len(res[0].Sites[0].Pages) != 2 {
			t.Errorf("%s: pages %+v, want the first and the fifth", p, res[0].Sites[0].Pages)
		}
		if len(left) != 3 || !errors.Is(left["2"], ErrNotAPage) || !errors.Is(left["3"], errPanic) || !errors.Is(left["4"], os.ErrNotExist) {
			t.Errorf("%s: left out %v", p, left)
		}
		variants, err := r.Texts(t.Context(), sites)
		if err != nil || len(variants[0].Documents) != 2 || len(variants[1].Documents) != 2 {
			t.Errorf("%s: texts %+v, %v", p, variants, err)
		}
	}
}

func TestPagesThatBreakLearning(t *testing.T) {
	sites, err := LoadSites(writeSite(t, fivePages[:len(`{"content": "p", "pages": [{"file": "1.html"}`)]+"]}", map[string]string{"1.html": "<p>break learning"}))
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[Protocol]int{Online: 1, Batch: 1, Cold: 0} {
		left := 0
		r := &Runner{Detectors: []model.Detector{&brittle{recorder{name: "b"}}}, Protocol: p, LeftOut: func(_, _ string, err error) {
			if left++; !errors.Is(err, errPanic) || !strings.Contains(err.Error(), "not learned") {
				t.Errorf("%s: %v", p, err)
			}
		}}
		if res, err := r.Sites(t.Context(), sites); err != nil || len(res[0].Sites[0].Pages) != 1 || left != want {
			t.Errorf("%s: %d times reported, result %+v, %v", p, left, res, err)
		}
	}
}

func TestTexts(t *testing.T) {
	dir := writeSite(t, `{"content": "main", "class": "tea", "language": "en", "pages": [{"file": "1.html"}, {"file": "2.html", "class": "milk"}]}`, map[string]string{
		"1.html": "<title> Green\n tea </title><nav>menu</nav><main>leaves</main>",
		"2.html": "<meta charset=iso-8859-1><nav>menu</nav><main>caf\xe9 with an application</main><svg><title>no title</title></svg>",
	})
	sites, err := LoadSites(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Detectors: []model.Detector{&recorder{name: "a"}}, Out: filepath.Join(t.TempDir(), "out")}
	variants, err := r.Texts(t.Context(), sites)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range variants {
		for _, d := range v.Documents {
			got = append(got, fmt.Sprint(v.Name, ": ", d.Site, "/", d.Page, " ", d.Class, " ", d.Language, " '", d.Title, "' ", strings.Fields(d.Text)))
		}
	}
	want := []string{
		"a: site-a/1 tea en 'Green tea' [menu leaves]", "a: site-a/2 milk en '' [menu café with an application]",
		"gold: site-a/1 tea en 'Green tea' [leaves]", "gold: site-a/2 milk en '' [café with an application]",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("documents (-want +got):\n%s", d)
	}
	if files := filesBelow(t, r.Out); !slices.Equal(files, []string{"site-a/1.html", "site-a/2.html"}) {
		t.Errorf("files %v", files)
	}
	sites[0].gold = selectors{}
	if variants, err = r.Texts(t.Context(), sites); err != nil || len(variants) != 1 {
		t.Errorf("without gold there is no variant for it: %d, %v", len(variants), err)
	}
}
