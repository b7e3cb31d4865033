//go:build full

package evaluate

import (
	"bytes"
	"path/filepath"
	"testing"
)

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
