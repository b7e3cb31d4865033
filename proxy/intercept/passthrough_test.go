package intercept

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// fakeClock is a clock that tests set.
type fakeClock struct{ at time.Time }

func newFakeClock() *fakeClock { return &fakeClock{time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)} }

func (c *fakeClock) now() time.Time       { return c.at }
func (c *fakeClock) move(d time.Duration) { c.at = c.at.Add(d) }

func newTestPassthroughs(t testing.TB) (*passthroughs, *fakeClock) {
	t.Helper()
	clock := newFakeClock()
	p, err := newPassthroughs(time.Hour, clock.now)
	if err != nil {
		t.Fatal(err)
	}
	return p, clock
}

// One client's refusals are not another's.
func TestRefusalsAreTheClientsOwn(t *testing.T) {
	p, clock := newTestPassthroughs(t)
	a, b := passthroughKey{"10.0.0.1", "curl", "app.test"}, passthroughKey{"10.0.0.2", "curl", "app.test"}
	p.refused(a, refusedByAlert)
	p.refused(b, refusedByAlert)
	clock.move(time.Minute)
	if p.passes(a) || p.passes(b) || !p.refused(a, refusedByAlert) || !p.passes(a) || p.passes(b) {
		t.Error("they share their refusals")
	}
}

// refuse has a client refuse a host's certificate a number of times, a minute before each.
func refuse(p *passthroughs, c *fakeClock, k passthroughKey, how refusal, times int) {
	for range times {
		c.move(time.Minute)
		p.refused(k, how)
	}
}

func TestAGlitchExcludesNobody(t *testing.T) {
	k := passthroughKey{"10.0.0.1", "curl", "app.test"}
	for name, steps := range map[string]func(p *passthroughs, c *fakeClock){
		"one alert":    func(p *passthroughs, _ *fakeClock) { p.refused(k, refusedByAlert) },
		"two hang-ups": func(p *passthroughs, c *fakeClock) { refuse(p, c, k, refusedByHangup, 2) },
		"many at once": func(p *passthroughs, c *fakeClock) {
			for range 10 {
				p.refused(k, refusedByAlert)
				c.move(refusalBurst / 20)
			}
		},
		// Go opens two connections for two requests, and closes one right after the handshake, before or after it uses
		// the other.
		"spare connections": func(p *passthroughs, c *fakeClock) {
			for range 10 {
				p.refused(k, refusedByHangup)
				p.accepted(k)
				p.refused(k, refusedByHangup)
				c.move(time.Minute)
			}
		},
		"far apart": func(p *passthroughs, c *fakeClock) {
			for range 5 {
				p.refused(k, refusedByAlert)
				c.move(refusalWindow + time.Second)
			}
		},
		"not in a row": func(p *passthroughs, c *fakeClock) {
			for range 5 {
				refuse(p, c, k, refusedByAlert, 1)
				p.accepted(k)
			}
		},
		"spare connections beside one in use": func(p *passthroughs, c *fakeClock) {
			p.accepted(k)
			refuse(p, c, k, refusedByHangup, 5)
		},
		"switched off": func(p *passthroughs, c *fakeClock) {
			p.lasts = -1
			refuse(p, c, k, refusedByAlert, 5)
		},
	} {
		p, clock := newTestPassthroughs(t)
		if steps(p, clock); p.passes(k) || len(p.list()) > 0 {
			t.Errorf("%s: the host passes", name)
		}
	}
}

func TestPassthroughExpiresAndIsRenewedByOneAlert(t *testing.T) {
	k := passthroughKey{"10.0.0.1", "curl", "app.test"}
	p, clock := newTestPassthroughs(t)
	refuse(p, clock, k, refusedByAlert, 2)
	clock.move(59 * time.Minute)
	if !p.passes(k) {
		t.Error("ended early")
	}
	clock.move(time.Minute)
	if p.passes(k) || len(p.list()) > 0 {
		t.Error("goes on")
	}
	if !p.refused(k, refusedByAlert) || !p.passes(k) {
		t.Error("not renewed")
	}
	clock.move(time.Hour)
	if p.passes(k) {
		t.Error("goes on")
	}
	p.accepted(k) // the app was updated, the CA installed
	if p.refused(k, refusedByAlert) {
		t.Error("one alert is enough although the client took the certificate meanwhile")
	}
}

// Clocks jump: no entry may outlive its time by it, and none may last for ever.
func TestPassthroughSurvivesClockJumps(t *testing.T) {
	k := passthroughKey{"10.0.0.1", "curl", "app.test"}
	for _, jump := range []time.Duration{-time.Minute, -24 * time.Hour, -20 * 365 * 24 * time.Hour, 24 * time.Hour} {
		p, clock := newTestPassthroughs(t)
		refuse(p, clock, k, refusedByAlert, 2)
		clock.move(jump)
		if small := jump.Abs() < time.Hour; p.passes(k) != small {
			t.Errorf("jump of %v: passes %v", jump, !small)
		}
		refuse(p, clock, k, refusedByAlert, 2)
		if !p.passes(k) {
			t.Errorf("jump of %v: refusals no longer count", jump)
		}
		clock.move(2 * time.Hour)
		if p.passes(k) {
			t.Errorf("jump of %v: lasts for ever", jump)
		}
	}
}

func TestPassthroughTablesAreBounded(t *testing.T) {
	p, clock := newTestPassthroughs(t)
	p.lasts = 24 * 365 * time.Hour
	refuses := func(client, hosts int) {
		for i := range hosts {
			refuse(p, clock, passthroughKey{fmt.Sprint("10.0.0.", client), "curl", fmt.Sprint("host", i, ".test")}, refusedByAlert, 2)
		}
	}
	refuses(1, 3*passthroughHosts)
	if n := len(p.list()); n != passthroughHosts {
		t.Errorf("a client has %d entries", n)
	}
	const crowd = 3 * passthroughEntries / passthroughHosts
	for client := range crowd {
		refuses(client, passthroughHosts)
	}
	if n := len(p.list()); n > passthroughEntries || n < passthroughEntries*7/8 || n != p.entries {
		t.Errorf("%d entries, counted as %d", n, p.entries)
	}
	for client := range crowd {
		p.accepted(passthroughKey{fmt.Sprint("10.0.0.", client), "curl", "host.test"})
	}
	if n := p.forget("10.0.0.7", ""); n != 0 {
		t.Errorf("a client that trusts had %d entries", n)
	}
	if p.forget("", ""); len(p.list()) != 0 || p.entries != crowd {
		t.Errorf("left: %d listed, %d entries", len(p.list()), p.entries)
	}
}

// A client that refuses certificate after certificate pushes out nothing of another.
func TestClientsPushOutNoOthersPassthrough(t *testing.T) {
	p, clock := newTestPassthroughs(t)
	p.lasts = 24 * 365 * time.Hour
	app := passthroughKey{"10.0.0.1", "curl", "pinned.test"}
	refuse(p, clock, app, refusedByAlert, 2)
	for i := range 2 * passthroughEntries {
		k := passthroughKey{"10.0.0.2", "curl", fmt.Sprint("host", i, ".test")}
		p.accepted(k)
		refuse(p, clock, k, refusedByAlert, 2)
	}
	if !p.passes(app) {
		t.Error("an app that pins its certificate is intercepted again")
	}
}

// Whatever happens in whatever order, and however the clock runs: no host passes without refusals, none longer than it
// may.
func TestPassthroughProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := newFakeClock()
		p, _ := newPassthroughs(time.Hour, clock.now)
		k := passthroughKey{"c", "curl", "h"}
		refusals := 0 // since the last success
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				p.refused(k, refusedByAlert)
				refusals++
			case 1:
				p.refused(k, refusedByHangup)
				refusals++
			case 2:
				if p.accepted(k); !p.passes(k) {
					refusals = 0
				}
			case 3:
				clock.move(time.Duration(rapid.Int64Range(0, int64(90*time.Minute)).Draw(t, "forward")))
			case 4:
				clock.move(-time.Duration(rapid.Int64Range(0, int64(90*time.Minute)).Draw(t, "back")))
			}
			if p.passes(k) && refusals == 0 {
				t.Fatal("passes without a refusal")
			}
			if len(p.list()) != map[bool]int{true: 1, false: 0}[p.passes(k)] {
				t.Fatal("listed and passing differ")
			}
		}
		clock.move(2 * time.Hour) // one for the entry, one that the clock may have been set back by without anybody noticing
		if p.passes(k) {
			t.Fatal("passes for longer than it may")
		}
	})
}

func TestAlertsThatDistrust(t *testing.T) {
	for text, want := range map[string]bool{
		"tls: bad certificate": true, "tls: unknown certificate authority": true, "tls: unknown certificate": true,
		"tls: expired certificate": true, "tls: revoked certificate": true, "tls: handshake failure": false,
		"tls: protocol version not supported": false, "tls: user canceled": false,
	} {
		if err := error(&net.OpError{Op: "remote error", Err: errors.New(text)}); distrusts(fmt.Errorf("x: %w", err)) != want {
			t.Errorf("%s: %v", text, !want)
		}
		if distrusts(&net.OpError{Op: "local error", Err: errors.New(text)}) {
			t.Errorf("%s of our own", text)
		}
	}
}

func TestPlainAlertsThatDistrust(t *testing.T) {
	for last, want := range map[string]bool{
		"\x15\x03\x03\x00\x02\x02\x30": true, "\x15\x03\x01\x00\x02\x02\x2a": true, "\x15\x03\x03\x00\x02\x02\x28": false,
		"\x15\x03\x03\x01\x02\x02\x30": false, "\x17\x03\x03\x00\x02\x02\x30": false, "\x03\x03\x00\x02\x02\x30": false, "": false,
	} {
		if distrustsPlainly([]byte(last)) != want {
			t.Errorf("%x: %v", last, !want)
		}
	}
}

// After a reload, clients that refuse certificates are known unless the time that their entries last has changed.
func TestInherit(t *testing.T) {
	k := passthroughKey{"10.0.0.1", "curl", "app.test"}
	lasting := func(lasts time.Duration) *Interceptor {
		clock := newFakeClock()
		i, err := New(Options{Passthrough: lasts, Now: func() time.Time { clock.move(time.Minute); return clock.now() }})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	old := lasting(time.Hour)
	old.passthrough.refused(k, refusedByAlert)
	old.passthrough.refused(k, refusedByAlert)
	for lasts, want := range map[time.Duration]bool{time.Hour: true, 2 * time.Hour: false} {
		next := lasting(lasts)
		if next.Inherit(old); next.passthrough.passes(k) != want {
			t.Errorf("with %v: passes %v", lasts, !want)
		}
	}
}
