package quorum

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
)

func parse(t *testing.T, html string) *page.Page {
	t.Helper()
	p, err := page.Parse([]byte(html), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// greeting is a page with parts for all and parts for one.
func greeting(name string) string {
	return `<!doctype html><html><body><ul><li><a href="/news">News</a></li><li><a href="/u/` + name + `">My page</a></li></ul>
<div><p>Hello ` + name + `, you have ` + fmt.Sprint(len(name)) + ` letters.</p><p>The ferry sails <a href="/t?u=` + name + `">at nine</a> each day.</p>
<img src="/avatar/` + name + `.png"></div>loose words of ` + name + `<footer>Fares may change.</footer></body></html>`
}

func texts(p *page.Page) string {
	var all []string
	for b := range p.Blocks {
		all = append(all, string(p.BlockText(nil, page.BlockID(b))))
	}
	return strings.Join(all, "|")
}

// What K clients have seen teaches, and nothing that fewer have: neither text nor addresses.
func TestOnlyWhatEnoughClientsHaveSeenTeaches(t *testing.T) {
	for _, clients := range []int{2, 3, Most} {
		q := New(clients, time.Now)
		for i := range clients - 1 {
			name := fmt.Sprintf("client%d", i)
			for range 3 { // however often one comes
				if p := q.Seen(name, "http://a.test/", parse(t, greeting(name))); p != nil {
					t.Fatalf("quorum %d: %d clients teach %q", clients, i+1, texts(p))
				}
			}
		}
		p := q.Seen("last", "http://a.test/", parse(t, greeting("last")))
		if p == nil {
			t.Fatalf("quorum %d: as many clients teach nothing", clients)
		}
		for _, own := range []string{"last", "client"} {
			if strings.Contains(string(p.Source), own) {
				t.Errorf("quorum %d: %q is learned of %s", clients, own, p.Source)
			}
		}
		for _, common := range []string{"News", "The ferry sails", "Fares may change"} {
			if !strings.Contains(texts(p), common) {
				t.Errorf("quorum %d: %q is not in %q", clients, common, texts(p))
			}
		}
		if p = q.Seen("last", "http://a.test/other", parse(t, greeting("last"))); p != nil {
			t.Errorf("quorum %d: an address that one has been at teaches %q", clients, texts(p))
		}
		if p = q.Seen("last", "http://b.test/", parse(t, greeting("last"))); p != nil {
			t.Errorf("quorum %d: one host teaches another", clients)
		}
	}
}

func TestPagesThatAllSeeAlikeAreLearnedWhole(t *testing.T) {
	q := New(2, time.Now)
	src := greeting("all")
	q.Seen("a", "http://a.test/", parse(t, src))
	if p := q.Seen("b", "http://a.test/", parse(t, src)); p == nil || string(p.Source) != src {
		t.Errorf("got %v", p)
	}
}

func TestWhatWasSeenIsForgotten(t *testing.T) {
	now := time.Now()
	q := New(2, func() time.Time { return now })
	src := greeting("all")
	q.Seen("a", "http://a.test/", parse(t, src))
	now = now.Add(span) // still within the second span
	if p := q.Seen("b", "http://a.test/", parse(t, src)); p == nil {
		t.Error("it was forgotten at once")
	}
	now = now.Add(2 * span)
	q.Seen("c", "http://a.test/x", parse(t, "<p>other"))
	now = now.Add(2 * span)
	if p := q.Seen("c", "http://a.test/", parse(t, src)); p != nil {
		t.Error("it was never forgotten")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	q := New(2, time.Now)
	for i := range 4 * remembered {
		q.note(uint64(i), uint16(i))
		if i%1000 == 0 {
			q.age()
		}
	}
	if n := len(q.young) + len(q.old); n > 3*remembered || n < remembered {
		t.Errorf("%d things are remembered", n)
	}
}

// A client that floods the memory with pages does not have it forget what others have seen.
func TestFloodsDoNotMakeItForget(t *testing.T) {
	now := time.Now()
	q := New(2, func() time.Time { return now })
	src := greeting("all")
	q.Seen("a", "http://a.test/", parse(t, src))
	flood := func(of uint16) {
		for i := range 2 * remembered {
			q.note(uint64(of)<<32|uint64(i), of)
			if i%1000 == 0 {
				q.age()
			}
		}
	}
	for of := range uint16(3) {
		flood(of)
	}
	if p := q.Seen("b", "http://a.test/", parse(t, src)); p == nil {
		t.Error("three clients have it forgotten")
	}
	now = now.Add(span)
	q.age()
	if n := q.note(1<<63, 0); n != 1 {
		t.Error("who brought much can bring nothing a period later")
	}
}
