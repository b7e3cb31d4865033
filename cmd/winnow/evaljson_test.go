package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/cmd/internal/cmdtest"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// Programs read the output of winnow eval --json. A field that is removed or renamed breaks them.
func TestEvalJSONKeepsItsShape(t *testing.T) {
	means := "n p r f1 kept removed p1 p2"
	under := func(path, names string) (out []string) {
		for _, name := range strings.Fields(names) {
			out = append(out, path+name)
		}
		return out
	}
	estimate := func(path string) []string { return append(under(path, means), under(path+"spread.", means)...) }
	sites := slices.Concat(
		[]string{".detector"}, estimate(".all."), estimate(".buckets[]."),
		under(".accuracy.", "n right chars"), under(".accuracy_by_class{}.", "n right chars"),
		under(".sites[].", "site class "+means), under(".sites[].accuracy.", "n right chars"), under(".sites[].buckets[].", means),
		under(".sites[].pages[].", "page p r f1 gold kept noise left"), under(".sites[].pages[].chars.", "gold kept noise left"),
		under(".optional{}.", "sites kept"), under(".sites[].optional{}.", "words kept"), under(".sites[].pages[].optional{}.", "words kept"),
		[]string{".sites[].pages[].passed"}, under(".diffs[].", "site page f1 lost[] left[]"))
	singles := slices.Concat([]string{".detector"}, under(".types[].", "type pages f1 p r rouge_l with without p1 p2"),
		under(".types[].chars.", "gold kept noise left"), under(".metadata[].", "field pages given right invented"),
		under(".diffs[].", "site page f1 lost[] left[]"))
	gain := "of measure n arrival first gain"
	history := slices.Concat([]string{".detector"}, under(".corpus[].", gain), under(".buckets[].", gain), under(".hosts[].", gain))
	for _, tt := range []struct {
		name   string
		result any
		want   []string
	}{
		{"sites", evaluate.SiteResult{}, sites}, {"single pages", evaluate.SingleResult{}, singles},
		{"history", evaluate.History{}, history},
	} {
		got := cmdtest.JSONPaths(tt.result)
		slices.Sort(got)
		slices.Sort(tt.want)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
