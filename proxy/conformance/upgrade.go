package conformance

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

func upgrading() []Requirement {
	wire := wireWays()
	return []Requirement{
		{"upgrade-websocket", "RFC 6455 §4", "A WebSocket is opened, and its bytes pass both ways.", wire, checkUpgrade("websocket")},
		{"upgrade-other", "RFC 9110 §7.8", "So is any other protocol that the origin agrees to.", wire, checkUpgrade("example/1")},
		{"upgrade-first-bytes", "RFC 9110 §7.8", "What the origin sends in one packet with its 101 is not lost.", wire, checkUpgradeFirstBytes},
		{"upgrade-refused", "RFC 9110 §7.8", "An origin that does not agree answers like any other.", wire, checkUpgradeRefused},
		{"upgrade-ends", "RFC 6455 §7.1.1", "When the origin ends the new protocol, the client's connection ends.", wire, checkUpgradeEnds},
		{"upgrade-unasked", "RFC 9110 §7.8", "A 101 that nobody asked for switches nothing.", wire, checkUpgradeUnasked},
	}
}

// serveUpgrade starts an origin that switches to the protocol asked for, says first, and then speaks as f does.
func (p *Probe) serveUpgrade(first string, f func(c net.Conn)) *Origin {
	return p.ServeRaw(func(c net.Conn) {
		req, err := http.ReadRequest(bufio.NewReader(oneByte{c}))
		if err != nil {
			return
		}
		protocol := req.Header.Get("Upgrade")
		if protocol == "" || !strings.Contains(strings.ToLower(req.Header.Get("Connection")), "upgrade") {
			_, _ = io.WriteString(c, "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 5\r\nConnection: close\r\n\r\nasked")
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+protocol+
			"\r\nX-Key: "+req.Header.Get("Sec-Websocket-Key")+"\r\n\r\n"+first)
		f(c)
	})
}

// upgrade asks o for a protocol and returns the answer.
func (p *Probe) upgrade(o *Origin, protocol string) (*Wire, *Answer) {
	w := p.Dial(o)
	w.Send("GET {url}/ws HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: " + protocol +
		"\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	return w, w.Answer(http.MethodGet)
}

func checkUpgrade(protocol string) func(p *Probe) {
	return func(p *Probe) {
		w, a := p.upgrade(p.serveUpgrade("", shout), protocol)
		if a.StatusCode != http.StatusSwitchingProtocols {
			p.Failf("%s", a.Status)
		}
		p.Expect(a.Header.Get("Upgrade") == protocol && strings.EqualFold(a.Header.Get("Connection"), "upgrade"), "101 with %v", a.Header)
		p.Expect(a.Header.Get("X-Key") == "dGhlIHNhbXBsZSBub25jZQ==", "the key became %q", a.Header["X-Key"])
		for _, line := range []string{"hello", "again"} {
			w.Send(line + "\n")
			p.hears(w.r, strings.ToUpper(line))
		}
	}
}

func checkUpgradeFirstBytes(p *Probe) {
	w, a := p.upgrade(p.serveUpgrade("welcome\n", shout), "websocket")
	p.Expect(a.StatusCode == http.StatusSwitchingProtocols, "%s", a.Status)
	p.hears(w.r, "welcome")
}

func checkUpgradeRefused(p *Probe) {
	o, _ := p.Record("HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno")
	_, a := p.upgrade(o, "websocket")
	p.Expect(a.StatusCode == http.StatusForbidden && string(a.Body) == "no", "%s %q", a.Status, a.Body)
}

func checkUpgradeEnds(p *Probe) {
	w, a := p.upgrade(p.serveUpgrade("bye\n", func(net.Conn) {}), "websocket")
	p.Expect(a.StatusCode == http.StatusSwitchingProtocols, "%s", a.Status)
	p.hears(w.r, "bye")
	p.Expect(w.Closed(2*time.Second), "the client's connection stays open")
}

func checkUpgradeUnasked(p *Probe) {
	o, _ := p.Record("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	w := p.Dial(o)
	w.Send("GET {url}/ HTTP/1.1\r\nHost: {host}\r\n\r\n")
	_ = w.SetReadDeadline(time.Now().Add(5 * time.Second))
	a, err := w.TryAnswer(http.MethodGet)
	if err == nil {
		p.Expect(a.StatusCode >= 500, "%s", a.Status)
		return
	}
	p.Expect(!timedOut(err), "no answer")
}
