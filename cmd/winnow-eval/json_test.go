package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/cmd/internal/cmdtest"
)

// Programs read the output of winnow-eval tasks --json. A field that is removed or renamed breaks them.
func TestJSONKeepsItsShape(t *testing.T) {
	under := func(path, names string) (out []string) {
		for _, name := range strings.Fields(names) {
			out = append(out, path+name)
		}
		return out
	}
	figure := "mean spread runs"
	want := slices.Concat([]string{".protocol", ".runs", ".results[].detector"},
		under(".results[].classify.", "pages classes"), under(".results[].classify.plain.", figure),
		under(".results[].classify.confounded.", figure), under(".results[].classify.transfer.", figure),
		under(".results[].cluster.", "pages k"), under(".results[].cluster.f.", figure),
		under(".results[].search.", "pages queries mrr first text_bytes index_bytes"))
	got := cmdtest.JSONPaths(taskReport{})
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
