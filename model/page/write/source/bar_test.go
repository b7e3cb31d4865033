package source_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

const barTo = "https://winnow.internal/site/a.test?page=https%3A%2F%2Fa.test%2F%3Fa%3D1%26b"

// The bar is at the end of the body, as markup that the page's policy permits, and only if it is asked for.
func TestBar(t *testing.T) {
	const doc = `<html><head><title>T</title></head><body><p>Story</p></body></html>`
	for name, tc := range map[string]struct {
		doc  string
		form write.Form
		want string
	}{
		"not asked for":         {doc, write.Form{Mode: page.ModeAuto}, ""},
		"auto":                  {doc, write.Form{Mode: page.ModeAuto, Bar: barTo}, "<winnow-bar"},
		"hide":                  {doc, write.Form{Mode: page.ModeHide, Bar: barTo}, "<winnow-bar"},
		"no style allowed":      {doc, write.Form{Mode: page.ModeAuto, Bar: barTo, CSP: []string{"default-src 'self'"}}, `<p><a href="` + barTo + `"`},
		"remove":                {doc, write.Form{Mode: page.ModeRemove, Bar: barTo}, ""},
		"no end of the body":    {`<p>Story`, write.Form{Mode: page.ModeAuto, Bar: barTo}, ""},
		"hydrated as a whole":   {strings.Replace(doc, "</body>", `<script>window.__remixContext={}</script></body>`, 1), write.Form{Mode: page.ModeAuto, Bar: barTo}, ""},
		"an address with marks": {doc, write.Form{Mode: page.ModeAuto, Bar: `https://x/"><script>`}, `href="https://x/&#34;&gt;&lt;script&gt;"`},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := page.Parse([]byte(tc.doc), "text/html; charset=utf-8")
			if err != nil {
				t.Fatal(err)
			}
			out, err := tc.form.Write(p, &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))})
			if err != nil {
				t.Fatal(err)
			}
			got := string(out.Body)
			if tc.want == "" && strings.Contains(got, ">winnow<") || !strings.Contains(got, tc.want) || strings.Contains(got, "<script>\"") {
				t.Errorf("got %s", got)
			}
			if tc.want != "" && !strings.HasSuffix(got, "</body></html>") {
				t.Errorf("the bar is not in the body: %s", got)
			}
		})
	}
}

// The bar is a control for a finger, changes nothing in the layout, and covers no heading, also where a page takes its
// contents out of the flow.
func TestBarKeepsOutOfTheLayout(t *testing.T) {
	const places = `(() => {
		const bar = document.querySelector("winnow-bar");
		const a = bar && bar.shadowRoot.querySelector("a"), r = a && a.getBoundingClientRect();
		const tops = [...document.querySelectorAll("h1,p")].filter(e => e.checkVisibility()).map(e => Math.round(e.getBoundingClientRect().top));
		const all = tops.join(" ") + " of " + document.scrollingElement.scrollHeight;
		if (!bar) return all;
		const covered = [...document.querySelectorAll("h1")].some(h => { const b = h.getBoundingClientRect(); return b.bottom > r.top && b.top < r.bottom });
		const works = document.elementFromPoint(r.x + 22, r.y + 22) === bar && a.textContent.includes("winnow");
		const rows = parseFloat(getComputedStyle(a).gridTemplateRows); // a leaf in a row as high as itself is in the middle
		if (rows > 20) return "the leaf is in a row of " + rows;
		return r.width === 44 && r.height === 44 && works && !covered ? all : "the bar is at " + JSON.stringify(r) + ", works: " + works;
	})()`
	b := browsertest.Start(t)
	for name, src := range pagetest.ReadPages(t, "testdata/layouts/*e*d*.html") {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
			form := write.Form{Mode: page.ModeAuto}
			if r.URL.Path == "/bar" {
				form.Bar = barTo
			}
			out, err := form.Write(p, pagetest.MarkNoise(p))
			if err != nil {
				t.Error(err)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(out.Body)
		}))
		t.Cleanup(srv.Close)
		without, err := b.Ask(t.Context(), srv.URL+"/", places)
		if err != nil {
			t.Fatal(err)
		}
		if with, err := b.Ask(t.Context(), srv.URL+"/bar", places); with != without {
			t.Errorf("%s: %s; without the bar %s (%v)", name, with, without, err)
		}
	}
}
