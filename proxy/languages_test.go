package proxy

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/words"
)

// serveChinese serves pages without a word in Latin letters.
func serveChinese(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, `<html><head><title>山</title></head><body><nav><a href="/1">山</a> <a href="/2">河</a> <a href="/3">湖</a></nav><main><h1>山里的灯</h1><p>守灯的人在岩石上住了四十年，今天他回到了岸上，从此不再上山。</p></main></body></html>`)
}

// visible returns the text of a page, and of attributes that people hear or see, but for code and what is marked as
// English.
func visible(t *testing.T, body string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			text.WriteString(n.Data + "\n")
		}
		if n.Data == "style" || n.Data == "code" || n.Data == "script" {
			return
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "lang" && a.Val == "en":
				return
			case a.Key == "title", a.Key == "aria-label", a.Key == "alt":
				text.WriteString(a.Val + "\n")
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return text.String()
}

// Nothing that people read on the pages for them stands outside of the catalogue: in Chinese, no Latin word is left but
// names. Each language is written in its direction.
func TestPagesSpeakTheReadersLanguage(t *testing.T) {
	r := newWorld(t, withTeaching(t, everybody))
	origin := r.origin("127.0.1.1", serveChinese)
	c := r.client(false)
	browser := []string{"Accept", "text/html", "User-Agent", "Mozilla/5.0", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "none"}
	_, body := get(t, c, origin+"/1", browser...)
	sheet := regexp.MustCompile(`src="(http://` + hostname.Portal + `[^"]+)"`).FindStringSubmatch(body)
	if sheet == nil {
		t.Fatalf("no bar: %s", body)
	}
	own := "http://" + hostname.Portal
	pages := map[string]string{"portal": own + "/", "portal, chosen": own + "/?chosen", "sheet": html.UnescapeString(sheet[1]), "menu": html.UnescapeString(sheet[1]) + "&menu=1",
		"site": own + "/site/" + hostPort(origin) + "?done=taught&page=" + url.QueryEscape(origin+"/1"), "failure": "http://127.0.1.9:1/"}
	names := regexp.MustCompile(`winnow|127\.0\.[0-9.]+(:\d+)?|https?://\S*|iPhone|iPad|Android|Mac\b|Windows|Firefox|Linux|Debian|Ubuntu|Safari|Wi-Fi|WLAN|HTTPS?|CA\b|SHA-256|Internet|Cookie|UTC|ⓘ`)
	for name, page := range pages {
		for _, l := range words.All() {
			resp, body := get(t, c, page, append(browser, "Accept-Language", l.Tag)...)
			if want := `<html lang="` + l.Tag + `" dir="` + l.Dir() + `">`; !strings.Contains(body, want) || resp.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s in %s: %s, not in its language or shared: %.300s", name, l.Tag, resp.Status, body)
			}
			text := names.ReplaceAllString(visible(t, body), "")
			if left := regexp.MustCompile(`[A-Za-z][A-Za-z.-]+`).FindAllString(text, -1); l.Tag == "zh" && left != nil {
				t.Errorf("%s: outside of the catalogue: %q in %s", name, left, text)
			}
			if regexp.MustCompile(`\{\d\}|\b(site|setup|why|kind|fail|device|sheet|scope|verdict)\.[a-z]`).MatchString(text) {
				t.Errorf("%s in %s: a message is missing or not filled in: %s", name, l.Tag, text)
			}
		}
	}
}

// A page with the bar is the same bytes for readers of all languages, so it may be shared.
func TestTheBarHasNoLanguage(t *testing.T) {
	r := newWorld(t, withTeaching(t, everybody))
	origin := r.origin("127.0.1.1", serveChinese)
	bodies := map[string]bool{}
	for _, l := range words.All() {
		_, body := get(t, r.client(false), origin+"/1", "Accept", "text/html", "User-Agent", "Mozilla/5.0", "Sec-Fetch-Dest", "document", "Accept-Language", l.Tag)
		bodies[body] = true
		if !strings.Contains(body, "<winnow-bar") {
			t.Errorf("%s: no bar: %s", l.Tag, body)
		}
	}
	if len(bodies) != 1 {
		t.Errorf("%d different pages", len(bodies))
	}
}
