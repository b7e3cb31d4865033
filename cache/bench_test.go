package cache

import (
	"context"
	"fmt"
	"testing"

	"github.com/winnow-proxy/winnow/model"
)

// BenchmarkMark measures what Models adds to the detector's own work per request.
func BenchmarkMark(b *testing.B) {
	m := newModels(b, Options{})
	hosts := make([]string, 200)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("h%d.example", i)
		learn(b, m, hosts[i], "/1")
	}
	p := source("")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if _, err := m.Mark(context.Background(), hosts[i%len(hosts)], p, model.Visit{}); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkFlush measures saving 200 models of 40 pages to a store that costs nothing.
func BenchmarkFlush(b *testing.B) {
	m := newModels(b, Options{Store: newMemStore(), Queue: 1 << 16})
	for i := range 200 {
		learn(b, m, fmt.Sprintf("h%d.example", i), urls(40)...)
	}
	for b.Loop() {
		b.StopTimer()
		for i := range 200 {
			learn(b, m, fmt.Sprintf("h%d.example", i), "/0")
		}
		b.StartTimer()
		must(b, m.Flush(context.Background()))
	}
}
