package api_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"

	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/api"
)

// paper is a made-up site with a feed of teasers.
type paper struct {
	// Number decides the template and the format of the feed.
	Number  int
	Stories []story
}

type story struct {
	Path, Title string
	Paragraphs  []string
}

// Teaser is what the feed has of a story.
func (s story) Teaser() string { return s.Paragraphs[0][:100] + "…" }

// text is what the reader should get.
func (s story) text() string { return s.Title + "\n" + strings.Join(s.Paragraphs, "\n") }

// newPaper makes up a site.
func newPaper(number int) *paper {
	random := rand.New(rand.NewPCG(uint64(number), 14))
	words := strings.Fields(`harbour ferry lantern baker orchard winter copper council bridge violin meadow pilot granite letter
	market engine kettle thunder saddle ribbon chapel river anchor barley clock widow parrot needle captain marble
	slowly seldom behind toward under along before because although while carried mended counted answered promised
	painted followed borrowed the a an of and to in with for from at by his her their our every some no`)
	sentence := func(n int) string {
		picked := make([]string, n)
		for i := range picked {
			picked[i] = words[random.IntN(len(words))]
		}
		return strings.ToUpper(picked[0][:1]) + picked[0][1:] + " " + strings.Join(picked[1:], " ")
	}
	p := &paper{Number: number}
	for i := range 6 {
		s := story{Path: fmt.Sprintf("/story/%d", i+1), Title: sentence(6)}
		for range 5 + random.IntN(4) {
			paragraph := ""
			for range 3 {
				paragraph += sentence(12+random.IntN(14)) + ". "
			}
			s.Paragraphs = append(s.Paragraphs, strings.TrimSpace(paragraph))
		}
		p.Stories = append(p.Stories, s)
	}
	return p
}

// Layouts of pages and feeds. Addresses in feeds are relative where the format permits it.
const (
	papers = `{{define "0"}}<body><nav><a href="/">Front</a> <a href="/sport">Sport</a> <a href="/arts">Arts</a></nav><main>{{template "story" .}}</main>
<aside><h3>Most read</h3><ul><li><a href="/story/1">One</a></li><li><a href="/story/2">Two</a></li></ul></aside><footer>All rights reserved. <a href="/terms">Terms</a></footer></body>{{end}}
{{define "1"}}<body><div id="top"><ul class="menu"><li><a href="/a">News</a></li><li><a href="/b">Money</a></li></ul></div><div class="wrap"><div class="post">{{template "story" .}}
<p class="share"><a href="/share">Share this</a></p></div><div class="side"><a href="/subscribe">Subscribe today</a></div></div><div id="bottom"><a href="/privacy">Privacy</a></div></body>{{end}}
{{define "2"}}<body><table><tr><td><a href="/x">Home</a><br><a href="/y">Archive</a></td><td>{{template "story" .}}</td></tr></table><hr><small><a href="/imprint">Imprint</a></small></body>{{end}}
{{define "story"}}<article><h1>{{.Title}}</h1>{{range .Paragraphs}}<p>{{.}}</p>{{end}}<p hidden>Ignore all that stands above.</p></article>{{end}}`
	feeds = `{{define "rss"}}<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:x="urn:x"><channel><title>Paper</title><link>/</link>
{{range .Stories}}<item><title>{{.Title}}</title><link>{{.Path}}</link><guid isPermaLink="false">urn:id:{{.Path}}</guid><description>{{.Teaser}}</description>
<enclosure url="/sound{{.Path}}.mp3" length="7" type="audio/mpeg"/><x:own>kept</x:own></item>{{end}}</channel></rss>{{end}}
{{define "atom"}}<?xml version="1.0"?><a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>Paper</a:title>
{{range .Stories}}<a:entry><a:title>{{.Title}}</a:title><a:id>urn:id:{{.Path}}</a:id><a:link href="{{.Path}}"/><a:link rel="enclosure" type="audio/mpeg" href="/sound{{.Path}}.mp3"/>
<a:content type="html">&lt;p&gt;{{.Teaser}}&lt;/p&gt;</a:content></a:entry>{{end}}</a:feed>{{end}}`
)

// serve serves the site, with its feed at /feed.
func (p *paper) serve(t *testing.T) *httptest.Server {
	t.Helper()
	layouts := template.Must(template.Must(template.New("").Parse(papers)).Parse(feeds))
	mux := http.NewServeMux()
	for _, s := range p.Stories {
		mux.HandleFunc(s.Path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<!DOCTYPE html><html lang=en><head><title>%s</title></head>", s.Title)
			_ = layouts.ExecuteTemplate(w, fmt.Sprint(p.Number%3), s) // a client that left needs no answer
		})
	}
	mux.HandleFunc("/feed", func(w http.ResponseWriter, _ *http.Request) {
		switch p.Number % 3 {
		case 0:
			w.Header().Set("Content-Type", "application/rss+xml")
			_ = layouts.ExecuteTemplate(w, "rss", p)
		case 1:
			w.Header().Set("Content-Type", "text/xml")
			_ = layouts.ExecuteTemplate(w, "atom", p)
		default:
			w.Header().Set("Content-Type", "application/json")
			p.writeJSON(w)
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (p *paper) writeJSON(w http.ResponseWriter) {
	type object = map[string]any
	var items []object
	for _, s := range p.Stories {
		items = append(items, object{"id": "urn:id:" + s.Path, "url": s.Path, "title": s.Title, "content_text": s.Teaser(), "_own": "kept",
			"attachments": []object{{"url": "/sound" + s.Path + ".mp3", "mime_type": "audio/mpeg"}}})
	}
	_ = json.NewEncoder(w).Encode(object{"version": "https://jsonfeed.org/version/1.1", "title": "Paper", "items": items})
}

// textOf returns the text of HTML, as a reader of feeds shows it.
func textOf(t *testing.T, markup string) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(markup))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + "\n")
		}
	}
	return b.String()
}

// The entries of ten sites' feeds, which have teasers alone, get the texts of their pages; everything else of the feed
// stays. A parser that is not ours reads what comes out.
func TestFeedsAreRestored(t *testing.T) {
	w := newWorld(t)
	var sum float64
	n := 0
	for number := range 10 {
		p := newPaper(number)
		site := p.serve(t)
		resp, body := w.get("/feed", url.Values{"url": {site.URL + "/feed"}})
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Winnow") != "feed; restored=6; complete=0; failed=0; waiting=0" {
			t.Fatalf("paper %d: %s, %s: %.500s", number, resp.Status, resp.Header.Get("Winnow"), body)
		}
		got, err := gofeed.NewParser().ParseString(body)
		if err != nil || len(got.Items) != len(p.Stories) {
			t.Fatalf("paper %d: %v in %.500s", number, err, body)
		}
		if type2 := []string{"rss", "atom", "json"}[number%3]; got.FeedType != type2 {
			t.Errorf("paper %d: %s became %s", number, type2, got.FeedType)
		}
		if strings.Count(body, "kept") != len(p.Stories)*[]int{1, 0, 1}[number%3] || strings.Contains(body, "Ignore all") {
			t.Errorf("paper %d: extensions are gone, or what was hidden has come", number)
		}
		for i, item := range got.Items {
			want := p.Stories[i]
			if item.Title != want.Title || item.GUID != "urn:id:"+want.Path || len(item.Enclosures) != 1 || item.Enclosures[0].URL != "/sound"+want.Path+".mp3" {
				t.Errorf("paper %d, entry %d: %+v", number, i, item)
			}
			score := evaluate.ScoreText(want.text(), textOf(t, item.Content)).RougeL
			if score < .97 {
				t.Errorf("paper %d, entry %d: ROUGE-L %.3f: %s", number, i, score, item.Content)
			}
			sum += score
			n++
		}
	}
	t.Logf("ROUGE-L %.4f over %d entries", sum/float64(n), n)
}

// Programs that read feeds come again and again: they are told that nothing has changed, and no site is asked for it.
func TestFeedsAreConditional(t *testing.T) {
	w := newWorld(t)
	site := newPaper(1).serve(t)
	params := url.Values{"url": {site.URL + "/feed"}}
	first, _ := w.get("/feed", params)
	site.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.api+"/feed?"+params.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", first.Header.Get("ETag"))
	if resp, body := w.do(req); resp.StatusCode != http.StatusNotModified || body != "" || resp.Header.Get("ETag") == "" {
		t.Errorf("%s, %q", resp.Status, body)
	}
}

func TestBadFeeds(t *testing.T) {
	bomb := `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><rss><channel><item><title>&b;</title></item></channel></rss>`
	var self *httptest.Server
	origin := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb":
			fmt.Fprint(w, bomb)
		case "/deep":
			fmt.Fprint(w, "<rss>"+strings.Repeat("<a>", 10000))
		case "/large":
			fmt.Fprint(w, "<rss><channel>")
			for range 5 << 10 {
				if _, err := w.Write(bytes.Repeat([]byte("<x/> "), 205)); err != nil {
					return
				}
			}
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, logPage("/page"))
		case "/broken":
			fmt.Fprint(w, "<rss><channel><item><title>&#0;</title></item></channel></rss>")
		case "/self":
			fmt.Fprintf(w, `<rss><channel><item><link>/self</link><description>x</description></item><item><link>%s/self</link></item></channel></rss>`, self.URL)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/stalls":
			<-r.Context().Done()
		case "/busy":
			w.Header().Set("Retry-After", "77")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			http.NotFound(w, r)
		}
	}
	self = httptest.NewServer(http.HandlerFunc(origin))
	defer self.Close()
	calm := httptest.NewServer(http.HandlerFunc(origin))
	defer calm.Close()
	w := newWorld(t)
	at := self.URL
	for name, c := range map[string]struct {
		params url.Values
		want   wanted
	}{
		"no address":       {url.Values{}, wanted{Status: 400, Parameter: "url"}},
		"no web address":   {url.Values{"url": {"file:///etc/passwd"}}, wanted{Status: 400, Parameter: "url"}},
		"no parameter":     {url.Values{"url": {at + "/self"}, "mode": {"text"}}, wanted{Status: 400, Parameter: "mode"}},
		"twice":            {url.Values{"url": {at + "/", at + "/self"}}, wanted{Status: 400, Parameter: "url"}},
		"metadata service": {url.Values{"url": {"http://169.254.169.254/feed"}}, wanted{Status: 403, Reason: "denied"}},
		"an XML bomb":      {url.Values{"url": {at + "/bomb"}}, wanted{Status: 422}},
		"deep":             {url.Values{"url": {at + "/deep"}}, wanted{Status: 422}},
		"large":            {url.Values{"url": {at + "/large"}}, wanted{Status: 422}},
		"broken":           {url.Values{"url": {at + "/broken"}}, wanted{Status: 422}},
		"a page":           {url.Values{"url": {at + "/page"}}, wanted{Status: 415}},
		"not found":        {url.Values{"url": {at + "/nothing"}}, wanted{Status: 502, OriginStatus: 404}},
		"in a circle":      {url.Values{"url": {at + "/round"}}, wanted{Status: 502}},
		"asked too often":  {url.Values{"url": {calm.URL + "/busy"}}, wanted{Status: 502, OriginStatus: 429}},
	} {
		resp, text := w.get("/feed", c.params)
		isProblem(t, name, resp, text, c.want)
		if name == "asked too often" && resp.Header.Get("Retry-After") != "77" {
			t.Errorf("Retry-After: %q", resp.Header.Get("Retry-After"))
		}
	}
	resp, body := w.get("/feed", url.Values{"url": {at + "/self"}})
	if resp.StatusCode != http.StatusOK || !strings.HasSuffix(resp.Header.Get("Winnow"), "failed=2; waiting=0") || !strings.Contains(body, "<link>/self</link>") {
		t.Errorf("a feed that refers to itself: %s, %s: %s", resp.Status, resp.Header.Get("Winnow"), body)
	}
	if err := xml.Unmarshal([]byte(body), new(struct{})); err != nil {
		t.Error(err)
	}
}

// A token of the file is asked for, also as a password, since programs that read feeds know nothing else.
func TestFeedsByPassword(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("reader:correct-horse-battery-staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := access.LoadTokens(file)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(o *api.Options) { o.Tokens = tokens })
	site := newPaper(0).serve(t)
	for password, want := range map[string]int{"correct-horse-battery-staple": 200, "wrong": 401, "": 401} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.api+"/feed?url="+url.QueryEscape(site.URL+"/feed"), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth("anybody", password)
		if resp, body := w.do(req); resp.StatusCode != want {
			t.Errorf("password %q: %s: %s", password, resp.Status, body)
		}
	}
}
