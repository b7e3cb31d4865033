package page

import (
	"strings"
	"testing"
)

const barTo = "https://winnow.internal/site/a.test?page=https%3A%2F%2Fa.test%2F%3Fa%3D1%26b"

// The bar is at the end of the body, as markup that the page's policy permits, and only if it is asked for.
func TestBar(t *testing.T) {
	const doc = `<html><head><title>T</title></head><body><p>Story</p></body></html>`
	for name, tc := range map[string]struct {
		doc  string
		form Form
		want string
	}{
		"not asked for":         {doc, Form{Mode: ModeAuto}, ""},
		"auto":                  {doc, Form{Mode: ModeAuto, Bar: barTo}, "<winnow-bar>"},
		"hide":                  {doc, Form{Mode: ModeHide, Bar: barTo}, "<winnow-bar>"},
		"no style allowed":      {doc, Form{Mode: ModeAuto, Bar: barTo, CSP: []string{"default-src 'self'"}}, `<p><a href="` + barTo + `"`},
		"remove":                {doc, Form{Mode: ModeRemove, Bar: barTo}, ""},
		"no end of the body":    {`<p>Story`, Form{Mode: ModeAuto, Bar: barTo}, ""},
		"hydrated as a whole":   {strings.Replace(doc, "</body>", `<script>window.__remixContext={}</script></body>`, 1), Form{Mode: ModeAuto, Bar: barTo}, ""},
		"an address with marks": {doc, Form{Mode: ModeAuto, Bar: `https://x/"><script>`}, `href="https://x/&#34;&gt;&lt;script&gt;"`},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse([]byte(tc.doc), "text/html; charset=utf-8")
			if err != nil {
				t.Fatal(err)
			}
			out, err := tc.form.Write(p, &Marking{Verdicts: make([]Verdict, len(p.Blocks))})
			if err != nil {
				t.Fatal(err)
			}
			got := string(out.Body)
			if tc.want == "" && strings.Contains(got, barLabel) || !strings.Contains(got, tc.want) || strings.Contains(got, "<script>\"") {
				t.Errorf("got %s", got)
			}
			if tc.want != "" && !strings.HasSuffix(got, "</body></html>") {
				t.Errorf("the bar is not in the body: %s", got)
			}
		})
	}
}
