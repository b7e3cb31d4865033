package proxy

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pictures"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/vintage"
)

// withVintage has a world serve old browsers at 127.0.0.1, for all hosts but bank.example.
func withVintage(t *testing.T) func(*Options) {
	t.Helper()
	policy, err := vintage.New(vintage.Options{Clients: []string{"127.0.0.1"}, Secret: []byte("secret"),
		Except: func(host string) bool { return host == "bank.example" }})
	if err != nil {
		t.Fatal(err)
	}
	cleaner, err := pipeline.New(pipeline.Options{Models: testmodels.Of(t, "keep"), Limits: testmodels.Patient(), Mode: page.ModeAuto, Vintage: policy.Of,
		Pictures: pictures.New(pictures.Options{Width: 320, Wait: time.Minute, Work: time.Minute}), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) { o.Vintage, o.Pipeline = policy, cleaner }
}

// ferry is a site of today: HTTP leads to HTTPS, pages are in HTML 5 and UTF-8, and a session is a cookie for HTTPS
// alone. It notes what its two origins are asked.
type ferry struct {
	*upstreamRig
	mu sync.Mutex
	// asked are the requests by plain HTTP and by HTTPS, as "http GET /path".
	asked []string
	// leaked are the cookies that came over plain HTTP.
	leaked []string
}

const ferryPage = `<!DOCTYPE html><html lang="pt"><head><meta charset="utf-8"><title>A balsa — Kessel</title><style>p{color:red}</style></head><body>
<article><h1>A balsa de Kessel</h1><p>“Não espera,” diz o capitão — e a balsa parte às oito, faça chuva ou faça sol, com quem estiver a bordo e mais ninguém.</p>
<p><a href="/account">A conta</a> e <a href="https://www.ferry.example/tides">as marés</a>, e <a href="https://bank.example/">o banco</a>.</p>
<img src="/picture.png" alt="a balsa"><form action="/login" method="post"><input name="name" required><button>Entrar</button></form></article>
<script>document.title="x"</script></body></html>`

func newFerry(t *testing.T) *ferry {
	t.Helper()
	f := &ferry{upstreamRig: newUpstreamRig(t, "http", withVintage(t))}
	at := map[string]string{}
	for i, host := range []string{"ferry.example", "www.ferry.example", "bank.example"} {
		plain := hostPort(f.origin(fmt.Sprintf("127.0.1.%d", i+1), f.serve("http", host)))
		_, port, _ := net.SplitHostPort(hostPort(f.secureOrigin(fmt.Sprintf("127.0.1.%d", i+1), host, f.serve("https", host))))
		at[host+":80"], at[host+":443"] = plain, fmt.Sprintf("127.0.1.%d:%s", i+1, port)
	}
	f.far.fetch.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, at[addr])
	}
	return f
}

func (f *ferry) serve(scheme, host string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		f.mu.Lock()
		f.asked = append(f.asked, scheme+" "+req.Method+" "+host+req.URL.Path)
		if scheme == "http" && req.Header["Cookie"] != nil {
			f.leaked = append(f.leaked, req.Header["Cookie"]...)
		}
		f.mu.Unlock()
		h := w.Header()
		if scheme == "http" {
			http.Redirect(w, req, "https://"+host+req.URL.RequestURI(), http.StatusPermanentRedirect)
			return
		}
		h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		h.Set("Content-Type", "text/html; charset=utf-8")
		session, _ := req.Cookie("session")
		switch req.URL.Path {
		case "/picture.png":
			h.Set("Content-Type", "image/png")
			_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 40, 20)))
		case "/login":
			if req.Header.Get("Referer") != "https://ferry.example/" || req.PostFormValue("name") != "Inês" {
				http.Error(w, "forged", http.StatusForbidden)
				return
			}
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "ines", Domain: "ferry.example", Path: "/", Secure: true, HttpOnly: true})
			http.Redirect(w, req, "/account", http.StatusSeeOther)
		case "/account", "/tides":
			who := "nobody"
			if session != nil {
				who = session.Value
			}
			fmt.Fprintf(w, "<html><body><article><h1>Account</h1><p>You are %s, and what you have here is a place on the ferry at eight, and one for your bicycle.</p></article></body></html>", who)
		default:
			_, _ = io.WriteString(w, ferryPage)
		}
	}
}

// took returns what the origins were asked, and forgets it.
func (f *ferry) took() (asked []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked, f.asked = f.asked, nil
	return asked
}

// browser returns a client that follows redirects and keeps cookies, at an address of this machine.
func (f *ferry) browser(ip string) *http.Client {
	c := f.client(false)
	c.CheckRedirect = nil
	c.Jar, _ = cookiejar.New(nil)
	c.Transport.(*http.Transport).DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}).DialContext
	return c
}

// A browser without TLS reads a site of HTTPS, sees its pictures, logs in and stays logged in; the site sees HTTPS
// alone, and its cookies go nowhere else.
func TestVintageBrowser(t *testing.T) {
	f := newFerry(t)
	c := f.browser("127.0.0.1")
	resp, body := get(t, c, "http://ferry.example/", "Accept", "image/gif, image/x-xbitmap, image/jpeg, */*")
	if resp.Request.URL.String() != "http://ferry.example:443/" || resp.Header.Get("Content-Type") != "text/html; charset=ISO-8859-1" ||
		!strings.HasPrefix(resp.Header.Get("Winnow"), "cleaned; mode=vintage") || resp.Header.Get("Strict-Transport-Security") != "" {
		t.Fatalf("%s: %v", resp.Request.URL, resp.Header)
	}
	for _, want := range []string{"&#34;N\xe3o espera,&#34; diz o capit\xe3o -- e", `href="http://ferry.example:443/account"`, `href="http://www.ferry.example:443/tides"`,
		`href="https://bank.example/"`, `src="http://ferry.example:443/picture.png"`, `<form action="http://ferry.example:443/login" method="post"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in %s", want, body)
		}
	}
	if strings.Contains(body, "<script") || strings.Contains(body, "<style") {
		t.Errorf("it has a script or a style: %s", body)
	}
	_, picture := get(t, c, "http://ferry.example:443/picture.png", "Accept", "image/gif, image/x-xbitmap, image/jpeg, */*")
	if m, kind, err := image.Decode(strings.NewReader(picture)); err != nil || kind != "gif" || m.Bounds().Dx() != 40 {
		t.Errorf("the picture is a %s: %v", kind, err)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://ferry.example:443/login", strings.NewReader(url.Values{"name": {"Inês"}}.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Referer", "http://ferry.example:443/")
	if _, body := do(t, c, req); !strings.Contains(body, "You are ines") {
		t.Errorf("after the login: %s", body)
	}
	if _, body := get(t, c, "http://www.ferry.example:443/tides"); !strings.Contains(body, "You are ines") {
		t.Errorf("elsewhere on the site: %s", body)
	}
	jar, _ := url.Parse("http://ferry.example/")
	for _, cookie := range c.Jar.Cookies(jar) {
		if strings.Contains(cookie.Value, "ines") || cookie.Name == "session" {
			t.Errorf("the browser has %v", cookie)
		}
	}
	get(t, c, "http://ferry.example/account") // leads to HTTPS again
	if f.leaked != nil {
		t.Errorf("over plain HTTP came %q", f.leaked)
	}
	want := []string{"http GET ferry.example/", "https GET ferry.example/", "https GET ferry.example/picture.png", "https POST ferry.example/login",
		"https GET ferry.example/account", "https GET www.ferry.example/tides", "http GET ferry.example/account", "https GET ferry.example/account"}
	if got := f.took(); !slices.Equal(got, want) {
		t.Errorf("the origins were asked %q, want %q", got, want)
	}
}

// Others get what the origin says, and what they hold of a sealed cookie opens nothing; a host that is left alone is
// not offered, and gets no request in plain text at the port of HTTPS.
func TestVintageIsForWhoIsNamed(t *testing.T) {
	f := newFerry(t)
	other := f.browser("127.0.0.2")
	other.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if resp, _ := get(t, other, "http://ferry.example/"); resp.StatusCode != http.StatusPermanentRedirect || resp.Header.Get("Location") != "https://ferry.example/" {
		t.Errorf("%s, %v", resp.Status, resp.Header)
	}
	resp, body := get(t, other, "https://ferry.example/", "Cookie", "winnow-sealed-session=abc; a=b")
	if !strings.Contains(body, "“Não espera,”") || strings.Contains(body, ":443") || resp.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%v, %s", resp.Header, body)
	}
	f.took()
	old := f.browser("127.0.0.1")
	if resp, body := get(t, old, "http://bank.example:443/"); resp.StatusCode != http.StatusForbidden || !strings.Contains(body, "not offered without encryption") {
		t.Errorf("the host that is left alone: %s, %s", resp.Status, body)
	}
	if resp, body := get(t, old, "https://ferry.example/"); !strings.Contains(body, `href="https://ferry.example/account"`) || resp.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("an old browser that speaks TLS gets other addresses than HTTPS: %v, %s", resp.Header, body)
	}
	if asked := f.took(); !slices.Equal(asked, []string{"https GET ferry.example/"}) {
		t.Errorf("the origins were asked %q", asked)
	}
}

// The rules for destinations hold for HTTPS over plain HTTP, and so does the check of certificates: nothing is fetched
// in plain text in its place.
func TestVintageKeepsTheRules(t *testing.T) {
	r := newWorld(t, withVintage(t), strict)
	r.dns.set("inside.example", "127.0.1.9")
	for _, target := range []string{"http://inside.example:443/", "http://169.254.169.254:443/"} {
		if resp, _ := get(t, r.client(false), target); resp.StatusCode != http.StatusForbidden || !strings.Contains(resp.Header.Get("Winnow"), "denied") {
			t.Errorf("%s: %s, %v", target, resp.Status, resp.Header)
		}
	}
	f := newFerry(t)
	mallory := newAuthority(t)
	at := hostPort(f.tlsOrigin("127.0.1.8", "false.example", mallory.TLSConfig("false.example"), f.serve("https", "false.example")))
	_, port, _ := net.SplitHostPort(at)
	f.far.fetch.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, "127.0.1.8:"+port)
	}
	resp, _ := get(t, f.browser("127.0.0.1"), "http://false.example:443/")
	if resp.StatusCode != http.StatusBadGateway || !strings.Contains(resp.Header.Get("Winnow"), "tls-") || f.took() != nil {
		t.Errorf("a false certificate: %s, %v", resp.Status, resp.Header)
	}
}
