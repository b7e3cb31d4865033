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
		{"upgrade-websocket", "RFC 6455 §4", "A WebSocket is opened, and its bytes pass both ways.", wire, checkWebSocket},
		{"upgrade-other", "RFC 9110 §7.8", "Any other protocol that the origin accepts is opened, and its bytes pass both ways.", wire, checkOtherUpgrade},
		{"upgrade-first-bytes", "RFC 9110 §7.8", "What the origin sends in one packet with its 101 is not lost.", wire, checkUpgradeFirstBytes},
		{"upgrade-refused", "RFC 9110 §7.8", "A refusal by the origin passes like any other answer.", wire, checkUpgradeRefused},
		{"upgrade-ends", "RFC 6455 §7.1.1", "When the origin ends the new protocol, the client's connection ends.", wire, checkUpgradeEnds},
		{"upgrade-unasked", "RFC 9110 §7.8", "A 101 that nobody requested switches nothing.", wire, checkUpgradeUnasked},
	}
}

// The sample handshake of RFC 6455 §1.3.
const (
	socketKey    = "dGhlIHNhbXBsZSBub25jZQ=="
	socketAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
)

// frame returns a WebSocket text frame (RFC 6455 §5.2). A client's frame is masked with zeros.
func frame(text string, client bool) string {
	if client {
		return string([]byte{0x81, 0x80 | byte(len(text)), 0, 0, 0, 0}) + text
	}
	return string([]byte{0x81, byte(len(text))}) + text
}

// closing is a WebSocket close frame with status 1000.
const closing = "\x88\x02\x03\xe8"

// serveUpgrade starts an origin that switches to the requested protocol, sends first, and then runs f.
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
		accept := ""
		if req.Header.Get("Sec-Websocket-Key") == socketKey {
			accept = "Sec-WebSocket-Accept: " + socketAccept + "\r\n"
		}
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+protocol+"\r\n"+accept+"\r\n"+first)
		f(c)
	})
}

// upgrade requests a protocol from o and returns the response.
func (p *Probe) upgrade(o *Origin, protocol string) (*Wire, *Answer) {
	w := p.Dial(o)
	lines := ""
	if protocol == "websocket" {
		lines = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + socketKey + "\r\n"
	}
	w.Send("GET {url}/ws HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: " + protocol + "\r\n" + lines + "\r\n")
	return w, w.Answer(http.MethodGet)
}

// switched requests a protocol from o and ends the check unless o switches.
func (p *Probe) switched(o *Origin, protocol string) *Wire {
	w, a := p.upgrade(o, protocol)
	if a.StatusCode != http.StatusSwitchingProtocols {
		p.Failf("%s", a.Status)
	}
	p.Expect(a.Header.Get("Upgrade") == protocol && strings.EqualFold(a.Header.Get("Connection"), "upgrade"), "101 with %v", a.Header)
	p.Expect(protocol != "websocket" || a.Header.Get("Sec-Websocket-Accept") == socketAccept, "101 with %v", a.Header)
	return w
}

// receives expects the bytes.
func (p *Probe) receives(r io.Reader, want string) {
	got := make([]byte, len(want))
	if n, err := io.ReadFull(r, got); string(got[:n]) != want {
		p.Failf("%q instead of %q: %v", got[:n], want, err)
	}
}

// answerFrames answers each text frame of a client with one in capitals.
func answerFrames(c net.Conn) {
	head := make([]byte, 6)
	for {
		if _, err := io.ReadFull(c, head); err != nil || head[0] != 0x81 {
			return
		}
		text := make([]byte, head[1]&0x7f)
		if _, err := io.ReadFull(c, text); err != nil {
			return
		}
		for i := range text {
			text[i] ^= head[2+i%4] // a proxy may change the mask
		}
		_, _ = io.WriteString(c, frame(strings.ToUpper(string(text)), false))
	}
}

func checkWebSocket(p *Probe) {
	w := p.switched(p.serveUpgrade("", answerFrames), "websocket")
	for _, text := range []string{"hello", "again"} {
		w.Send(frame(text, true))
		p.receives(w.r, frame(strings.ToUpper(text), false))
	}
}

func checkOtherUpgrade(p *Probe) {
	w := p.switched(p.serveUpgrade("", shout), "example/1")
	for _, line := range []string{"hello", "again"} {
		w.Send(line + "\n")
		p.hears(w.r, strings.ToUpper(line))
	}
}

func checkUpgradeFirstBytes(p *Probe) {
	w := p.switched(p.serveUpgrade(frame("welcome", false), answerFrames), "websocket")
	p.receives(w.r, frame("welcome", false))
}

func checkUpgradeRefused(p *Probe) {
	o, _ := p.Record("HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno")
	_, a := p.upgrade(o, "websocket")
	p.Expect(a.StatusCode == http.StatusForbidden && string(a.Body) == "no", "%s %q", a.Status, a.Body)
}

func checkUpgradeEnds(p *Probe) {
	w := p.switched(p.serveUpgrade(frame("bye", false)+closing, func(net.Conn) {}), "websocket")
	p.receives(w.r, frame("bye", false))
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
