package write_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// minOfWild is the least share of lines of Markdown that is right in each row of the table.
const minOfWild = .95

// What the makers of footnotes, formulas, listings, callouts and so on write, as Markdown.
func TestMarkdownOfTheWild(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "wild", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	var table strings.Builder
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		row := strings.TrimSuffix(filepath.Base(file), ".txtar")
		sum, makers := 0.0, 0
		for i := 0; i+1 < len(archive.Files); i += 2 {
			src, want := archive.Files[i], archive.Files[i+1]
			name := strings.TrimSuffix(src.Name, ".html")
			if want.Name != name+".md" {
				t.Fatalf("%s: %s has no Markdown", file, src.Name)
			}
			got := markdownOf(t, string(src.Data))
			makers++
			sum += sameLines(string(want.Data), got)
			t.Run(row+"/"+name, func(t *testing.T) {
				if diff := cmp.Diff(string(want.Data), got); diff != "" {
					t.Errorf("Markdown (-want +got):\n%s", diff)
				}
			})
		}
		fmt.Fprintf(&table, "%-12s %3d makers  %.3f\n", row, makers, sum/float64(makers))
		if sum < minOfWild*float64(makers) {
			t.Errorf("%s: %.3f of the lines are right, at least %.2f should be", row, sum/float64(makers), minOfWild)
		}
	}
	t.Log("lines of Markdown that are right:\n" + table.String())
}

func markdownOf(t *testing.T, body string) string {
	t.Helper()
	p, err := page.Parse([]byte(`<!DOCTYPE html><html lang="en"><head><title>Peas</title></head><body>`+body+"</body></html>"), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
	out, err := write.Form{Mode: page.ModeMarkdown, URL: "https://garden.example/peas"}.Write(p, m)
	if err != nil {
		t.Fatal(err)
	}
	return string(out.Body)
}

// sameLines is the F1 of the lines of two texts, in any order.
func sameLines(want, got string) float64 {
	lines := map[string]int{}
	wanted, given, same := 0, 0, 0
	for line := range strings.Lines(want) {
		if strings.TrimSpace(line) != "" {
			lines[line]++
			wanted++
		}
	}
	for line := range strings.Lines(got) {
		if strings.TrimSpace(line) != "" {
			given++
			if lines[line] > 0 {
				lines[line]--
				same++
			}
		}
	}
	return 2 * float64(same) / float64(max(wanted+given, 1))
}
