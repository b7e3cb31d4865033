package batch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// brittle is a detector whose models panic on pages that say so, when they learn or when they mark.
type brittle struct{ model.Detector }

func (brittle) New(model.Key) model.Host { return brittleHost{} }

type brittleHost struct{ model.Host }

func (brittleHost) Observe(p *page.Page, _ model.Visit) {
	if strings.Contains(string(p.Source), "break learning") {
		panic("learning broke")
	}
}

func (brittleHost) Mark(p *page.Page, _ model.Visit) *page.Marking {
	if strings.Contains(string(p.Source), "break marking") {
		panic("marking broke")
	}
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
	if strings.Contains(string(p.Source), "application") {
		m.Pass = "application"
	}
	return m
}

// A bad page does not affect the others.
func TestCleanerContainsBadPages(t *testing.T) {
	var in []saved.Page
	for name, body := range map[string]string{
		"good.html": "<p>good", "learn.html": "<p>break learning", "mark.html": "<p>break marking", "app.html": "<p>an application",
	} {
		in = append(in, saved.Page{Name: name, Rel: name, Data: []byte(body)})
	}
	c := &Cleaner{Detector: brittle{}, Mode: page.ModeRemove, Out: t.TempDir(), Now: time.Now(), Step: func() {}}
	out, err := c.Sites(t.Context(), []saved.Site{{Host: "a.example", Pages: in}})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Left) != 1 || out.Left[0].Name != "mark.html" || !errors.Is(out.Left[0].Err, errPanic) {
		t.Errorf("left out: %v", out.Left)
	}
	if len(out.Notes) != 1 || out.Notes[0] != "app.html: written unchanged: application" {
		t.Errorf("notes: %q", out.Notes)
	}
	for _, name := range []string{"good.html", "learn.html", "app.html"} {
		if _, err := os.Stat(filepath.Join(c.Out, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// keyed notes the keys that models get.
type keyed struct {
	model.Detector
	keys map[model.Key]int
}

func (d keyed) New(k model.Key) model.Host {
	d.keys[k]++
	return d.Detector.New(k)
}

// Two runs over the same pages have the same key, on which hashes depend, and with those the output.
func TestCleanerHasOneKey(t *testing.T) {
	d := keyed{brittle{}, map[model.Key]int{}}
	for range 2 {
		c := &Cleaner{Detector: d, Mode: page.ModeRemove, Out: t.TempDir(), Now: time.Now(), Step: func() {}}
		if _, err := c.Sites(t.Context(), []saved.Site{{Host: "a.example", Pages: []saved.Page{{Name: "a.html", Rel: "a.html", Data: []byte("<p>good")}}}}); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.keys) != 1 {
		t.Errorf("%d keys in two runs", len(d.keys))
	}
}
