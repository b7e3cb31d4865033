package source_test

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
)

// What is left looks as if nothing had been there: no room of a header that went, no logo without its header, and what
// a page from before phones lays out for a wide screen does not squeeze its text.
func TestNothingRemindsOfWhatWent(t *testing.T) {
	const modern = `<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>t</title>`
	const old = `<!DOCTYPE html><html><head><meta charset="utf-8"><title>t</title>`
	text := strings.Repeat(`<p>CONTENT the wall stands in the garden and the garden lies behind the house, where the path to the river begins.</p>`, 6)
	const top = `(() => { const at = document.querySelector("h1").getBoundingClientRect().top; return at >= 8 && at < 40 ? "" : "it begins at " + at; })()`
	b := browsertest.Start(t)
	for name, tc := range map[string]struct{ src, measure string }{
		"header over the page": {modern + `<style>body{margin:0}.noise{position:fixed;top:0;height:64px}#out{padding-top:88px}</style></head><body><header class=noise>NOISE</header><div id=out><h1>CONTENT</h1><div>` +
			text + `</div></div></body></html>`, top},
		"header over the body": {modern + `<style>body{margin:0;padding-top:88px}.noise{position:fixed;top:0;height:64px}</style></head><body><header class=noise>NOISE</header><main><h1>CONTENT</h1>` +
			text + `</main></body></html>`, top},
		"a header that stays": {modern + `<style>body{margin:0}header{position:fixed;top:0;height:64px}main{padding-top:88px}</style></head><body><div class=noise>NOISE</div><header><button>Find</button></header><main><h1>CONTENT</h1>` +
			text + `</main></body></html>`, strings.Replace(top, "at >= 8 && at < 40", "at >= 64", 1)},
		"logo": {modern + `</head><body><div><a href="/"><img id=logo src=logo.png width=200 height=60></a></div><ul class=noise><li>NOISE</ul><main><h1>CONTENT</h1>` + text + `</main></body></html>`,
			`document.querySelector("#logo")?.checkVisibility() ? "the logo is left" : ""`},
		"picture": {modern + `</head><body><div><a href="/big.png"><img id=logo src=lead.png width=200 height=60></a></div><ul class=noise><li>NOISE</ul><main><h1>CONTENT</h1>` + text + `</main></body></html>`,
			`document.querySelector("#logo")?.checkVisibility() ? "" : "the picture went"`},
		"path": {modern + `<style>body{margin:0}#out{padding:0 16px}</style></head><body><div id=out><div class=noise>NOISE</div><nav><a href=/a>CONTENT a</a></nav><main><h1>CONTENT</h1>` + text + `</main></div></body></html>`,
			`document.querySelector("nav a").getBoundingClientRect().left >= 8 ? "" : "text at the edge"`},
		"wide viewport": {strings.Replace(modern, "width=device-width, initial-scale=1", "width=1120", 1) + `</head><body><div class=noise>NOISE</div><h1>CONTENT</h1>` + text + `</body></html>`,
			`innerWidth === 390 ? "" : "the page is " + innerWidth + " wide"`},
		"table": {modern + `<style>table{width:100%}</style></head><body><div class=noise>NOISE</div><h1>CONTENT</h1><table><thead><tr><th>CONTENT topic<th>CONTENT date</tr></thead><tbody>` +
			strings.Repeat(`<tr><td>CONTENT a rather long name of a topic in this list<td>CONTENT May</tr>`, 20) + `</tbody></table></body></html>`,
			`(() => { const left = e => document.querySelector(e).getBoundingClientRect().left; return left("th:last-child") === left("td:last-child") ? "" : "heads are beside their columns"; })()`},
		"floating picture": {old + `</head><body><div class=noise>NOISE</div><h1>CONTENT</h1><p><img align=right width=300 height=100 src=a.png>CONTENT the wall stands in the garden and the garden lies behind the house</p>` + text + `</body></html>`,
			`(() => { const r = document.createRange(); r.selectNodeContents(document.querySelector("p").lastChild); return r.getClientRects()[0].width > 200 ? "" : "squeezed"; })()`},
		"floating table": {old + `</head><body><div class=noise>NOISE</div><h1>CONTENT</h1><table align=right><tr><td>CONTENT facts<td><img width=240 height=100 src=a.png></table><p>CONTENT the wall stands in the garden and the garden lies behind the house</p>` + text + `</body></html>`,
			`(() => { const r = document.createRange(); r.selectNodeContents(document.querySelector("p").firstChild); return r.getClientRects()[0].width > 200 ? "" : "squeezed"; })()`},
		"many columns": {old + `</head><body><div class=noise>NOISE</div><h1>CONTENT</h1><table width=100%><tr><th>CONTENT Topics<th>Replies<th>Author<th>Views<th>Last message</tr>` +
			strings.Repeat(`<tr><td width=100%>CONTENT a rather long name of a topic in this list<td>7<td>hannaorchard<td>1200<td>yesterday evening</tr>`, 20) + `</table></body></html>`,
			`document.querySelector("th:last-child").getBoundingClientRect().width > 50 ? "" : "letters stand below each other"`},
		"heading": {old + `<style>h1{font-size:30px;line-height:16px}</style></head><body><div class=noise>NOISE</div><h1>CONTENT a heading that is too long for one line of a phone</h1>` + text + `</body></html>`,
			`document.querySelector("h1").getBoundingClientRect().height > 100 ? "" : "its lines are over each other"`},
	} {
		srv := pagetest.ServePages(t, map[string]string{"page": tc.src}, "", "")
		for _, mode := range []string{"auto", "hide"} {
			if got, err := b.Ask(t.Context(), srv.URL+"/"+mode+"/page", tc.measure); got != "" || err != nil {
				t.Errorf("%s, %s: %s (%v)", name, mode, got, err)
			}
		}
	}
}
