//go:build full

package blend

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/judge"
)

// TestSettledBlocksOfTheCorpus judges the pages of the corpus in the order of arrival with settled blocks and without.
// At least 999 in 1,000 verdicts must be the same.
func TestSettledBlocksOfTheCorpus(t *testing.T) {
	root := os.Getenv("WINNOW_CORPUS")
	folders, _ := filepath.Glob(filepath.Join(root, "sites", "*"))
	if root == "" || len(folders) == 0 || testing.Short() {
		t.Skip("WINNOW_CORPUS names no corpus")
	}
	w, err := judge.LoadWeights("weights.bin")
	if err != nil {
		t.Fatal(err)
	}
	d := NewWith(w)
	var all model.Settled
	blocks, others := 0, 0
	for _, folder := range folders {
		whole, reusing := d.newHost(model.Key{}), d.newHost(model.Key{})
		files, _ := filepath.Glob(filepath.Join(folder, "pages", "*.html"))
		for i, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			visit := model.Visit{URL: fmt.Sprintf("http://%s/%04d.html", filepath.Base(folder), i)}
			whole.settled.Forget()
			want, got := arrive(t, whole, src, visit), arrive(t, reusing, src, visit)
			blocks += len(want)
			for b := range want {
				if want[b].Noise != got[b].Noise {
					others++
				}
			}
		}
		count := reusing.Stats().Settled
		all.Reused, all.Agreed, all.Differed = all.Reused+count.Reused, all.Agreed+count.Agreed, all.Differed+count.Differed
	}
	t.Logf("of %d blocks %d were not judged, %d have another verdict; %d compared ones agreed, %d differed", blocks, all.Reused, others,
		all.Agreed, all.Differed)
	if others*1000 > blocks || all.Reused*4 < blocks {
		t.Errorf("%d of %d blocks have another verdict, and %d were not judged; want at most 1 in 1,000, and a quarter", others, blocks, all.Reused)
	}
}
