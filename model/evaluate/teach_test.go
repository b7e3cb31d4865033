package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
)

// taughtCorpus is a site whose pages have a box of promises that no detector can recognise as noise.
func taughtCorpus(t *testing.T) *Site {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	list := ""
	for i := range 8 {
		doc := fmt.Sprintf(`<html><body><main><p>The story with the number %[1]d goes on for quite a while, and tells what nobody has told before.</p>
<div class=promise>The promise with the number %[1]d sounds like a story too, and nobody asked for it in the first place.</div></main></body></html>`, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.html", i)), []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			list += ","
		}
		list += fmt.Sprintf(`{"file":"%d.html"}`, i)
	}
	site := fmt.Sprintf(`{"content":"main","exclude":".promise","pages":[%s]}`, list)
	if err := os.WriteFile(filepath.Join(dir, "site.json"), []byte(site), 0o644); err != nil {
		t.Fatal(err)
	}
	sites, err := LoadSites(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	return sites[0]
}

// One tap corrects the pages after it and none before it.
func TestTeach(t *testing.T) {
	keep, err := detectors.ByName("keep", detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := Runner{Detectors: []model.Detector{keep}, Protocol: Online}
	for taps, want := range map[int]TaughtSite{0: {Pages: 0}, 3: {Taps: []int{1}, Pages: 7, After: 1, Better: 7}} {
		got, err := r.Teach(t.Context(), []*Site{taughtCorpus(t)}, taps)
		if err != nil {
			t.Fatal(err)
		}
		g := got[0]
		if len(g.Taps) != len(want.Taps) || g.Pages != want.Pages || g.After != want.After || g.Better != want.Better || g.Worse != 0 {
			t.Errorf("with %d taps: %+v, want %+v", taps, g, want)
		}
		if taps > 0 && (g.Before > .8 || g.Before < .5) {
			t.Errorf("without taps the F1 is %.2f", g.Before)
		}
	}
}
