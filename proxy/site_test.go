package proxy

import (
	"context"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// The bar is one control for a finger. It goes when the page is scrolled down and comes back when it is scrolled up,
// and opens a sheet, which is not loaded before, with the menu and the search of the site that were taken out. Nobody
// else can show the sheet.
func TestSheetInChromium(t *testing.T) {
	r := newWorld(t, withTeaching(t, everybody))
	origin := r.origin("127.0.1.1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<html><head><meta name="viewport" content="width=device-width"></head><body style="min-height:5000px"><p>`+
			strings.Repeat("A story that is long enough. ", 30)+`</p></body></html>`)
	})
	const use = `(async () => {
		const wait = ms => new Promise(done => setTimeout(done, ms)), said = [];
		const bar = document.querySelector("winnow-bar"), control = bar.shadowRoot.querySelector("summary"), frame = bar.shadowRoot.querySelector("iframe");
		for (let n = 0; n < 50 && control.getBoundingClientRect().width !== 44; n++) await wait(100);
		const place = () => { const r = control.getBoundingClientRect(); return r.width + "x" + r.height + (r.bottom <= innerHeight ? " shown" : " away"); };
		const sheets = () => performance.getEntriesByType("resource").filter(e => e.name.includes("/sheet?")).length;
		said.push(place());
		scrollBy({top: 2000, behavior: "instant"}); await wait(900);
		said.push(place());
		scrollBy({top: -1000, behavior: "instant"}); await wait(900);
		said.push(place(), sheets());
		control.click();
		for (let n = 0; n < 50 && !sheets(); n++) await wait(100);
		const r = frame.getBoundingClientRect();
		said.push(sheets(), r.width > 300 && r.left >= 0 && r.bottom < innerHeight);
		return said.join(", ");
	})()`
	b := browsertest.StartBehind(t, r.addr)
	if got, err := b.Ask(t.Context(), origin+"/1", use); got != "44x44 shown, 44x44 away, 44x44 shown, 0, 1, true" {
		t.Errorf("the bar: %s (%v)", got, err)
	}
	resp, body := browse(t, r.client(false), "http://"+hostname.Portal+"/site/"+hostPort(origin)+"/sheet?page="+url.QueryEscape(origin+"/1")+"&shown=00", "iframe")
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("a sheet that winnow did not offer: %s %s", resp.Status, body)
	}
}

// A script that goes through the rules of all style sheets of its page gets through those of winnow, too: a sheet of
// another origin that it may not read throws.
func TestScriptsMayReadTheStyles(t *testing.T) {
	r := newWorld(t, withTeaching(t, everybody))
	origin := r.origin("127.0.1.1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		_, _ = io.WriteString(w, `<html><head><style>p{color:green}</style></head><body><p>`+strings.Repeat("A story that is long enough. ", 30)+`</p></body></html>`)
	})
	const use = `(async () => {
		for (let n = 0; n < 50 && document.readyState !== "complete"; n++) await new Promise(done => setTimeout(done, 100));
		return [...document.styleSheets].map(s => s.href ? s.href.includes("/s/") && s.cssRules.length > 5 : s.cssRules.length).join(", ");
	})()`
	if got, err := browsertest.StartBehind(t, r.addr).Ask(t.Context(), origin+"/1", use); got != "1, true" {
		t.Errorf("the styles of the page: %s (%v)", got, err)
	}
}

// The sheet leads to the original, the reader, the menu and winnow's page.
func TestSheetLeadsOn(t *testing.T) {
	r := newWorld(t, withTeaching(t, everybody))
	var served atomic.Int32
	origin := r.origin("127.0.1.1", func(w http.ResponseWriter, _ *http.Request) {
		served.Add(1)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<html><body><p>A story that is long enough to be the greater part of what this page has to say to anybody.</p><div class=promise>A promise of something else</div></body></html>`)
	})
	c := r.client(false)
	_, body := browse(t, c, origin+"/1", "document")
	link := regexp.MustCompile(`src="(http://` + hostname.Portal + `/site/[^"]+)"`).FindStringSubmatch(body)
	if link == nil {
		t.Fatalf("no sheet: %s", body)
	}
	resp, body := browse(t, c, html.UnescapeString(link[1]), "iframe")
	if !strings.Contains(body, "Original</a>") || !strings.Contains(body, "Reader</a>") || !strings.Contains(body, `value="`+origin+`/1"`) || resp.Header.Get("Cross-Origin-Resource-Policy") == "" {
		t.Fatalf("the sheet: %v %s", resp.Header, body)
	}
	menu := regexp.MustCompile(`href="([^"]+)" target="_self">[^\n]*Menu`).FindStringSubmatch(body)
	if menu == nil {
		t.Fatalf("no link to the menu: %s", body)
	}
	address := "http://" + hostname.Portal + html.UnescapeString(menu[1])
	fetched := served.Load()
	resp, body = browse(t, c, address, "image")
	if served.Load() != fetched {
		t.Errorf("a picture has the page fetched: %s %s", resp.Status, body)
	}
	resp, body = browse(t, c, address, "iframe")
	if resp.StatusCode != http.StatusOK || served.Load() == fetched {
		t.Errorf("the menu: %s %s", resp.Status, body)
	}
	// A page can't have its own parts shown under another site's name.
	resp, body = browse(t, c, regexp.MustCompile(`/site/[^/]+/sheet`).ReplaceAllString(address, "/site/bank.example/sheet"), "document")
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("under another name: %s %s", resp.Status, body)
	}
}

const promises = `<html><body><p>A story that is long enough to be the greater part of what this page has to say to anybody.</p>
<div class=promise>A promise of something else</div></body></html>`

// withTeaching gives a world's proxy real models, which find no noise by themselves.
func withTeaching(t *testing.T, may func(access.Identity) bool) func(*Options) {
	t.Helper()
	models := testmodels.Of(t, "keep")
	choices := sites.NewChoices(models.Secret("choices"), nil)
	devices, err := sites.OpenDevices("", models.Secret("devices"), nil)
	if err != nil {
		t.Fatal(err)
	}
	cleaner, err := pipeline.New(pipeline.Options{Models: models, Limits: testmodels.Patient(), Mode: page.ModeAuto, Bar: true, Choices: choices, Logger: slog.New(slog.DiscardHandler),
		DeviceMode: func(ctx context.Context) (page.Mode, bool) { return devices.Mode(exchange.Device(ctx)) }})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) {
		o.Pipeline, o.Lessons, o.MayTeach, o.Choices, o.Devices = cleaner, models, may, choices, devices
	}
}

func everybody(access.Identity) bool { return true }

func servePromises(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, promises)
}

// fields returns the hidden fields of the form on body that has a button of this text.
func fields(t *testing.T, body, button string) url.Values {
	t.Helper()
	for _, form := range strings.Split(body, "<form")[1:] {
		form, _, _ = strings.Cut(form, "</form>")
		if strings.Contains(form, button) {
			v := url.Values{}
			for _, m := range regexp.MustCompile(`name="(\w+)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
				v.Set(m[1], m[2])
			}
			return v
		}
	}
	t.Fatalf("no form with %q in %s", button, body)
	return nil
}

// post sends a form without following where it leads.
func post(t *testing.T, c *http.Client, to string, form url.Values, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

// A tap on a part of a page holds from the next page on, over HTTP and HTTPS, and can be taken back.
func TestTeachingByTap(t *testing.T) {
	r := newWorld(t, withTeaching(t, everybody))
	for name, tc := range map[string]struct {
		origin, portal string
		secure         bool
	}{
		"http":  {r.origin("127.0.1.1", servePromises), "http://" + hostname.Portal, false},
		"https": {r.secureOrigin("127.0.1.2", "promise.test", servePromises), "https://" + hostname.Portal, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := r.client(tc.secure)
			at := tc.portal + "/site/" + hostPort(tc.origin)
			if _, body := getHTML(t, c, tc.origin+"/1"); !strings.Contains(body, "A promise") {
				t.Fatalf("the detector finds noise by itself: %s", body)
			}
			resp, body := get(t, c, at+"?page="+url.QueryEscape(tc.origin+"/1"))
			if resp.StatusCode != http.StatusOK || strings.Contains(resp.Header.Get("Content-Security-Policy"), "unsafe") {
				t.Fatalf("%s %v", resp.Status, resp.Header)
			}
			form := fields(t, body, "Take out<span class=\"vh\">: A promise")
			if resp := post(t, c, at+"/teach", form); resp.StatusCode != http.StatusSeeOther {
				t.Fatalf("the tap: %s", resp.Status)
			}
			if _, body := getHTML(t, c, tc.origin+"/2"); strings.Contains(body, "A promise") || !strings.Contains(body, "A story") {
				t.Errorf("the next page: %s", body)
			}
			_, body = get(t, c, at+"?page="+url.QueryEscape(tc.origin+"/2"))
			fields(t, body, "Bring back")
			if resp := post(t, c, at+"/revoke", fields(t, body, "Undo")); resp.StatusCode != http.StatusSeeOther {
				t.Fatalf("taking it back: %s", resp.Status)
			}
			if _, body := getHTML(t, c, tc.origin+"/3"); !strings.Contains(body, "A promise") {
				t.Errorf("after it was taken back: %s", body)
			}
		})
	}
}

// The tap works in Chromium over plain HTTP, where a form from winnow's page has the Origin "null".
func TestTeachingInChromium(t *testing.T) {
	r := newWorld(t, withTeaching(t, everybody))
	origin := r.origin("127.0.1.1", servePromises)
	_, body := browse(t, r.client(false), origin+"/1", "document") // the same device, as winnow knows it
	link := regexp.MustCompile(`href="(http://` + hostname.Portal + `/site/[^"]+)"`).FindStringSubmatch(body)
	if link == nil {
		t.Fatalf("no bar: %s", body)
	}
	_, body = browse(t, r.client(false), html.UnescapeString(link[1]), "iframe")
	link = regexp.MustCompile(`href="([^"]+)">[^\n]*Something is wrong`).FindStringSubmatch(body)
	if link == nil {
		t.Fatalf("the sheet has no link for teaching: %s", body)
	}
	title, err := browsertest.StartBehind(t, r.addr).Fill(t.Context(), "http://"+hostname.Portal+html.UnescapeString(link[1]), nil, "Take out: A promise of something else")
	if err != nil || !strings.Contains(title, hostPort(origin)) {
		t.Fatalf("%q (%v)", title, err)
	}
	if _, body := getHTML(t, r.client(false), origin+"/2"); strings.Contains(body, "A promise") || !strings.Contains(body, "A story") {
		t.Errorf("the next page: %s", body)
	}
}

// Nobody teaches with a form that winnow's own page has not shown to them, and nobody whom the operator does not trust.
func TestTeachingIsRefused(t *testing.T) {
	trusted := true
	r := newWorld(t, withTeaching(t, func(access.Identity) bool { return trusted }))
	origin := r.origin("127.0.1.1", servePromises)
	c := r.client(false)
	at := "http://" + hostname.Portal + "/site/" + hostPort(origin)
	look := at + "?page=" + url.QueryEscape(origin+"/1")
	_, body := get(t, c, look)
	good := fields(t, body, "Take out")
	with := func(name, value string) url.Values {
		v := url.Values{}
		for k := range good {
			v.Set(k, good.Get(k))
		}
		v.Set(name, value)
		return v
	}
	refused := func(what string, want int, resp *http.Response) {
		t.Helper()
		if resp.StatusCode != want || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s as %s, want %d", what, resp.Status, resp.Header.Get("Content-Type"), want)
		}
	}
	refused("another site's page, which knows no token", 403, post(t, c, at+"/teach", with("token", ""), "Origin", "https://evil.test"))
	refused("a guessed token", 403, post(t, c, at+"/teach", with("token", strings.Repeat("0", 64))))
	refused("another lesson", 403, post(t, c, at+"/teach", with("lesson", strings.Repeat("01", 23))))
	refused("another host", 403, post(t, c, "http://"+hostname.Portal+"/site/other.test/teach", good))
	refused("a host that is none", 404, post(t, c, "http://"+hostname.Portal+"/site/a%20b/teach", good))
	refused("a form that is too long", 403, post(t, c, at+"/teach", with("token", strings.Repeat("0", 1<<16))))
	trusted = false
	refused("somebody who may not", 403, post(t, c, at+"/teach", good))
	if _, body := get(t, c, look); strings.Contains(body, "Take out") || !strings.Contains(body, "A promise") {
		t.Errorf("whoever may not teach sees %s", body)
	}
	if _, body := getHTML(t, c, origin+"/2"); !strings.Contains(body, "A promise") {
		t.Error("something was taught")
	}
}

// A look at a page reaches what clients reach, and no more; what goes wrong is said.
func TestLooksAreGuarded(t *testing.T) {
	r := newWorld(t, strict, withTeaching(t, everybody))
	c := r.client(false)
	for address, want := range map[string]int{
		"http://169.254.169.254/":           422,
		"http://" + hostname.Portal + "/":   422,
		"ftp://a.test/":                     422,
		"http://a.test:25/":                 422,
		"http://" + r.addr + "/":            422,
		"http://nonesuch.test/":             422,
		"http://[::1":                       422,
		"javascript:alert(document.cookie)": 422,
	} {
		resp, body := get(t, c, "http://"+hostname.Portal+"/site/a.test?page="+url.QueryEscape(address))
		if resp.StatusCode != want || !strings.Contains(body, "could not be looked at") {
			t.Errorf("%s: %s", address, resp.Status)
		}
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+hostname.Portal+"/site/a.test?page=http%3A%2F%2Fa.test%2F", nil)
	req.Header.Set("Sec-Fetch-Dest", "image")
	if resp, _ := do(t, c, req); resp.StatusCode != http.StatusForbidden {
		t.Errorf("as an image: %s", resp.Status)
	}
	req.Header = http.Header{"User-Agent": {"Mozilla/5.0"}, "Accept": {"image/avif,image/webp,*/*;q=0.8"}} // over plain HTTP
	if resp, _ := do(t, c, req); resp.StatusCode != http.StatusForbidden {
		t.Errorf("as an image over HTTP: %s", resp.Status)
	}
	direct := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(direct.CloseIdleConnections)
	if resp, _ := get(t, direct, "http://"+r.addr+"/site/a.test"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("from somebody who does not use the proxy: %s", resp.Status)
	}
	for query, want := range map[string]int{"": 400, "?page=x": 400, "?page=http%3A%2F%2Fa+b%2F": 400} {
		if resp, _ := get(t, c, "http://"+hostname.Portal+"/site/"+query); resp.StatusCode != want {
			t.Errorf("/site/%s: %s", query, resp.Status)
		}
	}
}

// The frames show the page with what goes tinted, and without it, locked in; nobody else's page gets them.
func TestFrames(t *testing.T) {
	r := newWorld(t, withTeaching(t, everybody))
	origin := r.origin("127.0.1.1", servePromises)
	c := r.client(false)
	at := "http://" + hostname.Portal + "/site/" + hostPort(origin)
	look := at + "?page=" + url.QueryEscape(origin+"/1")
	_, body := get(t, c, look)
	post(t, c, at+"/teach", fields(t, body, "Take out<span class=\"vh\">: A promise"))
	_, body = get(t, c, look)
	found := 0
	for _, m := range regexp.MustCompile(`<iframe [^>]*sandbox [^>]*src="([^"]+)"`).FindAllStringSubmatch(body, -1) {
		resp, frame := get(t, c, "http://"+hostname.Portal+html.UnescapeString(m[1]))
		if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Security-Policy"), "sandbox; default-src 'none'") {
			t.Errorf("%s: %s %v", m[1], resp.Status, resp.Header)
		}
		if before := strings.Contains(m[1], "/before?"); strings.Contains(frame, "A promise") != before || strings.Contains(frame, `data-winnow="noise"`) != before {
			t.Errorf("%s: %s", m[1], frame)
		}
		found++
	}
	if found != 2 {
		t.Errorf("%d frames in %s", found, body)
	}
	if resp, _ := get(t, c, at+"/before?page="+url.QueryEscape(origin+"/1")); resp.StatusCode != http.StatusForbidden {
		t.Errorf("without a token: %s", resp.Status)
	}
}

// browse asks for a page as a browser that goes to it.
func browse(t *testing.T, c *http.Client, to, dest string, cookies ...*http.Cookie) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Sec-Fetch-Dest", dest)
	for _, k := range cookies {
		req.AddCookie(k)
	}
	resp, err := c.Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

// The bar of a page leads to winnow's page about it, where links choose the original or the reader: by a cookie that
// the site never gets. The reader leads back there. Frames and programs get no bar.
func TestBarAndChoices(t *testing.T) {
	r := newWorld(t, withTeaching(t, everybody))
	var got atomic.Value
	serve := func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.URL.Path + " " + r.Header.Get("Cookie"))
		servePromises(w, r)
	}
	for name, origin := range map[string]string{"http": r.origin("127.0.1.1", serve), "https": r.secureOrigin("127.0.1.2", "promise.test", serve)} {
		t.Run(name, func(t *testing.T) {
			c := r.client(name == "https")
			bar := regexp.MustCompile(`<a href="([^"]+)">winnow</a></winnow-bar>`)
			resp, body := browse(t, c, origin+"/1?a=b", "document")
			m := bar.FindStringSubmatch(body)
			if m == nil || !strings.Contains(strings.Join(resp.Header["Vary"], ","), "Cookie") {
				t.Fatalf("no bar, or no Vary: %v %s", resp.Header, body)
			}
			if _, body := browse(t, c, origin+"/1", "iframe"); bar.MatchString(body) {
				t.Error("a frame has a bar")
			}
			if resp, body := get(t, c, origin+"/1"); bar.MatchString(body) || strings.Contains(strings.Join(resp.Header["Vary"], ","), "Cookie") {
				t.Error("a program gets a bar")
			}
			to := html.UnescapeString(m[1])
			if !strings.HasPrefix(to, name+"://"+hostname.Portal+"/site/") {
				t.Fatalf("the bar leads to %s", to)
			}
			_, views := browse(t, c, to, "document")
			m = regexp.MustCompile(`href="([^"]+)">[^\n]*Original<`).FindStringSubmatch(views)
			if m == nil {
				t.Fatalf("no link: %s", views)
			}
			resp, _ = browse(t, c, html.UnescapeString(m[1]), "document")
			if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/1?a=b" || len(resp.Cookies()) != 1 {
				t.Fatalf("choosing: %s %v", resp.Status, resp.Header)
			}
			resp, body = browse(t, c, origin+"/2", "document", resp.Cookies()[0], &http.Cookie{Name: "own", Value: "1"})
			if body != promises || resp.Header.Get("Winnow") != "passed; reason=mode-off" || got.Load() != "/2 own=1" {
				t.Errorf("the original: %q, the site got %q: %s", resp.Header.Get("Winnow"), got.Load(), body)
			}
			if resp, _ := browse(t, c, origin+sites.ChoicePath+"?choose=off&to=%2F", "document"); resp.StatusCode != http.StatusForbidden || len(resp.Cookies()) > 0 {
				t.Errorf("a link of another site's: %s", resp.Status)
			}
			if got.Load() != "/2 own=1" {
				t.Errorf("the site got %q", got.Load())
			}
			m = regexp.MustCompile(`href="([^"]+choose=reader-once&[^"]+)"`).FindStringSubmatch(views)
			if m == nil {
				t.Fatalf("no link to the reader: %s", views)
			}
			resp, _ = browse(t, c, html.UnescapeString(m[1]), "document")
			if len(resp.Cookies()) != 1 {
				t.Fatalf("choosing the reader: %s %v", resp.Status, resp.Header)
			}
			_, body = browse(t, c, origin+"/2", "document", resp.Cookies()[0])
			if back := `<a href="` + name + "://" + hostname.Portal + "/site/"; !strings.Contains(body, back) || !strings.Contains(body, ">Original page<") {
				t.Errorf("no way back from the reader: %s", body)
			}
		})
	}
}
