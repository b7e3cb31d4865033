//go:build full

package site

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/ownpages"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

const story = `<html><body><nav class=menu><ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/about>About us and what we do</a></ul></nav>
<main><h1>The lighthouse keeper retires</h1><p>After forty years on the rock, the keeper comes ashore. The lamp goes on without him, as lamps do now.</p>
<p>He says that he will miss the birds most of all, and the silence least, since there has never been any.</p>
<div class=promo>Subscribe to our newsletter and never miss a story about rocks again</div></main>
<footer class=menu>Imprint, privacy and cookies</footer></body></html>`

// The page about a site has no fault that axe-core finds, and fits the screen. WINNOW_PICTURES names a folder for
// pictures.
func TestPageIsForEverybody(t *testing.T) {
	axe := browsertest.AxeSource(t)
	b := browsertest.Start(t)
	models := testmodels.New(t)
	examine := func(ctx context.Context, _ access.Identity, address, _ string) (*pipeline.Examined, error) {
		if strings.HasSuffix(address, "/away") {
			return nil, fmt.Errorf("the site does not answer")
		}
		p, err := page.Parse([]byte(story), "text/html; charset=utf-8")
		if err != nil {
			return nil, err
		}
		m, err := models.Mark(ctx, "news.example", p, model.Visit{URL: address, At: time.Now()})
		if err != nil {
			return nil, err
		}
		evidence, err := models.Explain(ctx, "news.example", p, model.Visit{URL: address, At: time.Now()})
		return &pipeline.Examined{Host: "news.example", URL: address, Page: p, Marking: m, Evidence: evidence}, err
	}
	rules, err := sites.OpenBook("", nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(Options{Examine: examine, Lessons: models, Rules: rules, Choices: sites.NewChoices([]byte("x"), nil)})
	if err != nil {
		t.Fatal(err)
	}
	visitor := Visitor{Name: "ada", Teacher: true, Chooses: true, Operator: true}
	mux := http.NewServeMux()
	mux.HandleFunc(ownpages.StylePath, ownpages.ServeStyle)
	mux.HandleFunc("/site/", func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(WithVisitor(r.Context(), visitor)))
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	p, _ := page.Parse([]byte(story), "text/html; charset=utf-8")
	for e := range p.Elements {
		if class, _ := p.Attr(page.ElementID(e), "class"); class == "promo" {
			l, err := models.Propose(t.Context(), "news.example", p, &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}, page.ElementID(e), 1, time.Now())
			if err != nil || models.Teach(t.Context(), "news.example", l) != nil {
				t.Fatal(err)
			}
		}
	}
	var urls []string
	for name, path := range map[string]string{"parts": "/site/news.example?done=taught&page=" + url.QueryEscape("https://news.example/1"),
		"blank": "/site/news.example", "failed": "/site/news.example?page=" + url.QueryEscape("https://news.example/away")} {
		urls = append(urls, s.URL+path)
		for _, width := range []int64{320, 1280} {
			a := browsertest.Audit{Width: width, Dark: width == 320, Axe: axe}
			if dir := os.Getenv("WINNOW_PICTURES"); dir != "" {
				a.Picture = filepath.Join(dir, fmt.Sprintf("site-%s-%d.png", name, width))
			}
			f, err := b.Audit(t.Context(), s.URL+path, a)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Violations) > 0 || f.Overflow > 0 || !strings.Contains(f.Title, "news.example") {
				t.Errorf("%s at %d pixels: %.0f pixels too wide; %s", name, width, f.Overflow, strings.Join(f.Violations, "\n"))
			}
		}
	}
	browsertest.CheckAccessibility(t, urls...)
	// The operator makes a rule of a part, with the keyboard or a finger alone.
	title, err := b.Fill(t.Context(), s.URL+"/site/news.example?page="+url.QueryEscape("https://news.example/1"), nil,
		"Always take out: The lighthouse keeper retires")
	if err != nil || !strings.Contains(title, "news.example") {
		t.Fatal(title, err)
	}
	if got := rules.Get("news.example"); strings.Join(got.Remove, "") != "main > h1" || len(got.Keep) > 0 {
		t.Errorf("the rule: %+v", got)
	}
	for name, v := range map[string]Visitor{"a teacher": {Name: "ada", Teacher: true}, "nobody": {}} {
		visitor = v
		resp, err := http.PostForm(s.URL+"/site/news.example/rule", url.Values{"selector": {"main"}, "verdict": {"go"}})
		if err != nil || resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s makes a rule: %v, %v", name, resp, err)
		}
		resp.Body.Close()
	}
	visitor = Visitor{Name: "ada", Operator: true}
	resp, err := http.PostForm(s.URL+"/site/news.example/rule", url.Values{"selector": {"main"}, "verdict": {"go"}, "token": {"00"}})
	if err != nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a form without its token: %v, %v", resp, err)
	}
	resp.Body.Close()
}
