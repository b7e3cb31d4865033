package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// browserOverHTTP is what browsers send with a navigation where they say nothing of who started it.
func browserOverHTTP() []string {
	return []string{"User-Agent", "Mozilla/5.0 (X11; Linux x86_64)", "Accept", "text/html", "Upgrade-Insecure-Requests", "1"}
}

// A page that leads its reader to winnow's page about a private address has nothing fetched there. The reader can: by a
// typed address, and by winnow's line on the private page itself.
func TestPagesLeadNoLookInside(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 100)
	for name, tweak := range map[string]func(*Options){"on loopback": strict, "with --allow-private": func(*Options) {}} {
		r := newWorld(t, withTeaching(t, everybody), tweak, func(o *Options) { o.AllowPorts = []string{"1-65535"} })
		origin := r.origin("127.0.1.7", func(w http.ResponseWriter, req *http.Request) {
			asked <- req.URL.Path
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, promises)
		})
		c := r.client(false)
		at := "http://" + hostname.Portal + "/site/" + hostPort(origin) + "?page=" + url.QueryEscape(origin+"/private")
		for why, header := range map[string][]string{
			"over HTTP":         browserOverHTTP(),
			"from another site": append(browserOverHTTP(), "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "document"),
		} {
			if resp, body := get(t, c, at+"&shown=0123", header...); resp.StatusCode != http.StatusUnprocessableEntity || len(asked) > 0 {
				t.Errorf("%s, %s: %s: %s", name, why, resp.Status, body)
			}
		}
		operator := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/site/"+hostPort(origin)+"?page="+url.QueryEscape(origin+"/private"), nil)
		operator.Header = http.Header{"User-Agent": {"Mozilla/5.0"}, "Accept": {"text/html"}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Dest": {"document"}}
		rec := httptest.NewRecorder()
		if r.server.ServeSite(rec, operator); rec.Code != http.StatusUnprocessableEntity || len(asked) > 0 {
			t.Errorf("%s: the operator's browser, led there: %d", name, rec.Code)
		}
		if resp, _ := get(t, c, at, append(browserOverHTTP(), "Sec-Fetch-Site", "none", "Sec-Fetch-Dest", "document")...); resp.StatusCode != http.StatusOK || len(asked) != 1 {
			t.Errorf("%s: a typed address: %s", name, resp.Status)
		}
		_, body := get(t, c, origin+"/private", browserOverHTTP()...)
		line := regexp.MustCompile(`http://` + regexp.QuoteMeta(hostname.Portal) + `/site/[^" >]+`).FindString(body)
		resp, body := get(t, c, strings.ReplaceAll(line, "&amp;", "&"), browserOverHTTP()...)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: winnow's line %q: %s", name, line, resp.Status)
		}
		frame := regexp.MustCompile(`/site/[^" ]+/after\?[^"]+`).FindString(body)
		if resp, _ := get(t, c, "http://"+hostname.Portal+strings.ReplaceAll(frame, "&amp;", "&"), browserOverHTTP()...); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: its frame %q: %s", name, frame, resp.Status)
		}
		for len(asked) > 0 {
			<-asked
		}
	}
}
