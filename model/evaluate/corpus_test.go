package evaluate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
)

// corpusDir returns the measuring corpus, or skips: the project builds and tests without it.
func corpusDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("WINNOW_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("corpus absent: set WINNOW_CORPUS or put it at ../shared/corpus")
	}
	return dir
}

// runScorer runs the corpus's own scorer, which is in the same folder, and returns its output.
func runScorer(t *testing.T, corpus string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", append([]string{"run", "."}, args...)...)
	cmd.Dir = filepath.Join(corpus, "..", "score")
	if _, err := os.Stat(cmd.Dir); err != nil {
		t.Skip("corpus absent: no scorer beside it")
	}
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("scorer: %v\n%s", err, stderr.Bytes())
	}
	return out
}

// crudely removes some of a page, so that figures are neither 0 nor 1: every fourth line.
func crudely(src []byte) []byte {
	lines := bytes.SplitAfter(src, []byte("\n"))
	var out []byte
	for i, l := range lines {
		if i%4 != 3 {
			out = append(out, l...)
		}
	}
	return out
}

// The figures can only be quoted if they are equal to those of the corpus's own scorer.
func TestCorpusScoresEqualTheScorers(t *testing.T) {
	corpus := absolute(t, corpusDir(t))
	ids := []string{"baoziji-zh", "commondreams-views", "sqlite-docs", "w3school-cn"}
	sites, err := LoadSites(filepath.Join(corpus, "sites"), ids...)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	scores := make([]SiteScore, len(sites))
	for i, s := range sites {
		scores[i] = scoreCrudely(t, s, out)
	}
	ours := Summarize(scores)

	small, file := t.TempDir(), filepath.Join(t.TempDir(), "score.json")
	for _, id := range ids {
		if err := os.Symlink(filepath.Join(corpus, "sites", id), filepath.Join(small, id)); err != nil {
			t.Fatal(err)
		}
	}
	runScorer(t, corpus, "-corpus", small, "-outputs", out, "-json", file)
	var theirs scorerFile
	readJSON(t, file, &theirs)

	theirs.Macro.compare(t, "macro", ours.All.Mean)
	if math.Abs(theirs.Macro.F1Std-ours.All.Spread.F1) > 0.1*theirs.Macro.F1Std {
		t.Errorf("spread of F1 %v, the scorer's %v", ours.All.Spread.F1, theirs.Macro.F1Std)
	}
	for i := range scores {
		theirs.Sites[i].compare(t, scores[i].Site, scores[i].Mean)
	}
	for kind, share := range theirs.Kinds {
		if off := math.Abs(share - ours.Optional[kind].Kept); off > 1e-9 {
			t.Errorf("optional %s: %v kept, the scorer says %v", kind, ours.Optional[kind].Kept, share)
		}
	}
	if len(theirs.Kinds) == 0 || len(theirs.Kinds) != len(ours.Optional) {
		t.Errorf("kinds of optional parts: %v, the scorer's %v", ours.Optional, theirs.Kinds)
	}
	for b, name := range BucketNames() {
		theirs.Buckets[b].compare(t, "pages "+name, ours.Buckets[b].Mean)
	}
}

func scoreCrudely(t *testing.T, s *Site, out string) SiteScore {
	t.Helper()
	var pages []PageScore
	for _, p := range s.Pages {
		src, err := os.ReadFile(p.File)
		if err != nil {
			t.Fatal(err)
		}
		ref, err := newReference(src, p.ContentType, s.gold)
		if err != nil {
			t.Fatal(err)
		}
		body := crudely(src)
		sc, err := ref.score(body)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, sc)
		writeFile(t, filepath.Join(out, s.ID, p.ID+".html"), string(body))
	}
	return newSiteScore(s.ID, pages)
}

// scorerFile is what the scorer writes with -json.
type scorerFile struct {
	Macro   scorerRow
	Buckets []scorerRow
	Sites   []scorerRow
	Kinds   map[string]float64
}

type scorerRow struct {
	Site                           string
	Pages                          int
	P, R, F1, Kept, Removed, F1Std float64
}

func (r scorerRow) compare(t *testing.T, name string, ours Mean) {
	t.Helper()
	theirs := Mean{N: r.Pages, P: r.P, R: r.R, F1: r.F1, Kept: r.Kept, Removed: r.Removed}
	off := apply(ours, theirs, func(a, b float64) float64 { return math.Abs(a - b) })
	if ours.N != theirs.N || max(off.P, off.R, off.F1, off.Kept, off.Removed) > 1e-9 {
		t.Errorf("%s: %+v, the scorer says %+v", name, ours, theirs)
	}
}

// formatLikeScorer is the scorer's row of a page type.
func formatLikeScorer(m SingleScore) string {
	return fmt.Sprintf("%-16s %6d %7.4f %7.4f %7.4f %7.1f %9.1f\n", m.Type, m.Pages, m.P, m.R, m.F1, 100*m.With, 100*m.Without)
}

func absolute(t *testing.T, dir string) string {
	t.Helper()
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, string(b))
}

func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

// Fitting finds its labels by element number, so both parsers must number elements in the same way.
func TestCorpusGoldElementsLineUpWithPages(t *testing.T) {
	sites, err := LoadSites(filepath.Join(corpusDir(t), "sites"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sites {
		for _, pg := range s.Pages[:min(3, len(s.Pages))] {
			src, err := os.ReadFile(pg.File)
			if err != nil {
				t.Fatal(err)
			}
			in, err := s.GoldElements(src, pg.ContentType)
			if err != nil {
				t.Fatal(err)
			}
			p, err := page.Parse(src, pg.ContentType)
			if err != nil {
				t.Fatal(err)
			}
			if len(in) != len(p.Elements) {
				t.Errorf("%s/%s: gold for %d elements, the page has %d", s.ID, pg.ID, len(in), len(p.Elements))
			}
		}
	}
}
