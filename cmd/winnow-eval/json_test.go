package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/cmd/internal/cmdtest"
	"github.com/winnow-proxy/winnow/cmd/winnow-eval/fleet"
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

// So do they read that of winnow-eval fleet measure and replay.
func TestFleetJSONKeepsItsShape(t *testing.T) {
	want := strings.Fields(`.source .increment_bytes .page_us .add_us .sizes[].pages .sizes[].memory_bytes .sizes[].encoded_bytes
		.sizes[].encode_us .sizes[].decode_us .sizes[].f1 .replays[].replicas .replays[].every .replays[].f1_first .replays[].f1_early
		.replays[].f1_learned .replays[].sent_bytes`)
	got := append(cmdtest.JSONPaths(fleet.Figures{}), cmdtest.JSONPaths(replayReport{})...)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
