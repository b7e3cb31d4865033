//go:build full

package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/certs"
)

// kettle is a page as every client of the recipes reads it: what stays and what goes.
const (
	kettleStays = "before the sun was up"
	kettleGoes  = "printed on recycled paper"
	kettlePage  = `<!DOCTYPE html><html><head><title>A harbour wakes</title></head><body>
<div class="nav"><a href="/">Front page of the Daily Kettle</a> <a href="/adverts">Small advertisements</a></div>
<div class="story"><h1>A harbour wakes</h1><p>The first boats came in before the sun was up, and the gulls were there already, lined along the wall like paying guests.</p>
<p>By seven the ice was gone from the fish market and the buyers had begun to argue about the price of cod.</p></div>
<div class="footer"><p>The Daily Kettle is printed on recycled paper. All rights reserved.</p></div></body></html>`
)

// setup is a winnow for the clients of recipes, with what they read.
type setup struct {
	dir string
	// proxy is winnow's address as host:port, with and without the client's trust in its CA.
	proxy string
	// ca is the file with the certificate that clients trust: winnow's, or the origin's where winnow's is not trusted.
	ca          string
	http, https string
	intercepted bool
}

// newSetups starts origins that serve h by HTTP and HTTPS, and two winnows: one whose CA clients trust, and one that
// tunnels all HTTPS, for those that don't.
func newSetups(t *testing.T, h http.Handler) map[string]setup {
	t.Helper()
	authority, err := certs.LoadOrCreate(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	plain, secure := httptest.NewServer(h), httptest.NewUnstartedServer(h)
	secure.TLS = authority.TLSConfig("localhost")
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that refuse a certificate at first
	secure.StartTLS()
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	binary, setups := winnowBinary(t), map[string]setup{}
	for name, intercept := range map[string]string{"CA trusted": "localhost", "CA not trusted": "nobody.test"} {
		s := setup{dir: t.TempDir(), http: plain.URL, https: strings.Replace(secure.URL, "127.0.0.1", "localhost", 1), intercepted: intercept == "localhost"}
		origin := filepath.Join(s.dir, "origin.pem")
		if err := os.WriteFile(origin, authority.PEM(), 0o600); err != nil {
			t.Fatal(err)
		}
		data := filepath.Join(s.dir, "data")
		ready := startWinnow(t, exec.Command(binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--admin", "", "--upstream-ca", origin, "--intercept", intercept))
		s.proxy, s.ca = ready[1], origin
		if s.intercepted {
			s.ca = filepath.Join(s.dir, "ca.pem")
			out, err := exec.Command(binary, "ca", "export", "--data", data).Output()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(s.ca, out, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		setups[name] = s
	}
	return setups
}

// separator stands between the two pages that a client has read, the one by HTTP and the one by HTTPS.
const separator = "====="

// run runs a client, with the environment that recipes give it, and returns what it prints.
func (s setup) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s: %s is missing: install it", t.Name(), name)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = s.dir
	at := "http://" + s.proxy
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "http_proxy="+at, "https_proxy="+at, "HTTP_PROXY="+at, "HTTPS_PROXY="+at, "no_proxy=", "NO_PROXY=",
		"SSL_CERT_FILE="+s.ca, "GIT_SSL_CAINFO="+s.ca, "REQUESTS_CA_BUNDLE="+s.ca, "PIP_CERT="+s.ca, "PIP_FIND_LINKS=", "NODE_EXTRA_CA_CERTS="+s.ca, "LANG=C.UTF-8")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s%s", name, err, out, errs.String())
	}
	return string(out)
}

// script is the path of a file of testdata/clients.
func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "clients", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Each client of docs/recipes.md reads pages through winnow as it says there, by HTTP and HTTPS. Pages by HTTPS are
// cleaned if the client trusts winnow's CA, and are the origin's otherwise.
func TestRecipes(t *testing.T) {
	setups := newSetups(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(kettlePage)) // a client that left needs no answer
	}))
	// each runs a client once for each page.
	each := func(fetch func(t *testing.T, s setup, url string) string) func(*testing.T, setup) string {
		return func(t *testing.T, s setup) string {
			return fetch(t, s, s.http+"/plain") + separator + fetch(t, s, s.https+"/secure")
		}
	}
	for client, fetch := range map[string]func(t *testing.T, s setup) string{
		"curl": each(func(t *testing.T, s setup, url string) string {
			return s.run(t, "curl", "-sS", "--proxy", s.proxy, "--cacert", s.ca, url)
		}),
		"wget": each(func(t *testing.T, s setup, url string) string {
			return s.run(t, "wget", "-qO-", "--ca-certificate", s.ca, url)
		}),
		"lynx": each(func(t *testing.T, s setup, url string) string { return s.run(t, "lynx", "-dump", "-nolist", url) }),
		"w3m": each(func(t *testing.T, s setup, url string) string {
			return s.run(t, "w3m", "-dump", "-o", "ssl_ca_file="+s.ca, "-o", "ssl_ca_path=", url)
		}),
		"Scrapy": func(t *testing.T, s setup) string {
			return s.run(t, "scrapy", "runspider", "-L", "ERROR", "-a", "urls="+s.http+"/plain,"+s.https+"/secure", script(t, "spider.py"))
		},
		"Node's fetch": func(t *testing.T, s setup) string {
			return s.run(t, "node", script(t, "fetch.cjs"), "http://"+s.proxy, s.http+"/plain", s.https+"/secure")
		},
		"Puppeteer": func(t *testing.T, s setup) string {
			return s.run(t, "node", script(t, "puppeteer.cjs"), "http://"+s.proxy, filepath.Join(s.dir, "profile"), s.http+"/plain", s.https+"/secure")
		},
	} {
		t.Run(client, func(t *testing.T) {
			if client == "Puppeteer" || client == "Node's fetch" {
				clients(t)
			}
			for name, s := range setups {
				plain, secure, _ := strings.Cut(strings.Join(strings.Fields(fetch(t, s)), " "), separator)
				if !strings.Contains(plain, kettleStays) || strings.Contains(plain, kettleGoes) {
					t.Errorf("%s, by HTTP: %s", name, plain)
				}
				if !strings.Contains(secure, kettleStays) || strings.Contains(secure, kettleGoes) == s.intercepted {
					t.Errorf("%s, by HTTPS: %s", name, secure)
				}
			}
		})
	}
}
