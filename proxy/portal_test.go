package proxy

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

func TestPortalOnEveryDoor(t *testing.T) {
	r := newWorld(t)
	direct := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(direct.CloseIdleConnections)
	for name, door := range map[string]struct {
		c    *http.Client
		base string
	}{
		"through the proxy":      {r.client(false), "http://" + hostname.Portal},
		"with capitals":          {r.client(false), "http://WINNOW.Internal.:80"},
		"intercepted":            {r.client(true), "https://" + hostname.Portal},
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
	if _, body := get(t, r.client(false), "http://"+hostname.Portal+"/"); strings.Contains(body, "/ca.") {
		t.Error("the page offers a certificate that is not there")
	}
	if resp, _ := get(t, r.client(false), "http://"+hostname.Portal+"/ca.pem"); resp.StatusCode != http.StatusNotFound {
		t.Error(resp.Status)
	}
}

func TestPortalAnswersGetOnly(t *testing.T) {
	r := newWorld(t)
	req, _ := http.NewRequest(http.MethodPost, "http://"+hostname.Portal+"/ca.pem", nil)
	if resp, _ := do(t, r.client(false), req); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Error(resp.Status)
	}
}
