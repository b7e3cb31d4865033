package proxy

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/limits"
)

// withPasswords asks for a password: ada's is "secret", bob's "word".
func withPasswords(t testing.TB) func(*Options) {
	t.Helper()
	var lines []string
	for name, password := range map[string]string{"ada": "secret", "bob": "word"} {
		h, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, name+":"+string(h))
	}
	users, err := access.ParseUsers(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	v, err := access.NewVerifier(users)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) { o.Users = v }
}

// clientAs is a client that gives a name and password to the proxy.
func (r *world) clientAs(h2 bool, name, password string) *http.Client {
	c := r.client(h2)
	c.Transport.(*http.Transport).Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: r.addr, User: url.UserPassword(name, password)})
	return c
}

// seenHeaders is an origin's record of what reached it.
type seenHeaders struct {
	mu  sync.Mutex
	all []http.Header
}

func (s *seenHeaders) hello(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	s.all = append(s.all, req.Header.Clone())
	s.mu.Unlock()
	fmt.Fprint(w, "hello")
}

// check fails when a header holds the credentials, and wants as many requests as said.
func (s *seenHeaders) check(t *testing.T, requests int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) != requests {
		t.Errorf("%d requests reached the origin, want %d", len(s.all), requests)
	}
	for _, h := range s.all {
		if len(h["Proxy-Authorization"]) > 0 || strings.Contains(fmt.Sprint(h), base64.StdEncoding.EncodeToString([]byte("ada:secret"))) {
			t.Errorf("the credentials reached the origin: %v", h)
		}
	}
}

func TestPasswords(t *testing.T) {
	r := newWorld(t, withPasswords(t))
	var seen seenHeaders
	plain, secure := r.origin("127.0.1.1", seen.hello), r.secureOrigin("127.0.1.2", "site.test", seen.hello)
	for _, h2 := range []bool{false, true} {
		c := r.clientAs(h2, "ada", "secret")
		for _, u := range []string{plain, secure, secure} { // the second within the same CONNECT
			if resp, body := get(t, c, u); body != "hello" {
				t.Errorf("%s: %s: %s", u, resp.Status, body)
			}
		}
	}
	seen.check(t, 6)
	for name, c := range map[string]*http.Client{"none": r.client(false), "wrong": r.clientAs(false, "ada", "word"),
		"nobody": r.clientAs(false, "eve", "secret"), "empty": r.clientAs(false, "", "")} {
		resp, body := get(t, c, plain)
		if resp.StatusCode != http.StatusProxyAuthRequired || resp.Header.Get("Winnow") != "failed; reason=auth" ||
			resp.Header.Get("Proxy-Authenticate") != `Basic realm="winnow", charset="UTF-8"` {
			t.Errorf("%s: %s, %v: %s", name, resp.Status, resp.Header, body)
		}
		if resp, err := c.Get(secure); err == nil || !strings.Contains(err.Error(), "Proxy Authentication Required") {
			t.Errorf("%s: CONNECT: %v, %v", name, resp, err)
		}
	}
	seen.check(t, 6)
	if log := r.log.String(); strings.Contains(log, "secret") || strings.Contains(log, "YWRhOnNlY3JldA") {
		t.Errorf("the log has the password:\n%s", log)
	}
}

// A tunnel, an upgrade and the proxy's own site through the proxy ask for the password like anything else.
func TestPasswordsOnEveryWayThrough(t *testing.T) {
	r := newWorld(t, withPasswords(t), func(o *Options) { o.Bypass = []string{"127.0.1.9"} })
	echo := r.rawOrigin("127.0.1.9", shout)
	good := "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("ada:secret")) + "\r\n"
	for _, tc := range []struct {
		name, request string
		status        int
	}{
		{"tunnel", "CONNECT " + echo + " HTTP/1.1\r\nHost: " + echo + "\r\n", 200},
		{"intercepted", "CONNECT site.test:443 HTTP/1.1\r\nHost: site.test:443\r\n", 200},
		{"portal", "GET http://winnow.internal/ca.pem HTTP/1.1\r\nHost: winnow.internal\r\n", 200},
		{"upgrade", "GET http://" + echo + "/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n", 502},
	} {
		for _, with := range []struct {
			credentials string
			status      int
		}{
			{"", 407}, {"Proxy-Authorization: Basic !!!\r\n", 407}, {"Proxy-Authorization: Bearer YWRhOnNlY3JldA==\r\n", 407},
			{"Authorization: Basic YWRhOnNlY3JldA==\r\n", 407}, {good + good, 407}, {good, tc.status},
		} {
			c := r.dial()
			fmt.Fprint(c, tc.request+with.credentials+"\r\n")
			method := http.MethodGet
			if strings.HasPrefix(tc.request, http.MethodConnect) {
				method = http.MethodConnect
			}
			resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
			if err != nil {
				t.Fatalf("%s with %q: %v", tc.name, with.credentials, err)
			}
			if resp.StatusCode != with.status {
				t.Errorf("%s with %q: %s, want %d", tc.name, with.credentials, resp.Status, with.status)
			}
			_ = c.Close()
		}
	}
}

// What sets a client up for the proxy is there before it has a password.
func TestSetUpNeedsNoPassword(t *testing.T) {
	r := newWorld(t, withPasswords(t))
	for _, path := range []string{"/", "/proxy.pac", "/wpad.dat", "/ca.pem", "/ca.mobileconfig"} {
		resp, err := http.Get("http://" + r.addr + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}

func TestGuessingGets429(t *testing.T) {
	r := newWorld(t, withPasswords(t))
	u := r.origin("127.0.1.1", func(http.ResponseWriter, *http.Request) {})
	wrong := r.clientAs(false, "ada", "guess")
	var last *http.Response
	for range 11 {
		last, _ = get(t, wrong, u)
	}
	if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" {
		t.Errorf("the eleventh guess: %s, Retry-After %q", last.Status, last.Header.Get("Retry-After"))
	}
	if n := r.server.metrics.TurnedAway.WithLabelValues("password").Value(); n != 10 {
		t.Errorf("%v wrong passwords are counted", n)
	}
	if n := r.server.metrics.TurnedAway.WithLabelValues("guessing").Value(); n != 1 {
		t.Errorf("%v damped guesses are counted", n)
	}
	if n := strings.Count(r.log.String(), "client turned away"); n != 2 { // one line a reason, not one a guess
		t.Errorf("%d lines in the log", n)
	}
}

func TestClientNetworks(t *testing.T) {
	r := newWorld(t, func(o *Options) { o.AllowClients = []string{"127.0.0.8/30", "10.0.0.0/8"} })
	u := r.origin("127.0.1.1", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	from := func(ip string) *http.Client {
		c := r.client(false)
		c.Transport.(*http.Transport).DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}).DialContext
		return c
	}
	for _, ip := range []string{"127.0.0.8", "127.0.0.11"} {
		if _, body := get(t, from(ip), u); body != "hello" {
			t.Errorf("%s: %q", ip, body)
		}
	}
	for _, ip := range []string{"127.0.0.1", "127.0.0.12"} {
		if resp, err := from(ip).Get(u); err == nil {
			t.Errorf("%s: %s", ip, resp.Status)
		}
	}
	if !strings.Contains(r.log.String(), "client turned away") || r.server.metrics.TurnedAway.WithLabelValues("network").Value() < 2 {
		t.Error("neither log nor metrics say that clients were turned away")
	}
}

// One client can't take up all connections: beyond its share it gets a 429, while another gets in.
func TestConnectionsOfOneClientAreBounded(t *testing.T) {
	r := newWorld(t, func(o *Options) { o.Limits.ClientConnections = 3 })
	u := r.origin("127.0.1.1", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	var held []net.Conn
	for range 3 {
		held = append(held, r.dial())
	}
	var over net.Conn = r.dial()
	fmt.Fprintf(over, "GET %s/ HTTP/1.1\r\nHost: x\r\n\r\n", u)
	resp, err := http.ReadResponse(bufio.NewReader(over), nil)
	if err != nil || resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "1" {
		t.Fatalf("the fourth connection: %v, %v", resp, err)
	}
	if text, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(text), "too many connections") {
		t.Errorf("it says %q, %v", text, err)
	}
	other := r.client(false)
	other.Transport.(*http.Transport).DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 9)}}).DialContext
	if _, body := get(t, other, u); body != "hello" {
		t.Errorf("another client: %q", body)
	}
	held[0].Close()
	eventually(t, "a place is free again", func() bool {
		resp, err := r.client(false).Get(u)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// Requests within one intercepted connection count like any others.
func TestRateOfOneClientIsBounded(t *testing.T) {
	r := newWorld(t, func(o *Options) { o.Limits.ClientRate = 0.5 }) // a burst of five
	plain := r.origin("127.0.1.1", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	secure := r.secureOrigin("127.0.1.2", "site.test", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	c := r.client(true)
	for i, u := range []string{secure, secure, secure, plain} { // and one CONNECT
		if resp, body := get(t, c, u); body != "hello" {
			t.Errorf("request %d: %s", i, resp.Status)
		}
	}
	resp, _ := get(t, r.client(false), plain)
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Winnow") != "failed; reason=rate" {
		t.Errorf("the sixth: %s", resp.Status)
	}
	if s := resp.Header.Get("Retry-After"); s != "2" && s != "1" {
		t.Errorf("Retry-After: %q", s)
	}
	if resp, _ := get(t, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, "http://"+r.addr+"/"); resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the portal: %s", resp.Status)
	}
}

// Users are counted by name: one that asks too much does not stand in another's way, though both come from one address.
func TestRateOfOneUserIsBounded(t *testing.T) {
	r := newWorld(t, withPasswords(t), func(o *Options) { o.Limits.ClientRate = 0.2 }) // a burst of two
	secure := r.secureOrigin("127.0.1.2", "site.test", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	ada := r.clientAs(true, "ada", "secret")
	if _, body := get(t, ada, secure); body != "hello" {
		t.Errorf("ada's first: %q", body)
	}
	if resp, _ := get(t, ada, secure); resp.StatusCode != http.StatusTooManyRequests { // CONNECT was the other
		t.Errorf("ada's second: %s", resp.Status)
	}
	if resp, body := get(t, r.clientAs(true, "bob", "word"), secure); body != "hello" {
		t.Errorf("bob's first: %s", resp.Status)
	}
}

func TestLimitsOfSingleClients(t *testing.T) {
	for _, tc := range []struct {
		listen      string
		given       limits.Limits
		connections int
		rate        float64
	}{
		{"127.0.0.1:8080", limits.Limits{}, 0, 0}, {":8080", limits.Limits{}, 1024, 500},
		{":8080", limits.Limits{ClientConnections: -1, ClientRate: -1}, -1, -1},
		{"127.0.0.1:8080", limits.Limits{ClientConnections: 5, ClientRate: 7}, 5, 7},
	} {
		if got := tc.given.WithDefaults(tc.listen); got.ClientConnections != tc.connections || got.ClientRate != tc.rate {
			t.Errorf("%s, %+v: %d, %v", tc.listen, tc.given, got.ClientConnections, got.ClientRate)
		}
	}
	if newRates(limits.Limits{ClientRate: -1}) != nil || newRates(limits.Limits{}) != nil || newRates(limits.Limits{ClientRate: 0.01}) == nil {
		t.Error("a rate of nothing is no rate")
	}
}
