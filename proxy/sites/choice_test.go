package sites

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
)

const here = "https://news.test/a/b?c=d"

func target(t *testing.T) *url.URL {
	t.Helper()
	u, err := url.Parse(here)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// follow asks for a link as client, at a host.
func follow(c *Choices, link, client, host string) (*http.Response, error) {
	w := httptest.NewRecorder()
	err := c.ServeLink(w, httptest.NewRequest(http.MethodGet, link, nil), client, "https", host, host)
	return w.Result(), err
}

// A link sets a cookie that holds for its site alone and never reaches it.
func TestChoosing(t *testing.T) {
	c := NewChoices([]byte("secret"), nil)
	for _, tc := range []struct {
		choice Choice
		mode   page.Mode
		lasts  time.Duration
	}{
		{Choice{Mode: page.ModeOff}, page.ModeOff, alwaysLasts}, {Choice{Mode: page.ModeOff, Once: true}, page.ModeOff, onceLasts},
		{Choice{Mode: page.ModeReader}, page.ModeReader, alwaysLasts}, {Choice{Cleaned: true}, page.ModeAuto, alwaysLasts},
	} {
		resp, err := follow(c, c.Link("ada", target(t), tc.choice), "ada", "news.test")
		if err != nil || resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/a/b?c=d" {
			t.Fatalf("%v: %v %v", tc.choice, err, resp.Header)
		}
		set := resp.Cookies()[0]
		if !set.HttpOnly || set.MaxAge != int(tc.lasts.Seconds()) {
			t.Errorf("%v: %v", tc.choice, set)
		}
		h := http.Header{"Cookie": {"a=1; " + set.Name + "=" + set.Value + "; b=2"}}
		if mode, ok := c.Take(h, "news.test"); !ok || mode != tc.mode || h.Get("Cookie") != "a=1; b=2" {
			t.Errorf("%v: mode %s, %v, the site gets %q", tc.choice, mode, ok, h.Get("Cookie"))
		}
		h = http.Header{"Cookie": {set.Name + "=" + set.Value}}
		if _, ok := c.Take(h, "other.test"); ok || h["Cookie"] != nil {
			t.Errorf("another site's cookie counts, or goes on: %v", h)
		}
	}
}

// Nobody makes a choice for somebody else, or with an address of his own making.
func TestForeignLinksAreRefused(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	c := NewChoices([]byte("secret"), func() time.Time { return now })
	link := c.Link("ada", target(t), Choice{Mode: page.ModeOff})
	refused := func(what, link, client, host string) {
		t.Helper()
		if resp, err := follow(c, link, client, host); !errors.Is(err, ErrLink) || len(resp.Cookies()) > 0 {
			t.Errorf("%s: %v %v", what, err, resp.Header)
		}
	}
	refused("somebody else's", link, "bob", "news.test")
	refused("another site's", link, "ada", "other.test")
	refused("another choice", strings.Replace(link, "choose=off", "choose=reader", 1), "ada", "news.test")
	refused("leading elsewhere", strings.Replace(link, "to=%2F", "to=%2F%2Fevil.test%2F", 1), "ada", "news.test")
	refused("unsigned", "https://news.test"+ChoicePath+"?choose=off&to=%2F", "ada", "news.test")
	now = now.Add(linkLasts + time.Minute)
	refused("an old one", link, "ada", "news.test")
	if _, ok := c.Take(http.Header{"Cookie": {cookie + "=off." + strings.Repeat("0", 32)}}, "news.test"); ok {
		t.Error("a made-up cookie counts")
	}
}

// FuzzTake hands in cookies: what is not winnow's goes on.
func FuzzTake(f *testing.F) {
	c := NewChoices([]byte("secret"), nil)
	f.Add("a=1; b=2")
	f.Add(cookie + "=x; " + cookie + "=" + c.value("news.test", page.ModeOff) + ";c")
	f.Fuzz(func(t *testing.T, line string) {
		h := http.Header{"Cookie": {line}}
		_, _ = c.Take(h, "news.test")
		for pair := range strings.SplitSeq(h.Get("Cookie"), ";") {
			if name, _, _ := strings.Cut(strings.TrimSpace(pair), "="); name == cookie {
				t.Fatalf("%q goes on", h.Get("Cookie"))
			}
		}
		if !strings.Contains(line, cookie) && h.Get("Cookie") != line {
			t.Fatalf("%q became %q", line, h.Get("Cookie"))
		}
	})
}
