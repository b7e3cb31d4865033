package portal

import (
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/source"
)

func TestSetupURL(t *testing.T) {
	addrs := []net.Addr{&net.IPNet{IP: net.IPv4(127, 0, 0, 1), Mask: net.CIDRMask(8, 32)}, &net.IPNet{IP: net.IPv4(8, 8, 8, 8), Mask: net.CIDRMask(24, 32)},
		&net.IPNet{IP: net.IPv4(192, 168, 1, 5), Mask: net.CIDRMask(24, 32)}}
	for listen, want := range map[string]string{
		":8080": "http://192.168.1.5:8080/", "0.0.0.0:8080": "http://192.168.1.5:8080/", "[::]:8080": "http://192.168.1.5:8080/",
		"127.0.0.1:8080": "", "localhost:8080": "", "[::1]:8080": "", "10.1.2.3:3128": "http://10.1.2.3:3128/", "box.lan:8080": "http://box.lan:8080/", "nonsense": "",
	} {
		if got, ok := SetupURL(listen, addrs); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", listen, got, ok, want)
		}
	}
	if got, ok := SetupURL(":8080", nil); ok {
		t.Errorf("without a network: %s", got)
	}
}

// A code has its three corners and a quiet zone, as text and as a picture.
func TestCodes(t *testing.T) {
	text, err := CodeText("http://192.168.1.5:8080/")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	width := len([]rune(lines[0]))
	if len(lines) != (width+1)/2 || strings.Trim(lines[0], "█") != "" {
		t.Errorf("%d lines of %d:\n%s", len(lines), width, text)
	}
	for _, l := range lines {
		if r := []rune(l); len(r) != width || string(r[:2]) != "██" && l != lines[len(lines)-1] {
			t.Errorf("line %q", l)
		}
	}
	if corner := []rune(lines[1])[2:9]; string(corner) != " ▄▄▄▄▄ " {
		t.Errorf("the corner begins %q", string(corner))
	}
	w := httptest.NewRecorder()
	ServeCode(w, "http://192.168.1.5:8080/")
	if w.Header().Get("Content-Type") != "image/svg+xml" || !strings.Contains(w.Body.String(), "M4 4h1v1h-1z") || strings.Contains(w.Body.String(), "M3 ") {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
}

// The device that asks comes first.
func TestDevices(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605": "ios",
		"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/130": "android",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/1":  "windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1":      "mac",
		"Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0": "firefox",
		"curl/8.5.0": "linux", "": "ios",
	} {
		if got := ordered(agent, "a.test:1"); got[0].ID != want || len(got) != len(devices("")) {
			t.Errorf("%q: %s first of %d", agent, got[0].ID, len(got))
		}
	}
	if deviceOf("") != "" {
		t.Error("a device without a name is known")
	}
}

// The styles of pages are kept for a year under a name that changes with them, and other names have today's.
func TestStylesAreKept(t *testing.T) {
	h, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := pagetest.MustParse(t, []byte(`<html><head><title>t</title></head><body><p>Story</p></body></html>`), "text/html; charset=utf-8")
	const own = "http://winnow.internal"
	out, err := write.Form{Mode: page.ModeAuto, Bar: own + "/", Styles: own + source.StylesPath}.Write(p, pagetest.MarkNoise(p))
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`href="` + own + `(/s/(\w+)-\w+\.css)"`).FindStringSubmatch(string(out.Body))
	if link == nil {
		t.Fatalf("no link to styles: %s", out.Body)
	}
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	now, old := get(link[1]), get("/s/"+link[2]+"-0.css")
	if now.Body.String() != old.Body.String() || !strings.Contains(now.Body.String(), ":host") {
		t.Errorf("the styles: %s; by another name: %s", now.Body, old.Body)
	}
	if a, b := now.Header().Get("Cache-Control"), old.Header().Get("Cache-Control"); !strings.Contains(a, "immutable") || strings.Contains(b, "immutable") {
		t.Errorf("they are kept: %q, by another name %q", a, b)
	}
}
