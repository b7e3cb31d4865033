package dial

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// A connection that a client's request has opened to this machine serves no request whose address an origin named.
func TestFollowedRequestsReachNothingInside(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "inside") }))
	defer s.Close()
	origin := authority(t, s.Listener.Addr().String())
	for name, tweak := range map[string]func(*Options){
		"on loopback":          nil,
		"with --allow-private": func(o *Options) { o.Private = true },
	} {
		d := dialer(t, tweak)
		req := mustGet(t, s.URL)
		resp, err := d.RoundTrip(req.WithContext(Named(req.Context())), origin, "/", nil)
		if err != nil {
			t.Fatal(name, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		var denied *DeniedError
		if resp, err := d.RoundTrip(req, origin, "/", nil); !errors.As(err, &denied) || !denied.Followed {
			t.Errorf("%s: %v, %v", name, resp, err)
		}
	}
}

func mustGet(t *testing.T, u string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestFollow(t *testing.T) {
	for _, tc := range []struct {
		from, to string
		stays    bool
	}{
		{"http://10.0.0.5/a", "http://10.0.0.5/b", true},
		{"http://10.0.0.5/", "http://10.0.0.5:80/", true},
		{"http://wiki.test/", "https://WIKI.test/", true},
		{"http://10.0.0.5:8080/", "http://10.0.0.5:8081/", false},
		{"http://10.0.0.5/", "http://10.0.0.5:8080/", false},
		{"http://10.0.0.5/", "http://10.0.0.6/", false},
		{"http://site.test/", "http://127.0.0.1/", false},
		{"http://site.test/", "http:///x", false},
	} {
		from, to := must(url.Parse(tc.from)), must(url.Parse(tc.to))
		if got := IsNamed(Follow(Named(t.Context()), from, to)); got != tc.stays {
			t.Errorf("from %s to %s: %v", tc.from, tc.to, got)
		}
		back := Follow(Follow(Named(t.Context()), from, to), to, from)
		if IsNamed(back) != tc.stays {
			t.Errorf("from %s to %s and back: %v", tc.from, tc.to, IsNamed(back))
		}
		if IsNamed(Follow(t.Context(), from, to)) {
			t.Errorf("from %s to %s: a permission out of nothing", tc.from, tc.to)
		}
	}
}
