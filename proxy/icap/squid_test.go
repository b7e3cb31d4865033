//go:build full

package icap_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/certs"
)

// startSquid runs Squid with a configuration, in a folder of its own, and waits until it listens on port.
func startSquid(t *testing.T, dir, port, conf string) {
	t.Helper()
	squid, err := exec.LookPath("squid")
	if err != nil {
		t.Skip("Squid is not installed")
	}
	conf += fmt.Sprintf(`
pid_filename none
coredump_dir %[1]s
cache_log %[1]s/cache.log
access_log none
cache_store_log none
visible_hostname squid.test
shutdown_lifetime 0 seconds
pinger_enable off
http_access allow localhost
`, dir)
	file := filepath.Join(dir, "squid.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(context.Background(), squid, "-N", "-f", file)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			text, _ := os.ReadFile(filepath.Join(dir, "cache.log"))
			t.Logf("Squid said: %s%s", said.String(), text)
		}
	})
	for range 200 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("Squid does not listen: %s", said.String())
}

// squidFolder is a folder that Squid may write to: it gives up the rights of root.
func squidFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "winnow-squid-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func freePort(t *testing.T) string {
	t.Helper()
	l := listen(t)
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// adaptation is the part of the configuration that docs/operations.md gives.
func adaptation(addr string) string {
	return fmt.Sprintf(`
icap_enable on
icap_preview_enable on
icap_send_client_ip on
icap_send_client_username on
icap_persistent_connections on
icap_service winnow respmod_precache icap://%s/winnow bypass=on
adaptation_access winnow allow all
`, addr)
}

// What comes through Squid is, byte for byte, what comes through winnow's own proxy.
func TestSquid(t *testing.T) {
	w, origin, port := newWorld(t), newOrigin(t), freePort(t)
	startSquid(t, squidFolder(t), port, "http_port 127.0.0.1:"+port+adaptation(w.icap))
	squid := "127.0.0.1:" + port
	for n := range 8 {
		at := fmt.Sprintf("%s/log/%d", origin.URL, n)
		_, want := get(t, w.proxy, at)
		resp, got := get(t, squid, at)
		if got != want || strings.Contains(got, "Harbours") {
			t.Errorf("%s: Squid gives %q, the proxy %q", at, got, want)
		}
		if !strings.HasPrefix(resp.Header.Get("Winnow"), "cleaned") {
			t.Errorf("%s: Winnow: %q", at, resp.Header.Get("Winnow"))
		}
	}
	for _, path := range []string{"/picture", "/large", "/nowhere"} {
		_, want := getBy(t, &http.Transport{}, origin.URL+path)
		if _, got := get(t, squid, origin.URL+path); got != want {
			t.Errorf("%s: %d bytes, want the origin's %d", path, len(got), len(want))
		}
	}
	if _, got := get(t, squid, origin.URL+"/log/77", "Winnow-Mode", "text"); strings.Contains(got, "<p>") {
		t.Errorf("the client's mode does not count: %q", got)
	}
}

// Where winnow is gone, Squid gives the origin's bytes.
func TestSquidWithoutWinnow(t *testing.T) {
	origin, port := newOrigin(t), freePort(t)
	startSquid(t, squidFolder(t), port, "http_port 127.0.0.1:"+port+adaptation("127.0.0.1:"+freePort(t)))
	if _, got := get(t, "127.0.0.1:"+port, origin.URL+"/log/1"); got != logPage("/log/1") {
		t.Errorf("got %q", got)
	}
}

// Pages that Squid takes out of their TLS (ssl-bump) are cleaned as well, each under its own host's model.
func TestSquidBumped(t *testing.T) {
	generator := "/usr/lib/squid/security_file_certgen"
	if _, err := os.Stat(generator); err != nil {
		t.Skip("Squid is not installed with OpenSSL")
	}
	w, dir, port := newWorld(t), squidFolder(t), freePort(t)
	origin := httptest.NewTLSServer(http.HandlerFunc(serveSite))
	t.Cleanup(origin.Close)
	bundle := newCA(t, dir)
	roots := filepath.Join(dir, "roots.pem")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: origin.Certificate().Raw}), 0o644); err != nil {
		t.Fatal(err)
	}
	hosts := filepath.Join(dir, "hosts")
	if err := os.WriteFile(hosts, []byte("127.0.0.1 example.com\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(dir, "db")
	if out, err := exec.CommandContext(t.Context(), generator, "-c", "-s", db, "-M", "4MB").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := filepath.Walk(db, func(path string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(path, 0o777)
	}); err != nil {
		t.Fatal(err)
	}
	startSquid(t, dir, port, fmt.Sprintf(`http_port 127.0.0.1:%s ssl-bump generate-host-certificates=on tls-cert=%s
sslcrtd_program %s -s %s -M 4MB
sslcrtd_children 1
tls_outgoing_options cafile=%s
hosts_file %s
ssl_bump bump all
acl everything port 1-65535
http_access allow CONNECT everything
`, port, bundle, generator, db, roots, hosts)+adaptation(w.icap))
	pool := x509.NewCertPool()
	if text, err := os.ReadFile(bundle); err != nil || !pool.AppendCertsFromPEM(text) {
		t.Fatal("no CA", err)
	}
	by := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:" + port}), TLSClientConfig: &tls.Config{RootCAs: pool}}
	resp, got := getBy(t, by, strings.Replace(origin.URL, "127.0.0.1", "example.com", 1)+"/log/5") // which httptest has a certificate for
	if !strings.Contains(got, "whom we had asked") || strings.Contains(got, "Harbours") {
		t.Errorf("got %q %v", got, resp.Header)
	}
}

// newCA makes a CA and returns the file of its certificate and its key.
func newCA(t *testing.T, dir string) string {
	t.Helper()
	made := t.TempDir()
	if _, err := certs.LoadOrCreate(made, time.Now); err != nil {
		t.Fatal(err)
	}
	var both []byte
	for _, name := range []string{"ca.pem", "ca-key.pem"} {
		text, err := os.ReadFile(filepath.Join(made, name))
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, text...)
	}
	file := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(file, both, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// The client of another ICAP server gets on with ours.
func TestICAPClient(t *testing.T) {
	program, err := exec.LookPath("c-icap-client")
	if err != nil {
		t.Skip("c-icap-client is not installed")
	}
	w, dir := newWorld(t), t.TempDir()
	host, port, _ := net.SplitHostPort(w.icap)
	in, out := filepath.Join(dir, "in.html"), filepath.Join(dir, "out.html")
	if err := os.WriteFile(in, []byte(logPage("/log/1")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, extra := range [][]string{nil, {"-nopreview"}, {"-no204"}} {
		_ = os.Remove(out)
		args := append([]string{"-i", host, "-p", port, "-s", "winnow", "-f", in, "-o", out, "-resp", "http://coast.test/log/1",
			"-rhx", "Content-Type: text/html", "-v"}, extra...)
		said, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		got, _ := os.ReadFile(out)
		if err != nil || !strings.Contains(string(got), "whom we had asked") || strings.Contains(string(got), "Harbours") {
			t.Errorf("%v: %v\n%s\n%s", extra, err, said, got)
		}
	}
}

// A page that comes in one burst, and is longer than what Squid holds of it, is cleaned as soon as one that comes
// slowly.
func TestSquidWithBursts(t *testing.T) {
	w, port := newWorld(t), freePort(t)
	origin := httptest.NewServer(http.HandlerFunc(serveBurst))
	t.Cleanup(origin.Close)
	startSquid(t, squidFolder(t), port, "http_port 127.0.0.1:"+port+adaptation(w.icap))
	early := 0
	for _, query := range []string{"", "?chunked", "?gzip"} {
		for _, paragraphs := range []int{400, 800, 3000, 8000} {
			at := fmt.Sprintf("%s/log/%d%s", origin.URL, paragraphs, query)
			_, want := get(t, w.proxy, at)
			resp, got := get(t, "127.0.0.1:"+port, at)
			outcome := resp.Header.Get("Winnow")
			if got != want || strings.Contains(got, "Harbours") != (paragraphs == 8000) { // which is too large
				t.Errorf("%s: %d bytes, want %d: Winnow: %q", at, len(got), len(want), outcome)
			}
			if strings.HasPrefix(outcome, "begun") {
				early++
			}
		}
	}
	t.Logf("%d answers began early", early)
}

// serveBurst serves a page of /log/N, which has N more paragraphs, at once.
func serveBurst(w http.ResponseWriter, r *http.Request) {
	var paragraphs int
	_, _ = fmt.Sscanf(r.URL.Path, "/log/%d", &paragraphs)
	var more strings.Builder
	for n := range paragraphs {
		fmt.Fprintf(&more, "<p>Of that day, too, %x, the mate wrote down what he had seen of the coast, and what he had not.</p>", sha256.Sum256([]byte{byte(n), byte(n >> 8)}))
	}
	text := []byte(strings.Replace(logPage(r.URL.Path), "</main>", more.String()+"</main>", 1))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.URL.RawQuery == "gzip" {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(text)
		_ = z.Close()
		text = packed.Bytes()
		w.Header().Set("Content-Encoding", "gzip")
	}
	if r.URL.RawQuery != "chunked" {
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	}
	_, _ = w.Write(text)
}
