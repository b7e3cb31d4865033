package api

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Addresses and tags count for the memory of pages, as the pages themselves do.
func TestRememberedBytesAreBounded(t *testing.T) {
	r := newRemembered(1000, 4000, time.Hour)
	for i := range 100 {
		r.put(pageKey{"one", strings.Repeat("u", 300+i), "tag"}, answer{Body: []byte("12345678")})
	}
	if n := r.pages.Len(); n < 5 || n > 12 || r.bytes > 4000 {
		t.Errorf("%d pages in %d bytes", n, r.bytes)
	}
	if r.put(pageKey{url: strings.Repeat("u", 1001)}, answer{}); r.pages.Len() == 0 {
		t.Error("a long address pushes out all pages")
	}
	for r.pages.Len() > 0 {
		r.pages.RemoveOldest()
	}
	if r.bytes != 0 {
		t.Errorf("%d bytes for no page", r.bytes)
	}
}

// What is named again stays, and what is not goes.
func TestRememberedPagesAreRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRemembered(10, 1000, time.Hour)
		for _, url := range []string{"named", "left"} {
			r.put(pageKey{url: url}, answer{Body: []byte(url)})
		}
		time.Sleep(50 * time.Minute)
		r.renew(pageKey{url: "named"})
		r.renew(pageKey{url: "never there"})
		time.Sleep(50 * time.Minute)
		if p, ok := r.get(pageKey{url: "named"}); !ok || string(p.Body) != "named" {
			t.Errorf("what was named again: %q %t", p.Body, ok)
		}
		for _, url := range []string{"left", "never there"} {
			if _, ok := r.get(pageKey{url: url}); ok {
				t.Errorf("%q is there", url)
			}
		}
	})
}
