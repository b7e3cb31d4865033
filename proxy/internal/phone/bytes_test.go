package phone

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
)

// ours is what winnow adds to a page.
var ours = regexp.MustCompile(` (?:hidden|data-winnow-[a-z]+|loading|preload|poster)="(?:main|row|lazy|none|data:,)?"|<meta name="viewport" content="width=device-width, initial-scale=1">|` +
	`<link rel="stylesheet" href="http://winnow[^>]*>|<winnow-bar.*?</winnow-bar>|<style>(?::is\(|\[data-winnow|html,body).*?</style>`)

// What winnow adds to a page takes about 300 bytes at most, packed: the address of the page is in it.
func TestLittleIsAdded(t *testing.T) {
	const visits = 10
	made := madeSites(t, filepath.Join("engines", *engineGlob), visits+2, 1)
	addr, drain := startProxy(t, page.ModeAuto)
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: addr})}
	defer transport.CloseIdleConnections()
	for _, when := range []string{"first", "twelfth"} {
		var added, saved []float64
		for _, s := range made {
			if when == "twelfth" {
				teach(t, addr, s, slices.DeleteFunc(slices.Clone(s.pages), func(p string) bool { return strings.HasSuffix(p, "/12") }))
			}
		}
		drain()
		for _, s := range made {
			for k := range s.kinds {
				path := s.pages[(k+1)*(visits+2)-1]
				was, is := get(t, http.DefaultTransport, s.url+path), get(t, transport, s.url+path)
				more := packed(is) - packed(ours.ReplaceAll(is, nil))
				added, saved = append(added, float64(more)), append(saved, 1-float64(packed(is))/float64(packed(was)))
				if more > 320 || !bytes.Contains(is, []byte("<winnow-bar")) {
					t.Errorf("%s visit of %s%s: %d bytes are added to %d", when, s.name, path, more, packed(was))
				}
				t.Logf("%s visit of %s%s: %d bytes are added, %d of %d", when, s.name, path, more, packed(is), packed(was))
			}
		}
		grow := len(slices.DeleteFunc(slices.Clone(saved), func(f float64) bool { return f >= 0 }))
		t.Logf("%s visit: median of added bytes %.0f, saved %.3f, %d of %d pages grow", when, median(added), median(saved), grow, len(saved))
	}
}

// get fetches a page as a browser that navigates does.
func get(t *testing.T, transport http.RoundTripper, address string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Accept": {"text/html,application/xhtml+xml,*/*;q=0.8"}, "User-Agent": {"Mozilla/5.0 (Linux; Android 14) Chrome/140.0 Mobile Safari/537.36"},
		"Sec-Fetch-Dest": {"document"}, "Sec-Fetch-Mode": {"navigate"}, "Upgrade-Insecure-Requests": {"1"}}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, resp.Status, err)
	}
	return b
}

// packed is how many bytes b takes on the wire.
func packed(b []byte) int {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, _ = w.Write(b)
	_ = w.Close() // a buffer takes all
	return buf.Len()
}
