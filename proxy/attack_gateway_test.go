package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// What the users of one gateway can learn of each other. The victim is at 127.0.0.2, the attacker at 127.0.0.3.

// visitAll fetches pages as a browser does.
func (g *gateway) visitAll(ip, base string, paths ...string) {
	g.t.Helper()
	for _, p := range paths {
		if resp, _ := get(g.t, g.clientFrom(ip), base+p, "Accept", "text/html", "Cookie", "seen=1"); resp.StatusCode != http.StatusOK {
			g.t.Fatalf("%s: %s", p, resp.Status)
		}
		g.drain()
	}
}

func paths(to int) (list []string) {
	for i := range to {
		list = append(list, fmt.Sprint("/page-", i))
	}
	return list
}

// The number of a host's pages tells whether an address was known already: it was, if asking for it adds nothing.
func TestAddressesCannotBeConfirmed(t *testing.T) {
	t.Parallel()
	told := map[bool][]string{}
	for _, read := range []bool{true, false} {
		g := newGateway(t, nil)
		u := g.origin("127.0.1.2", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Etag", `"1"`)
			articles(w, r)
		})
		g.visitAll("127.0.0.2", u, paths(7)...)
		g.visitAll("127.0.0.2", u, map[bool]string{true: "/page-secret", false: "/page-other"}[read])
		for _, mode := range []string{"remove", "json", "tag"} {
			for range 2 { // before and after the guess is learned, if it is
				resp, body := get(t, g.clientFrom("127.0.0.3"), u+"/page-secret", "Accept", "text/html", "Winnow-Mode", mode)
				g.drain()
				resp2, body2 := get(t, g.clientFrom("127.0.0.3"), u+"/page-7", "Accept", "text/html", "Winnow-Mode", mode)
				g.drain()
				for _, s := range []string{resp.Header.Get("Winnow"), resp.Header.Get("Etag"), body,
					resp2.Header.Get("Winnow"), resp2.Header.Get("Etag"), body2} {
					told[read] = append(told[read], strings.ReplaceAll(s, u, "")) // the origins' ports differ
				}
			}
		}
	}
	for i, a := range told[true] {
		if b := told[false][i]; a != b {
			at := 0
			for at < min(len(a), len(b)) && a[at] == b[at] {
				at++
			}
			t.Errorf("an address that another has read is told apart by answer %d:\n%.300s\n%.300s", i, a[max(0, at-60):], b[max(0, at-60):])
		}
	}
}

// Scores tell text that stood on a page of another from text that did not: whoever can put his guesses on a page of
// that host, in a comment or a profile, need only ask for it as JSON.
func TestScoresDoNotTellGuesses(t *testing.T) {
	t.Parallel()
	g := newGateway(t, nil)
	secret := "Your account ends in 4711 and you owe the harbour office twelve crowns and four"
	guess := func(n int) string {
		return fmt.Sprintf("Your account ends in %d and you owe the harbour office twelve crowns and four", n)
	}
	u := g.origin("127.0.1.2", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body := article(r.URL.Path[1:])
		switch r.URL.Path {
		case "/account":
			body = strings.Replace(body, `<div class="legal">`, "<p>"+secret+"</p>"+`<div class="legal">`, 1)
		case "/guesses":
			body = strings.Replace(body, `<div class="legal">`, "<p>"+guess(4711)+"</p><p>"+guess(4712)+"</p><p>"+guess(4713)+`</p><div class="legal">`, 1)
		}
		fmt.Fprint(w, body)
	})
	g.visitAll("127.0.0.2", u, append(paths(6), "/account")...)
	_, body := get(t, g.clientFrom("127.0.0.3"), u+"/guesses", "Accept", "text/html", "Winnow-Mode", "json")
	var doc jsondoc.Document
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	scores := map[string]float32{}
	for _, b := range doc.Blocks {
		scores[b.Text] = b.Score
	}
	right, wrong, other := scores[guess(4711)], scores[guess(4712)], scores[guess(4713)]
	if right != wrong || right != other {
		t.Errorf("the right guess scores %v, wrong ones %v and %v", right, wrong, other)
	}
	if doc.Pages != 0 {
		t.Errorf("the document tells of %d pages", doc.Pages)
	}
	if _, tagged := get(t, g.clientFrom("127.0.0.3"), u+"/guesses", "Accept", "text/html", "Winnow-Mode", "tag"); strings.Contains(tagged, "4711") {
		if a, b := attributesOf(tagged, guess(4711)), attributesOf(tagged, guess(4712)); a != b {
			t.Errorf("tagged: %q, %q", a, b)
		}
	}
}

// attributesOf returns the tag before a text.
func attributesOf(html, text string) string {
	before, _, _ := strings.Cut(html, text)
	return before[strings.LastIndexByte(before, '<'):]
}

// Pages that an origin calls private, or not to be stored, or that begin a session are one user's own: they teach
// nothing where there are others. A browser's cookies do not make a page private, or nothing would be learned at all.
func TestPrivatePagesTeachNothingOnAGateway(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		field, value string
		learned      uint64
	}{
		"private":     {"Cache-Control", "private, max-age=60", 0},
		"no-store":    {"Cache-Control", "No-Store", 0},
		"set-cookie":  {"Set-Cookie", "session=1", 0},
		"public":      {"Cache-Control", "public, max-age=60", 3},
		"says naught": {"X-Other", "1", 3},
	} {
		g := newGateway(t, nil)
		u := g.origin("127.0.1.2", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(tc.field, tc.value)
			articles(w, r)
		})
		g.visitAll("127.0.0.2", u, paths(3)...)
		if got := g.models.Counters().Learned; got != tc.learned {
			t.Errorf("%s: %d pages learned, want %d", name, got, tc.learned)
		}
	}
}

// With a quorum, what one user has read teaches nothing, however often; what two have read cleans for a third.
func TestQuorumOnAGateway(t *testing.T) {
	t.Parallel()
	g := newGateway(t, func(o *pipeline.Options) { o.LearnQuorum = 2 })
	u := g.origin("127.0.1.2", articles)
	for range 2 {
		g.visitAll("127.0.0.2", u, paths(6)...)
	}
	if n := g.models.Counters().Learned; n != 0 {
		t.Errorf("one user has taught %d pages", n)
	}
	g.visitAll("127.0.0.3", u, paths(6)...)
	if n := g.models.Counters().Learned; n != 6 {
		t.Errorf("two users have taught %d pages, want 6", n)
	}
	_, body := get(t, g.clientFrom("127.0.0.4"), u+"/page-9", "Accept", "text/html")
	if strings.Contains(body, "All lights reserved") || !strings.Contains(body, "Paragraph 8 of page-9") {
		t.Errorf("a third user gets %s", body)
	}
}
