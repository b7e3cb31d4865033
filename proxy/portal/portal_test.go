package portal

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/proxy/choice"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/ownpages"
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
		if got := ordered(agent); got[0].ID != want || len(got) != len(devices()) {
			t.Errorf("%q: %s first of %d", agent, got[0].ID, len(got))
		}
	}
	if deviceOf("") != "" {
		t.Error("a device without a name is known")
	}
}

// fakeCA is a certificate that is none.
type fakeCA struct{}

func (fakeCA) PEM() []byte          { return nil }
func (fakeCA) DER() []byte          { return nil }
func (fakeCA) MobileConfig() []byte { return nil }
func (fakeCA) Fingerprint() string {
	return strings.TrimSuffix(strings.Repeat("AB:", 32), ":")
}

// The page has no fault that axe-core finds, and fits the screen. WINNOW_PICTURES names a folder for pictures.
func TestPageIsForEverybody(t *testing.T) {
	axe := browsertest.AxeSource(t)
	b := browsertest.Start(t)
	devices, err := choice.OpenDevices("", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(Options{Listen: "192.168.1.5:8080", CA: fakeCA{}, Forget: func(string) {}, Devices: devices, Site: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Scheme, r.URL.Host = "http", "winnow.internal" // as through the proxy
		h.ServeHTTP(w, r.WithContext((&exchange.Exchange{Name: "192.168.1.7"}).On(r.Context())))
	}))
	defer s.Close()
	for _, width := range []int64{320, 390, 1280} {
		a := browsertest.Audit{Width: width, Dark: width == 390, Axe: axe}
		if dir := os.Getenv("WINNOW_PICTURES"); dir != "" {
			a.Picture = filepath.Join(dir, fmt.Sprintf("portal-%d.png", width))
		}
		f, err := b.Audit(t.Context(), s.URL+"/", a)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Violations) > 0 || f.Overflow > 0 {
			t.Errorf("at %d pixels: %.0f pixels too wide; %s", width, f.Overflow, strings.Join(f.Violations, "\n"))
		}
	}
	browsertest.CheckAccessibility(t, s.URL+"/")
	if resp, err := http.Get(s.URL + ownpages.StylePath); err != nil || resp.StatusCode != 200 {
		t.Errorf("the style sheet: %v %v", resp, err)
	}
}
