package natsstore

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/boltstore"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for something that should happen soon.
const patience = 20 * time.Second

func fleetKey() model.Key { return model.Key{1, 2, 3} }

// newServer starts a server with JetStream on a port of this machine and waits until it is ready.
func newServer(t testing.TB, change func(*server.Options)) *server.Server {
	t.Helper()
	s := startServer(t, change)
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server does not start")
	}
	return s
}

func startServer(t testing.TB, change func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { end(s) })
	return s
}

func end(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// replica is one winnow of a fleet, without its proxy.
type replica struct {
	*cache.Models
	store *Store
	t     testing.TB
}

// settings of a replica. The zero value has defaults for tests.
type settings struct {
	Options
	dir       string
	detector  string
	admission cache.Admission
}

// join starts a replica.
func join(t testing.TB, s settings, servers ...*server.Server) *replica {
	t.Helper()
	if s.detector == "" {
		s.detector = "lines"
	}
	detector, err := detectors.ByName(s.detector, detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	if s.Key == (model.Key{}) {
		s.Key = fleetKey()
	}
	local, err := boltstore.Open(s.dir, boltstore.Options{Detector: detector.Name(), KeyID: s.Key.ID()})
	if err != nil {
		t.Fatal(err)
	}
	s.Local, s.Detector, s.State = local, detector.Name(), filepath.Join(s.dir, "fleet.state")
	for _, one := range servers {
		s.Servers = append(s.Servers, one.ClientURL())
	}
	store, err := Open(s.Options)
	if err != nil {
		t.Fatal(err)
	}
	models, err := cache.New(context.Background(), cache.Options{Detector: detector, Key: s.Key, Store: store, FlushEvery: time.Hour,
		Admission: s.admission})
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{models, store, t}
	t.Cleanup(func() { _ = r.Close(context.Background()) }) // the test may have closed it
	return r
}

// doc is a page of a small site.
func doc(n int) string {
	return fmt.Sprintf("<title>%d</title><body><ul><li><a href=/>Start</a><li><a href=/a>About the people here</a></ul><h1>Page %d</h1>"+
		"<p>On page %d somebody tells story number %d at some length.</p><p>All rights are with those who wrote the stories.</p>", n, n, n, n)
}

func parse(t testing.TB, source string) *page.Page {
	t.Helper()
	p, err := page.Parse([]byte(source), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// visit is a visit to page n of a host.
func visit(host string, n int) model.Visit {
	return model.Visit{URL: fmt.Sprintf("https://%s/%d", host, n), At: time.Unix(1e9+int64(n), 0)}
}

// learn has the replica learn pages of a host.
func (r *replica) learn(host string, pages ...int) {
	r.t.Helper()
	for _, n := range pages {
		if !r.Learn(host, parse(r.t, doc(n)), visit(host, n)) {
			r.t.Fatal("the queue is full")
		}
	}
	if err := r.Drain(context.Background()); err != nil {
		r.t.Fatal(err)
	}
}

// pages returns how many pages of a host the replica knows.
func (r *replica) pages(host string) int {
	info, err := r.Host(context.Background(), host)
	if err != nil {
		return 0
	}
	return info.Pages
}

// await waits until a condition holds.
func await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// awaitPages waits until every replica knows as many pages of host.
func awaitPages(t testing.TB, host string, n int, replicas ...*replica) {
	t.Helper()
	for i, r := range replicas {
		end := time.Now().Add(patience)
		for r.pages(host) != n {
			if time.Now().After(end) {
				t.Fatalf("replica %d knows %d pages of %s, want %d: %+v", i, r.pages(host), host, n, r.store.Sharing())
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
}

// settle waits until the replicas have nothing to send and nothing to apply.
func settle(t testing.TB, replicas ...*replica) {
	t.Helper()
	for range 2 {
		for _, r := range replicas {
			await(t, "the fleet is up to date", func() bool {
				s := r.store.Sharing()
				return s.Connected && s.Unsent == 0 && s.Behind == 0 && r.store.atEnd()
			})
		}
	}
}

// atEnd asks the server whether everything in the stream was applied.
func (s *Store) atEnd() bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	stream, err := s.js.Stream(ctx, s.opt.Stream)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.position >= stream.CachedInfo().State.LastSeq
}

// sameModels checks that the replicas have the same models of a host, apart from what belongs to each.
func sameModels(t testing.TB, host string, replicas ...*replica) {
	t.Helper()
	first := ""
	for i, r := range replicas {
		b, err := r.Snapshot(context.Background(), host)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = string(b)
		} else if string(b) != first {
			t.Errorf("replica %d has another model of %s: %+v", i, host, cache.Describe(b))
		}
	}
}
