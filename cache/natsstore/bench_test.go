package natsstore

import (
	"context"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/storetest"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/benchpages"
)

// published is a Shared store that keeps what is published.
type published struct {
	*storetest.Memory
	changes []cache.Change
}

func (p *published) Publish(c cache.Change)                      { p.changes = append(p.changes, c) }
func (p *published) Follow(ctx context.Context, _ cache.Replica) { <-ctx.Done() }
func (p *published) Checkpoint() (saved func(context.Context) error) {
	return func(context.Context) error { return nil }
}
func (p *published) Sharing() cache.Sharing { return cache.Sharing{} }

// BenchmarkApply measures how fast a replica adds what 50 pages have taught another one: opening the message, checking
// and decoding the increment, and adding it to a model that knows 100 pages and is full.
func BenchmarkApply(b *testing.B) {
	detector, err := blend.New()
	if err != nil {
		b.Fatal(err)
	}
	const pages, known = 150, 100
	site := benchpages.Made(pages)
	from, to := &published{Memory: storetest.NewMemory(nil)}, &published{Memory: storetest.NewMemory(nil)}
	learn := func(store *published, n int) *cache.Models {
		m, err := cache.New(b.Context(), cache.Options{Detector: detector, Key: fleetKey(), Store: store})
		if err != nil {
			b.Fatal(err)
		}
		for i := range n {
			p, err := page.Parse(site.Pages[i], "text/html; charset=utf-8")
			if err != nil {
				b.Fatal(err)
			}
			m.Learn(site.Name, p, model.Visit{URL: site.URL(i)})
			if err := m.Drain(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		b.Cleanup(func() { _ = m.Close(context.Background()) })
		return m
	}
	learn(from, pages)
	codec := newTestCodec(b, fleetKey())
	var messages [][]byte
	size := 0
	for _, c := range from.changes[known:] {
		messages = append(messages, codec.seal(message{kind: c.Kind, counter: uint64(len(messages) + 1), host: c.Host, value: c.Value}))
		size += len(messages[len(messages)-1])
	}
	m := learn(to, known)
	before, err := m.Snapshot(b.Context(), site.Name)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if n == len(messages) { // they are known now
			b.StopTimer()
			if err := m.Apply(b.Context(), cache.Change{Kind: cache.Replaced, Host: site.Name, Value: before}); err != nil {
				b.Fatal(err)
			}
			n = 0
			b.StartTimer()
		}
		got, err := codec.open(codec.subject(site.Name), messages[n])
		if err == nil {
			err = m.Apply(b.Context(), cache.Change{Kind: got.kind, Host: got.host, Value: got.value})
		}
		if err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(size)/float64(len(messages)), "B/message")
}
