//go:build full

package evaluate

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
)

// Rules from the first 20 pages of a site leave of its later pages nearly what winnow leaves, on four sites of five.
func TestTemplateRulesAreNearWinnow(t *testing.T) {
	sites, err := LoadSites(filepath.Join(corpusDir(t), "sites"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := detectors.ByName(detectors.Default, detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := (&Runner{Detectors: []model.Detector{d}}).TemplateRules(context.Background(), sites, 20)
	if err != nil {
		t.Fatal(err)
	}
	hide, hold := 0, 0
	for _, s := range scores {
		if s.Hide >= s.Own-RulesNear {
			hide++
		}
		if s.Hold >= s.Own-RulesNear {
			hold++
		}
	}
	if 5*hide < 4*len(sites) || 5*hold < 4*len(sites) {
		t.Errorf("of %d sites, rules to hide are near on %d and rules to hold on %d", len(sites), hide, hold)
	}
}

func TestCorpusSinglePageScoresEqualTheScorers(t *testing.T) {
	corpus := absolute(t, corpusDir(t))
	all, err := LoadSingles(filepath.Join(corpus, "pages"))
	if err != nil {
		t.Fatal(err)
	}
	// A corpus of its own, of every 25th page, keeps the scorer quick.
	small, out := t.TempDir(), t.TempDir()
	var scores []SingleScore
	for i := 0; i < len(all); i += 25 {
		s := all[i]
		copyFile(t, filepath.Join(corpus, "pages", "gold", s.ID+".json"), filepath.Join(small, "gold", s.ID+".json"))
		src, err := s.Source()
		if err != nil {
			t.Fatal(err)
		}
		body := crudely(src)
		writeFile(t, filepath.Join(out, s.ID+".html"), string(body))
		scores = append(scores, s.score(visibleText(parse(t, string(toUTF8(body, ""))), nil), ""))
	}
	printed := runScorer(t, corpus, "-single", small, "-outputs", out)
	for _, m := range byType(scores) {
		if row := formatLikeScorer(m); !bytes.Contains(printed, []byte(row)) {
			t.Errorf("our row\n%sis not in the scorer's\n%s", row, printed)
		}
	}
}
