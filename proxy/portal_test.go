package proxy

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPortalOnEveryDoor(t *testing.T) {
	r := newWorld(t)
	direct := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(direct.CloseIdleConnections)
	for name, door := range map[string]struct {
		c    *http.Client
		base string
	}{
		"through the proxy":      {r.client(false), "http://" + MagicHost},
		"with capitals":          {r.client(false), "http://WINNOW.Internal.:80"},
		"intercepted":            {r.client(true), "https://" + MagicHost},
		"at the proxy's address": {direct, "http://" + r.addr},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := get(t, door.c, door.base+"/")
			if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") ||
				!strings.Contains(body, r.ca.Fingerprint()) || !strings.Contains(body, "http://"+r.addr+"/proxy.pac") {
				t.Errorf("index: %s %s", resp.Status, body)
			}
			checkCertificates(t, r, door.c, door.base)
			resp, body = get(t, door.c, door.base+"/proxy.pac")
			if resp.Header.Get("Content-Type") != "application/x-ns-proxy-autoconfig" ||
				!strings.Contains(body, `"PROXY `+r.addr+`"`) || !strings.Contains(body, "FindProxyForURL") {
				t.Errorf("PAC: %v %s", resp.Header, body)
			}
			if resp, _ := get(t, door.c, door.base+"/ca-key.pem"); resp.StatusCode != http.StatusNotFound {
				t.Errorf("a file that is not there: %s", resp.Status)
			}
		})
	}
}

func checkCertificates(t *testing.T, r *world, c *http.Client, base string) {
	t.Helper()
	_, body := get(t, c, base+"/ca.pem")
	if block, rest := pem.Decode([]byte(body)); block == nil || len(bytes.TrimSpace(rest)) > 0 || !bytes.Equal(block.Bytes, r.ca.DER()) {
		t.Errorf("ca.pem: %q", body)
	}
	for _, name := range []string{"/ca.der", "/ca.crt"} {
		resp, body := get(t, c, base+name)
		if cert, err := x509.ParseCertificate([]byte(body)); err != nil || !cert.IsCA ||
			resp.Header.Get("Content-Type") != "application/x-x509-ca-cert" {
			t.Errorf("%s: %v, %v", name, resp.Header, err)
		}
	}
	resp, body := get(t, c, base+"/ca.mobileconfig")
	if resp.Header.Get("Content-Type") != "application/x-apple-aspen-config" || !strings.Contains(body, "<plist") {
		t.Errorf("ca.mobileconfig: %v %q", resp.Header, body)
	}
}

func TestPortalWithoutCA(t *testing.T) {
	r := newWorld(t, func(o *Options) { o.CA = nil })
	if _, body := get(t, r.client(false), "http://"+MagicHost+"/"); strings.Contains(body, "/ca.") {
		t.Error("the page offers a certificate that is not there")
	}
	if resp, _ := get(t, r.client(false), "http://"+MagicHost+"/ca.pem"); resp.StatusCode != http.StatusNotFound {
		t.Error(resp.Status)
	}
}

func TestPortalAnswersGetOnly(t *testing.T) {
	r := newWorld(t)
	req, _ := http.NewRequest(http.MethodPost, "http://"+MagicHost+"/ca.pem", nil)
	if resp, _ := do(t, r.client(false), req); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Error(resp.Status)
	}
}

func TestPACQuotesItsAddress(t *testing.T) {
	for _, addr := range []string{`a";alert(1);"`, "a\\\n", "</script>"} {
		line, _, _ := strings.Cut(string(PAC(addr)), "\n  if")
		inner := strings.TrimSuffix(line[strings.Index(line, `"`)+1:], `";`)
		if strings.Contains(strings.ReplaceAll(strings.ReplaceAll(inner, `\\`, ""), `\"`, ""), `"`) || strings.Contains(inner, "\n") {
			t.Errorf("%q breaks out: %s", addr, line)
		}
	}
}

func TestReachableAddr(t *testing.T) {
	request := func(target, host, local string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		r.Host = host
		if local == "" {
			return r
		}
		addr, err := net.ResolveTCPAddr("tcp", local)
		if err != nil {
			t.Fatal(err)
		}
		return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr))
	}
	for _, tc := range []struct{ target, host, local, listen, want string }{
		{"/", "box.lan:3128", "10.0.0.5:3128", "0.0.0.0:3128", "box.lan:3128"},
		{"/", "box.lan", "", ":80", "box.lan:80"},
		{"/", `x";alert(1)`, "10.0.0.5:3128", "0.0.0.0:3128", "10.0.0.5:3128"},
		{"http://winnow.internal/", MagicHost, "10.0.0.5:3128", ":3128", "10.0.0.5:3128"},
		{"http://winnow.internal/", MagicHost, "[::1]:3128", "[::]:3128", "[::1]:3128"},
		{"http://winnow.internal/", MagicHost, "10.0.0.5:3128", "box.lan:3128", "box.lan:3128"},
		{"http://winnow.internal/", MagicHost, "10.0.0.5:40000", "127.0.0.1:0", "10.0.0.5:40000"},
		{"http://winnow.internal/", MagicHost, "", ":3128", ":3128"},
		{"http://winnow.internal/", MagicHost, "10.0.0.5:40000", "", "10.0.0.5:40000"},
	} {
		if got := reachableAddr(request(tc.target, tc.host, tc.local), tc.listen); got != tc.want {
			t.Errorf("%+v: got %s", tc, got)
		}
	}
}
