package proxy

import (
	"encoding/pem"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// One program without the CA costs no other program of the machine its cleaned pages, and no person: winnow says which
// site passes.
func TestOneProgramRefusesForItselfAlone(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	clock := newFakeClock()
	r := newWorld(t, func(o *Options) { o.Now = clock.now }, withTeaching(t, everybody))
	u := r.secureOrigin("127.0.1.1", "site.test", tell)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.origins.Certificate().Raw})
	if err := os.WriteFile(roots, text, 0o600); err != nil {
		t.Fatal(err)
	}
	browser := r.client(true)
	if _, body := get(t, browser, u); !strings.HasPrefix(body, "HTTP/2.0 GET /") {
		t.Errorf("a browser with the CA: %q", body)
	}
	// curl knows the CA of the origin, and not that of the proxy.
	curled := func() (string, error) {
		out, err := exec.CommandContext(t.Context(), curl, "-sS", "-x", "http://"+r.addr, "--cacert", roots, u).CombinedOutput()
		return string(out), err
	}
	for n := range 2 {
		if out, err := curled(); err == nil {
			t.Fatalf("curl accepts the certificate: %s", out)
		}
		untrusted := r.server.metrics.Handshakes.WithLabelValues("untrusted")
		eventually(t, "the proxy learns of it", func() bool { return untrusted.Value() == float64(n+1) })
		clock.move(2 * time.Second) // what comes sooner counts as one refusal
	}
	eventually(t, "the refusals are noted", func() bool { return len(r.server.Passthrough()) == 1 })
	if out, err := curled(); err != nil || !strings.HasPrefix(out, "HTTP/") {
		t.Errorf("curl does not get through: %v: %s", err, out)
	}
	browser.CloseIdleConnections()
	if _, body := get(t, browser, u); !strings.HasPrefix(body, "HTTP/2.0 GET /") {
		t.Errorf("a browser with the CA, afterwards: %q", body)
	}
	if n := r.tunnelCount("passthrough"); n != 1 {
		t.Errorf("%v tunnels", n)
	}
	address, err := url.Parse(u)
	if err != nil {
		t.Fatal(err)
	}
	_, about := get(t, r.client(false), "http://winnow.internal/site/"+address.Hostname())
	if !strings.Contains(about, "does not accept winnow’s certificate") {
		t.Errorf("the page about the site does not say so: %s", about)
	}
	if got := r.server.Passthrough()[0]; got.Program == "" || got.Host != address.Hostname() {
		t.Errorf("listed: %+v", got)
	}
}
