package tunnel

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/metrics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// end is one end of a connection in memory that can be half-closed, for tests of time: a bubble knows no sockets.
type end struct {
	*io.PipeReader
	*io.PipeWriter
}

func (e end) Close() error {
	return errors.Join(e.PipeReader.Close(), e.PipeWriter.Close())
}

func (e end) CloseWrite() error { return e.PipeWriter.Close() }

func pipe() (a, b end) {
	r1, w1 := io.Pipe()
	r2, w2 := io.Pipe()
	return end{r1, w2}, end{r2, w1}
}

// relayed is a tunnel between a client and an origin, of which the test has the far ends.
type relayed struct {
	set            *Set
	client, origin end
	metrics        *metrics.Metrics
	sent           chan int64 // what Relay returned
}

func relay(l limits.Limits) relayed {
	r := relayed{set: NewSet(wire.NewBuffers()), metrics: metrics.New(nil), sent: make(chan int64, 1)}
	var client, origin end
	r.client, client = pipe()
	r.origin, origin = pipe()
	before := r.set.Add(client)
	go func() { r.sent <- r.set.Relay(before, "test", client, origin, l, r.metrics) }()
	return r
}

// closes returns when e was closed from the other side, as time from now on.
func closes(e end) time.Duration {
	start := time.Now()
	_, _ = io.Copy(io.Discard, e)
	return time.Since(start)
}

// Bytes go both ways over real sockets, each direction ends by itself, and both are counted.
func TestRelay(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	connect := func() (near, far *net.TCPConn) {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		return accepted.(*net.TCPConn), c.(*net.TCPConn)
	}
	set, m := NewSet(wire.NewBuffers()), metrics.New(nil)
	client, farClient := connect()
	origin, farOrigin := connect()
	sent := make(chan int64)
	before := set.Add(client)
	go func() { sent <- set.Relay(before, "test", client, origin, limits.Default(), m) }()

	_, _ = io.WriteString(farClient, "question")
	_ = farClient.CloseWrite()
	if got, err := io.ReadAll(farOrigin); string(got) != "question" || err != nil {
		t.Errorf("up came %q, %v", got, err)
	}
	if n := set.Count(); n != 1 || m.Connections.WithLabelValues("tunnel").Value() != 1 {
		t.Errorf("%d tunnels are open", n)
	}
	_, _ = farOrigin.Write(make([]byte, 1<<20)) // after the other direction has ended
	_ = farOrigin.Close()
	if got, err := io.ReadAll(farClient); len(got) != 1<<20 || err != nil {
		t.Errorf("down came %d bytes, %v", len(got), err)
	}
	_ = farClient.Close()
	if n := <-sent; n != 1<<20 {
		t.Errorf("Relay says that it sent %d bytes", n)
	}
	up, down := m.TunnelBytes.WithLabelValues("up").Value(), m.TunnelBytes.WithLabelValues("down").Value()
	if up != 8 || down != 1<<20 || m.Tunnels.WithLabelValues("test").Value() != 1 {
		t.Errorf("counted %v up, %v down", up, down)
	}
	if n := set.Count(); n != 0 || m.Connections.WithLabelValues("tunnel").Value() != 0 {
		t.Errorf("%d tunnels are still open", n)
	}
}

// A tunnel in which nothing moves is closed at both ends, and only then.
func TestIdleTunnelEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := relay(limits.Limits{TunnelIdle: 10 * time.Second, Total: time.Hour})
		for range 5 { // busy in one direction is busy
			time.Sleep(8 * time.Second)
			_, _ = r.origin.Write([]byte("x"))
			_, _ = r.client.Read(make([]byte, 1))
		}
		go func() { _, _ = io.Copy(io.Discard, r.origin) }()
		if after := closes(r.client); after < 10*time.Second || after > 13*time.Second {
			t.Errorf("closed after %v", after)
		}
		if n := <-r.sent; n != 5 {
			t.Errorf("%d bytes were sent", n)
		}
	})
}

// Once one direction has ended, the other may be silent for a minute, however long tunnels may be idle.
func TestHalfClosedTunnelEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := relay(limits.Limits{TunnelIdle: time.Hour, Total: 24 * time.Hour})
		_ = r.client.CloseWrite()
		go func() { _, _ = io.Copy(io.Discard, r.origin) }()
		if after := closes(r.client); after < halfClosed || after > halfClosed*5/4 {
			t.Errorf("closed after %v", after)
		}
		<-r.sent
	})
}

// No tunnel lives longer than Total, busy or not.
func TestOverdueTunnelEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := relay(limits.Limits{TunnelIdle: 10 * time.Second, Total: time.Minute})
		go func() { _, _ = io.Copy(io.Discard, r.client) }()
		start := time.Now()
		for {
			if _, err := r.origin.Write([]byte("x")); err != nil {
				break
			}
			time.Sleep(time.Second)
		}
		if after := time.Since(start); after < time.Minute || after > 62*time.Second {
			t.Errorf("closed after %v", after)
		}
		<-r.sent
	})
}

// whole is a connection that can't be half-closed.
type whole struct{ io.ReadWriteCloser }

// Where an end can't pass on that the other has ended, or does not take what is sent, the whole tunnel ends at once.
func TestTunnelThatCannotGoOn(t *testing.T) {
	for name, broken := range map[string]func(client, origin end) (io.ReadWriteCloser, io.ReadWriteCloser){
		"no half-closing": func(client, origin end) (io.ReadWriteCloser, io.ReadWriteCloser) { return client, whole{origin} },
		"write fails": func(client, origin end) (io.ReadWriteCloser, io.ReadWriteCloser) {
			_ = origin.PipeWriter.Close()
			return client, origin
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				set := NewSet(wire.NewBuffers())
				farClient, nearClient := pipe()
				farOrigin, nearOrigin := pipe()
				client, origin := broken(nearClient, nearOrigin)
				done := make(chan struct{})
				before := set.Add(client)
				start := time.Now()
				go func() {
					set.Relay(before, "test", client, origin, limits.Limits{TunnelIdle: time.Hour, Total: time.Hour}, metrics.New(nil))
					close(done)
				}()
				go func() { _, _ = io.Copy(io.Discard, farOrigin) }()
				_, _ = farClient.Write([]byte("x"))
				_ = farClient.CloseWrite()
				<-done
				if after := time.Since(start); after != 0 {
					t.Errorf("ended after %v", after)
				}
			})
		})
	}
}

// A shutdown ends silent tunnels first, lets busy ones go on for as long as it may, and takes no more.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := relay(limits.Limits{TunnelIdle: time.Hour, Total: time.Hour})
		var silent atomic.Int64
		silentFar, silentNear := pipe()
		waiting := r.set.Add(silentNear)
		start := time.Now()
		go func() {
			_, _ = io.Copy(io.Discard, silentFar)
			silent.Store(int64(time.Since(start)))
			waiting.End()
		}()
		go func() { // busy
			for {
				if _, err := r.origin.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}()
		go func() { _, _ = io.Copy(io.Discard, r.client) }()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		cut := r.set.Drain(ctx, 4*time.Second)
		if after := time.Duration(silent.Load()); after < 4*time.Second || after > 5*time.Second {
			t.Errorf("the silent tunnel ended after %v", after)
		}
		if after := time.Since(start); cut != 1 || after != 30*time.Second || r.set.Count() != 0 || r.set.Context().Err() == nil {
			t.Errorf("%d tunnels were cut after %v, %d are left", cut, after, r.set.Count())
		}
		late, lateNear := pipe()
		if r.set.Add(lateNear) != nil || closes(late) != 0 {
			t.Error("a tunnel was opened after the shutdown")
		}
		if sent := r.set.Relay(waiting, "test", lateNear, lateNear, limits.Limits{}, r.metrics); sent != 0 {
			t.Errorf("it sent %d bytes", sent)
		}
		time.Sleep(2 * time.Second) // until the busy origin has noticed
	})
}

// Drain returns as soon as nothing is open.
func TestDrainOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if cut := NewSet(wire.NewBuffers()).Drain(t.Context(), time.Minute); cut != 0 || time.Since(start) != 0 {
			t.Errorf("%d cut after %v", cut, time.Since(start))
		}
	})
}

// A connection that is released is somebody else's: it is neither tracked nor closed.
func TestRelease(t *testing.T) {
	set := NewSet(wire.NewBuffers())
	far, near := pipe()
	tr := set.Add(near)
	tr.Release()
	tr.End()
	if set.Drain(t.Context(), time.Second) != 0 {
		t.Error("a released connection was cut")
	}
	go func() { _, _ = near.Write([]byte("x")) }()
	if _, err := far.Read(make([]byte, 1)); err != nil {
		t.Errorf("a released connection was closed: %v", err)
	}
}
