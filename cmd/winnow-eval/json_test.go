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

// So do they read that of winnow-eval fleet --json, measure and replay.
func TestFleetJSONKeepsItsShape(t *testing.T) {
	figures := []string{"source", "increment_bytes", "page_us", "add_us", "sizes[].pages", "sizes[].memory_bytes", "sizes[].encoded_bytes",
		"sizes[].encode_us", "sizes[].decode_us", "sizes[].f1"}
	var want []string
	add := func(path string, names ...string) {
		for _, name := range names {
			want = append(want, path+name)
		}
	}
	add(".figures.", figures...)
	add(".results[].scenario.", strings.Fields(`replicas hosts skew pages rate sticky every_ns delay_ns jitter_ns loss retry_ns held enough settled
		memory_bytes store_after page seed`)...)
	add(".results[].", strings.Fields(`method everywhere.p50 everywhere.p99 reached cold.one cold.shared cold.alone needed needed_alone
		f1_one f1_shared f1_alone in_bytes_per_second out_bytes_per_second total_bytes_per_second cleaning_cores adding_cores
		stored_hosts store_bytes all_models_bytes memory_bytes models_in_memory memory_hits`)...)
	add(".billion_pages.", "core_hours", "dollars_per_core_hour", "dollars")
	add(".replays[].", "replicas", "every", "f1_first", "f1_early", "f1_learned", "sent_bytes")
	got := append(cmdtest.JSONPaths(fleetReport{}), cmdtest.JSONPaths(replayReport{})...)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
