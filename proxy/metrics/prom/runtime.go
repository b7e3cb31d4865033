package prom

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"
)

// Runtime returns the families of the Go runtime, under the names of github.com/prometheus/client_golang, which
// dashboards know. It does not stop the world.
func Runtime() []Family {
	var gc debug.GCStats
	gc.PauseQuantiles = make([]time.Duration, 5)
	debug.ReadGCStats(&gc)
	pauses := Family{Name: "go_gc_duration_seconds", Help: "Pauses of the program for garbage collection.", Type: TypeSummary,
		Samples: []Sample{{Value: gc.PauseTotal.Seconds(), Count: uint64(gc.NumGC)}}}
	for i, q := range gc.PauseQuantiles {
		pauses.Samples[0].Points = append(pauses.Samples[0].Points, Point{float64(i) / 4, q.Seconds()})
	}
	families := []Family{pauses,
		{Name: "go_info", Help: "The version of Go.", Type: TypeGauge, Labels: []string{"version"}, Samples: []Sample{{Values: []string{runtime.Version()}, Value: 1}}},
		Single(TypeGauge, "go_memstats_last_gc_time_seconds", "When garbage was last collected, in seconds since 1970.", float64(gc.LastGC.UnixNano())/1e9)}
	for _, s := range runtimeSums() {
		parts := strings.Split(s.of, " + ")
		samples := make([]metrics.Sample, len(parts))
		for i, name := range parts {
			samples[i].Name = name
		}
		metrics.Read(samples)
		var sum float64
		for _, part := range samples {
			if part.Value.Kind() == metrics.KindUint64 { // another kind is that of a metric that this Go does not have
				sum += float64(part.Value.Uint64())
			}
		}
		families = append(families, Single(s.kind, s.name, s.of+" of Go's runtime/metrics.", sum))
	}
	return families
}

// runtimeSum is a family that is a sum of metrics of the Go runtime.
type runtimeSum struct {
	name string
	kind Type
	of   string
}

func runtimeSums() []runtimeSum {
	return []runtimeSum{
		{"go_gc_gogc_percent", TypeGauge, "/gc/gogc:percent"},
		{"go_gc_gomemlimit_bytes", TypeGauge, "/gc/gomemlimit:bytes"},
		{"go_goroutines", TypeGauge, "/sched/goroutines:goroutines"},
		{"go_sched_gomaxprocs_threads", TypeGauge, "/sched/gomaxprocs:threads"},
		{"go_threads", TypeGauge, "/sched/threads/total:threads"},
		{"go_memstats_alloc_bytes", TypeGauge, "/memory/classes/heap/objects:bytes"},
		{"go_memstats_alloc_bytes_total", TypeCounter, "/gc/heap/allocs:bytes"},
		{"go_memstats_buck_hash_sys_bytes", TypeGauge, "/memory/classes/profiling/buckets:bytes"},
		{"go_memstats_frees_total", TypeCounter, "/gc/heap/frees:objects + /gc/heap/tiny/allocs:objects"},
		{"go_memstats_gc_sys_bytes", TypeGauge, "/memory/classes/metadata/other:bytes"},
		{"go_memstats_heap_alloc_bytes", TypeGauge, "/memory/classes/heap/objects:bytes"},
		{"go_memstats_heap_idle_bytes", TypeGauge, "/memory/classes/heap/released:bytes + /memory/classes/heap/free:bytes"},
		{"go_memstats_heap_inuse_bytes", TypeGauge, "/memory/classes/heap/objects:bytes + /memory/classes/heap/unused:bytes"},
		{"go_memstats_heap_objects", TypeGauge, "/gc/heap/objects:objects"},
		{"go_memstats_heap_released_bytes", TypeGauge, "/memory/classes/heap/released:bytes"},
		{"go_memstats_heap_sys_bytes", TypeGauge, "/memory/classes/heap/objects:bytes + /memory/classes/heap/unused:bytes + " +
			"/memory/classes/heap/released:bytes + /memory/classes/heap/free:bytes"},
		{"go_memstats_mallocs_total", TypeCounter, "/gc/heap/allocs:objects + /gc/heap/tiny/allocs:objects"},
		{"go_memstats_mcache_inuse_bytes", TypeGauge, "/memory/classes/metadata/mcache/inuse:bytes"},
		{"go_memstats_mcache_sys_bytes", TypeGauge, "/memory/classes/metadata/mcache/inuse:bytes + /memory/classes/metadata/mcache/free:bytes"},
		{"go_memstats_mspan_inuse_bytes", TypeGauge, "/memory/classes/metadata/mspan/inuse:bytes"},
		{"go_memstats_mspan_sys_bytes", TypeGauge, "/memory/classes/metadata/mspan/inuse:bytes + /memory/classes/metadata/mspan/free:bytes"},
		{"go_memstats_next_gc_bytes", TypeGauge, "/gc/heap/goal:bytes"},
		{"go_memstats_other_sys_bytes", TypeGauge, "/memory/classes/other:bytes"},
		{"go_memstats_stack_inuse_bytes", TypeGauge, "/memory/classes/heap/stacks:bytes"},
		{"go_memstats_stack_sys_bytes", TypeGauge, "/memory/classes/heap/stacks:bytes + /memory/classes/os-stacks:bytes"},
		{"go_memstats_sys_bytes", TypeGauge, "/memory/classes/total:bytes"},
	}
}
