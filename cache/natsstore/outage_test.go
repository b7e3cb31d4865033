package natsstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnow-proxy/winnow/cache"
)

// Without the server, replicas serve and learn; when it is back, they catch up.
func TestServerLostAndBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newServer(t, func(o *server.Options) { o.StoreDir = dir })
	port := s.Addr().(*net.TCPAddr).Port
	a, b := join(t, settings{}, s), join(t, settings{}, s)
	a.learn("a.example", 1)
	awaitPages(t, "a.example", 1, b)
	end(s)
	await(t, "the loss is known", func() bool { got := a.store.Sharing(); return !got.Connected && got.Error != "" })
	a.learn("a.example", numbers(2, 12)...)
	b.learn("a.example", numbers(8, 20)...)
	if _, err := a.Mark(context.Background(), "a.example", parse(t, doc(50)), visit("a.example", 50)); err != nil {
		t.Error(err)
	}
	if got := a.store.Sharing(); got.Unsent < 10 || a.pages("a.example") != 11 {
		t.Errorf("without a server: %d pages, %+v", a.pages("a.example"), got)
	}
	again := newServer(t, func(o *server.Options) { o.StoreDir, o.Port = dir, port })
	awaitPages(t, "a.example", 19, a, b, join(t, settings{}, again))
	settle(t, a, b)
	if got := a.store.Sharing(); got.Error != "" || got.Dropped != 0 {
		t.Errorf("%+v", got)
	}
}

// A server that comes back with an empty disk has a stream whose sequences begin again.
func TestServerBackWithoutItsStream(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	port := s.Addr().(*net.TCPAddr).Port
	quick := settings{Options: Options{compactBytes: 1}}
	a, b := join(t, quick, s), join(t, quick, s)
	a.learn("a.example", numbers(0, 30)...)
	awaitPages(t, "a.example", 30, b)
	end(s)
	again := newServer(t, func(o *server.Options) { o.Port = port })
	b.learn("a.example", numbers(30, 45)...)
	awaitPages(t, "a.example", 45, a, b, join(t, settings{}, again))
}

// What a replica could not send survives its end, and its crash after a save.
func TestUnsentChangesSurvive(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	port := s.Addr().(*net.TCPAddr).Port
	end(s)
	dir, crashed := t.TempDir(), t.TempDir()
	a := join(t, settings{dir: dir}, s)
	a.learn("a.example", 1, 2, 3)
	if err := a.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(crashed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	a.learn("a.example", 4)
	if err := a.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	again := newServer(t, func(o *server.Options) { o.Port = port })
	b := join(t, settings{}, again)
	awaitPages(t, "a.example", 3, b, join(t, settings{dir: crashed}, again))
	awaitPages(t, "a.example", 4, b, join(t, settings{dir: dir}, again))
}

// A bounded queue drops what has no room, and counts it. The replica itself has learned it.
func TestUnsentChangesAreBounded(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	end(s)
	a := join(t, settings{Options: Options{UnsentBytes: 4000}}, s)
	a.learn("a.example", numbers(0, 20)...)
	got := a.store.Sharing()
	if got.Dropped == 0 || got.Unsent == 0 || got.UnsentBytes > 4000 || a.pages("a.example") != 20 {
		t.Errorf("%d pages, %+v", a.pages("a.example"), got)
	}
}

// A full stream takes nothing more. Replicas go on and say so, and catch up when there is room.
func TestFullStream(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newServer(t, nil)
	a, b := join(t, settings{}, s), join(t, settings{}, s)
	a.learn("a.example", 1)
	awaitPages(t, "a.example", 1, b)
	stream, err := a.store.js.Stream(ctx, "winnow")
	if err != nil {
		t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	config.Discard, config.MaxBytes = jetstream.DiscardNew, 4096
	if _, err := a.store.js.UpdateStream(ctx, config); err != nil {
		t.Fatal(err)
	}
	a.learn("a.example", numbers(2, 22)...)
	await(t, "the replica says why", func() bool {
		got := a.store.Sharing().Error
		return strings.Contains(got, "maximum bytes") && strings.Contains(got, "fleet-size")
	})
	if got := a.store.Sharing(); !got.Connected || got.Unsent == 0 || a.pages("a.example") != 21 {
		t.Errorf("%d pages, %+v", a.pages("a.example"), got)
	}
	config.MaxBytes = 1 << 30
	if _, err := a.store.js.UpdateStream(ctx, config); err != nil {
		t.Fatal(err)
	}
	awaitPages(t, "a.example", 21, a, b)
	await(t, "the error is over", func() bool { return a.store.Sharing().Error == "" })
}

// cable is a connection to a server that can be cut.
type cable struct {
	mu   sync.Mutex
	cut  bool
	open []net.Conn
}

func (c *cable) Dial(network, addr string) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return nil, errors.New("the cable is cut")
	}
	conn, err := new(net.Dialer).DialContext(context.Background(), network, addr)
	if err == nil {
		c.open = append(c.open, conn)
	}
	return conn, err
}

func (c *cable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut = cut; cut {
		for _, conn := range c.open {
			_ = conn.Close() // the client notices
		}
		c.open = nil
	}
}

// A replica that was cut off from the server while both sides learned has the same models in the end. Meanwhile the
// others have replaced messages by snapshots.
func TestPartitionHealed(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	var wire cable
	a := join(t, settings{Options: Options{compactBytes: 1}}, s)
	b := join(t, settings{Options: Options{compactBytes: 1, dial: &wire}}, s)
	a.learn("a.example", numbers(0, 5)...)
	awaitPages(t, "a.example", 5, b)
	for round := range 3 {
		wire.set(true)
		a.learn("a.example", numbers(round*100, round*100+25)...)
		b.learn("a.example", numbers(round*100+20, round*100+40)...)
		settle(t, a)
		wire.set(false)
		awaitPages(t, "a.example", 40*(round+1), a, b)
	}
	settle(t, a, b)
	checkSameSums(t, "a.example", a, b)
}

// checkSameSums checks that the models mark a page alike: they may have kept other URLs in mind.
func checkSameSums(t *testing.T, host string, a, b *replica) {
	t.Helper()
	p := parse(t, doc(999))
	one, err := a.Mark(context.Background(), host, p, visit(host, 999))
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.Mark(context.Background(), host, p, visit(host, 999))
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(one.Verdicts) != fmt.Sprint(other.Verdicts) {
		t.Errorf("%v and %v", one.Verdicts, other.Verdicts)
	}
}

// slow is a replica that applies nothing until it is let go.
type slow struct {
	cache.Replica
	gate  chan struct{}
	mu    sync.Mutex
	hosts map[string]int
}

func (r *slow) Apply(ctx context.Context, c cache.Change) error {
	select {
	case <-r.gate:
	case <-ctx.Done():
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hosts[c.Host]++
	return nil
}

// A replica that does not keep up holds few messages in memory and loses none.
func TestSlowReplica(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	a := join(t, settings{}, s)
	settle(t, a)
	options := Options{Local: a.store.Store, Servers: []string{s.ClientURL()}, Key: fleetKey(), Detector: "lines"}
	store, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &slow{gate: make(chan struct{}), hosts: map[string]int{}}
	followed := make(chan struct{})
	go func() { store.Follow(ctx, r); close(followed) }()
	const hosts = 2000
	for n := range hosts { // 20 MB
		a.store.Publish(cache.Change{Kind: cache.Learned, Host: fmt.Sprintf("h%d.example", n), Value: make([]byte, 10_000)})
	}
	await(t, "all is sent", func() bool { return a.store.Sharing().Unsent == 0 })
	await(t, "the replica has fallen behind", func() bool { return store.isReady() })
	close(r.gate)
	await(t, "the replica has caught up", func() bool { return store.Sharing().Applied == hosts && store.Sharing().Behind == 0 })
	for host, n := range r.hosts {
		if n != 1 {
			t.Errorf("%s came %d times", host, n)
		}
	}
	if len(r.hosts) != hosts || a.store.Sharing().Skipped["format"] == 0 { // the values are no models
		t.Errorf("%d hosts, want %d", len(r.hosts), hosts)
	}
	cancel()
	<-followed
	store.stop()
	store.conn.Close()
	store.working.Wait()
}

// A cluster loses the leader of the stream while two replicas learn. Nothing is lost and nothing counts twice.
func TestClusterLosesItsLeader(t *testing.T) {
	t.Parallel()
	servers := newCluster(t)
	a, b := join(t, settings{}, servers...), join(t, settings{}, servers...)
	settle(t, a, b)
	ctx := context.Background()
	stream, err := a.store.js.Stream(ctx, "winnow")
	if err != nil {
		t.Fatal(err)
	}
	if n := stream.CachedInfo().Config.Replicas; n != 3 {
		t.Errorf("the stream is on %d servers, want 3", n)
	}
	leader := stream.CachedInfo().Cluster.Leader
	for n := range 60 {
		a.learn("a.example", n)
		b.learn("a.example", n+30)
		if n == 20 {
			for _, s := range servers {
				if s.Name() == leader {
					end(s)
				}
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	awaitPages(t, "a.example", 90, a, b)
	await(t, "all is sent", func() bool { return a.store.Sharing().Unsent+b.store.Sharing().Unsent == 0 })
	if dropped := a.store.Sharing().Dropped + b.store.Sharing().Dropped; dropped > 0 {
		t.Errorf("%d changes were dropped", dropped)
	}
}

// newCluster starts three servers that know each other and have elected a leader.
func newCluster(t *testing.T) (servers []*server.Server) {
	t.Helper()
	var routes []string
	var held []net.Listener
	for range 3 {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		held, routes = append(held, l), append(routes, "nats://"+l.Addr().String())
	}
	for n, l := range held {
		_ = l.Close() // the server takes the port
		servers = append(servers, startServer(t, func(o *server.Options) {
			o.ServerName = fmt.Sprintf("n%d", n)
			o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port}
			o.Routes = server.RoutesFromStr(strings.Join(routes, ","))
		}))
	}
	await(t, "the cluster has a leader", func() bool {
		for _, s := range servers {
			if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == 3 {
				return true
			}
		}
		return false
	})
	return servers
}
