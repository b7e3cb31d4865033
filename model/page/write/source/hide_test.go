package source_test

import (
	"bytes"
	"compress/gzip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/script"
	"github.com/winnow-proxy/winnow/model/page/write/source"
)

// bodyOf returns the contents of the body, without the attributes of the main column, which have tests of their own.
func bodyOf(out []byte) string {
	s := regexp.MustCompile(` data-winnow-(column|row|top|layout)="[a-z]*"`).ReplaceAllString(string(out), "")
	if _, after, found := strings.Cut(s, "<body>"); found {
		return after
	}
	return s
}

func TestAutoCutsWhatNothingCanMiss(t *testing.T) {
	const hidden = ` hidden="" data-winnow-hidden=""`
	for name, c := range map[string]struct{ src, want string }{
		"no script":     {`<body><p>a</p><nav class=noise>n</nav>`, `<p>a</p>`},
		"a counter":     {`<body><p>a</p><nav class=noise>n</nav><script src="https://www.googletagmanager.com/gtm.js"></script>`, `<p>a</p><script src="https://www.googletagmanager.com/gtm.js"></script>`},
		"data":          {`<body><p>a</p><nav class=noise id=m>n</nav><script type="application/json">{"id":"m"}</script>`, `<p>a</p><script type="application/json">{"id":"m"}</script>`},
		"id in code":    {`<body><p>a</p><div class=noise><i id=m>n</i><b>o</b></div><script>x("m")</script>`, `<p>a</p><div` + hidden + ` class=noise><i id=m>n</i><b>o</b></div><script>x("m")</script>`},
		"class in code": {`<body><p>a</p><div class=noise><i class=m>n</i></div><script>x(".m")</script>`, `<p>a</p><div` + hidden + ` class=noise><i class=m>n</i></div><script>x(".m")</script>`},
		"handler":       {`<body><p onclick="hide('m')">a</p><div class=noise><i id=m>n</i></div>`, `<p onclick="hide('m')">a</p><div` + hidden + ` class=noise><i id=m>n</i></div>`},
		"other id":      {`<body><p>a</p><div class=noise><i id=k>n</i></div><script>x("m")</script>`, `<p>a</p><script>x("m")</script>`},
		"scripts in files": {
			`<body><p>a</p><ul class=noise><li class=i><a>1</a></li><li class=i><a>2</a></li><li class=i><b id=z>3</b></li></ul><script src=a.js></script>`,
			`<p>a</p><ul` + hidden + ` class=noise><li class=i><a>1</a></li><li class=i><a>2</a></li><li class=i><b id=z>3</b></li></ul><script src=a.js></script>`},
		"tags in prose":   {`<body><p>a</p><ul class=noise>n</ul><script>x("a ul of words </ul>"); document.createElement("ul")</script>`, `<p>a</p><script>x("a ul of words </ul>"); document.createElement("ul")</script>`},
		"tag selected":    {`<body><p>a</p><ul class=noise>n</ul><ul class=noise>o</ul><script>x("#z > ul")</script>`, `<p>a</p><ul` + hidden + ` class=noise>n</ul><script>x("#z > ul")</script>`},
		"id put together": {`<body><p>a</p><ul class=noise><li id=tab-3>n</li><li id=row4>n</li><li id=x_body>n</li><li id=z-9>n</li></ul><script>f("tab-"+i,"row"+i,n+"_body")</script>`, `<p>a</p><ul` + hidden + ` class=noise><li id=tab-3>n</li><li id=row4>n</li><li id=x_body>n</li><li id=z-9>n</li></ul><script>f("tab-"+i,"row"+i,n+"_body")</script>`},
		"data attribute":  {`<body><p>a</p><b class=noise data-menu=x>n</b><script>x("[data-menu]")</script>`, `<p>a</p><b` + hidden + ` class=noise data-menu=x>n</b><script>x("[data-menu]")</script>`},
		"number":          {`<body><ul><li class=noise>n</li></ul><p>a</p><ul class=noise><li class=noise id=menu-item-1234>n</li></ul><script src=a.js></script>`, `<ul><li` + hidden + ` class=noise>n</li></ul><p>a</p><script src=a.js></script>`},
		"known file":      {`<body><p>a</p><div class=noise id=menu><b id=k>n</b></div><div class=noise id=other>o</div><script src=known.js></script>`, `<p>a</p><div` + hidden + ` class=noise id=menu><b id=k>n</b></div><script src=known.js></script>`},
		"loader":          {`<body><p>a</p><div class=noise id=other>o</div><script src=loader.js></script>`, `<p>a</p><div` + hidden + ` class=noise id=other>o</div><script src=loader.js></script>`},
		"share buttons":   {`<body><p>a</p><div class=noise><script src="https://s7.addthis.com/js/300/addthis_widget.js"></script></div>`, `<p>a</p>`},
		"hydration":       {`<body><div id=__next><p>a</p><nav class=noise>n<img src=x></nav>NOISE t</div>`, `<div id=__next><p>a</p><nav` + hidden + ` class=noise>n<img loading="lazy" src=x></nav>NOISE t</div>`},
		"films":           {`<body><p>a</p><div class=noise>n<video src=x></video><audio preload=metadata src=y></audio></div><i id=__nuxt></i>`, `<p>a</p><div` + hidden + ` class=noise>n<video preload="none" src=x></video><audio preload="none" preload=metadata src=y></audio></div><i id=__nuxt></i>`},
		"cell":            {`<body><table><tr><th>a<th>b<tr><td class=noise><i>n</i></td><td>c</table><p>x</p><i id=__nuxt></i>`, `<table><tr><th>a<th>b<tr><td data-winnow-emptied="" class=noise><i` + hidden + `>n</i></td><td>c</table><p>x</p><i id=__nuxt></i>`},
		"cut cell":        {`<body><table><tr><th>a<th>b<tr><td class=noise><i>n</i></td><td>c</table><p>x</p>`, `<table><tr><th>a<th>b<tr><td class=noise></td><td>c</table><p>x</p>`},
		"two as once":     {`<body><p>a</p><img class=noise src=x><i id=__nuxt></i>`, `<p>a</p><img` + hidden + ` loading="lazy" class=noise src=x><i id=__nuxt></i>`},
	} {
		t.Run(name, func(t *testing.T) {
			p := pagetest.MustParse(t, []byte(c.src), "")
			files := map[string]string{"http://a.test/known.js": `$("#k").hide()`, "http://a.test/loader.js": `s = document.createElement("script"); s.src = "/k.js"`}
			form := write.Form{Mode: page.ModeAuto, URL: "http://a.test/x", ScriptNames: func(address string) (script.Names, bool) { return script.NamesIn(files[address]) }}
			if !strings.Contains(c.src, "known.js") && !strings.Contains(c.src, "loader.js") {
				form.ScriptNames = nil
			}
			out, err := form.Write(p, pagetest.MarkNoise(p))
			if err != nil {
				t.Fatal(err)
			}
			if got := bodyOf(out.Body); got != c.want {
				t.Errorf("auto\n got %s\nwant %s (%v)", got, c.want, err)
			}
		})
	}
}

// A browser that gets mode remove finds all elements that a framework or a script may look for; a program does not.
func TestRemoveInBrowsers(t *testing.T) {
	const taken, other = `<body><div id=__next><p>a</p><nav class=noise>n</nav></div>`, `<body><p>a</p><nav class=noise id=m>n</nav><script>x("m")</script>`
	for _, c := range []struct {
		src, want string
		browser   bool
	}{
		{taken, `<div id=__next><p>a</p><nav hidden="" data-winnow-hidden="" class=noise>n</nav></div>`, true},
		{taken, `<div id=__next><p>a</p></div>`, false},
		{other, `<p>a</p><nav hidden="" data-winnow-hidden="" class=noise id=m>n</nav><script>x("m")</script>`, true},
		{other, `<p>a</p><script>x("m")</script>`, false},
	} {
		p := pagetest.MustParse(t, []byte(c.src), "")
		out, err := write.Form{Mode: page.ModeRemove, InBrowser: c.browser}.Write(p, pagetest.MarkNoise(p))
		if err != nil {
			t.Fatal(err)
		}
		if got := bodyOf(out.Body); got != c.want {
			t.Errorf("browser: %t\n got %s\nwant %s", c.browser, got, c.want)
		}
	}
}

func TestAutoObeysTheContentSecurityPolicy(t *testing.T) {
	const src = `<head><title>t</title></head><body class="home modal-open" style="overflow:hidden"><main><p>a</p></main><nav class=noise id=cookie><b>n</b></nav><i id=__next></i></body>`
	for csp, styled := range map[string]bool{
		"":                            true,
		"script-src 'self'":           true,
		"default-src 'self'":          false,
		"style-src 'self'":            false,
		"style-src * 'unsafe-inline'": true,
		"default-src 'unsafe-inline'; style-src 'none'":                 false,
		"style-src 'unsafe-inline' 'nonce-x'":                           false,
		"style-src 'unsafe-inline'; style-src-elem 'self'":              false,
		"style-src 'unsafe-inline', default-src 'none'":                 false,
		"STYLE-SRC 'Unsafe-Inline'; upgrade-insecure-requests; foo bar": true,
	} {
		for _, inMeta := range []bool{false, true} {
			page, form := src, write.Form{Mode: page.ModeAuto, CSP: []string{csp}}
			if inMeta {
				page, form.CSP = strings.Replace(src, "<title>", `<meta http-equiv="Content-Security-Policy" content="`+csp+`"><title>`, 1), nil
			}
			p := pagetest.MustParse(t, []byte(page), "")
			out, err := form.Write(p, pagetest.MarkNoise(p))
			if err != nil {
				t.Fatal(err)
			}
			got := string(out.Body)
			if strings.Contains(got, "<style>") != styled || strings.Contains(got, "data-winnow") != styled {
				t.Errorf("%q (in meta: %t): %s", csp, inMeta, got)
			}
			if !styled && (!strings.Contains(got, `<body style="" class="home"`) && !strings.Contains(got, `<body class="home" style=""`) ||
				!strings.Contains(got, `<nav hidden="until-found"`)) {
				t.Errorf("%q: without style: %s", csp, got)
			}
		}
	}
}

// Hiding leaves every byte of the page in place. It shows every word of content and no word of marked elements.
func TestHideOnlyAddsAttributes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.OneOf(rapid.Custom(pagetest.WellFormed), rapid.Custom(pagetest.Soup)).Draw(t, "source")
		p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
		m := pagetest.WholeBlocks(p, pagetest.RandomMarking(p, pagetest.Drawer(t)))
		m.Marks = slices.DeleteFunc(m.Marks, func(k page.Mark) bool { return k.Element == page.None || !p.Elements[k.Element].StartTag.Known() })
		m = pagetest.WholeBlocks(p, m)
		out, err := write.Page(p, m, page.ModeHide)
		if err != nil {
			t.Skip(err)
		}
		added := regexp.MustCompile(` (hidden|data-winnow-hidden|data-winnow-emptied|data-winnow-column|data-winnow-row|data-winnow-top|data-winnow-layout|loading|preload|poster)="(main|row|lazy|none|data:,)?"|<meta name="viewport"[^>]*>|<style>(:is\(\[data-winnow|\[data-winnow|html,body).*?</style>`)
		if got := added.ReplaceAllString(string(out.Body), ""); got != src {
			t.Fatalf("other bytes changed\n got %s\nwant %s", got, src)
		}
	})
}

// Auto shows the words that remove shows.
func TestAutoShowsWhatRemoveShows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.OneOf(rapid.Custom(pagetest.WellFormed), rapid.Custom(pagetest.Soup)).Draw(t, "source")
		src = strings.Replace(src, "</body>", rapid.SampledFrom([]string{"", "<script src=a.js></script>", "<script>c</script>"}).Draw(t, "script")+"</body>", 1)
		p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
		m := pagetest.WholeBlocks(p, pagetest.RandomMarking(p, pagetest.Drawer(t)))
		words := func(mode page.Mode) []string {
			out, err := write.Page(p, m, mode)
			if err != nil {
				t.Skip(err)
			}
			again := pagetest.MustParse(t, out.Body, "text/html; charset=utf-8")
			return slices.Collect(page.Words(strings.Join(pagetest.KeptBlocks(again, pagetest.None(again)), " ")))
		}
		if diff := cmp.Diff(words(page.ModeRemove), words(page.ModeAuto)); diff != "" {
			t.Fatalf("words (-remove +auto):\n%s\nsource %s", diff, src)
		}
	})
}

// Where removing the noise would save next to nothing, the page stays as it is, but for the bar. It does not where the
// noise covers the page, stands beside the text or shows a picture, or where the page knows nothing of phones.
func TestNothingGainedNothingTouched(t *testing.T) {
	text := strings.Repeat("<p>A long story of the river and the garden behind the house.</p>", 60)
	const viewport = `<meta name="viewport" content="width=device-width">`
	for name, tc := range map[string]struct {
		// noise stands at the end of the text, or beside it.
		head, noise string
		touched     bool
	}{
		"beside":    {viewport, `</main><nav class=noise>Share this</nav><main>`, true},
		"a cell":    {viewport, `<table><tr><td>one<td class=noise>Share this</table>`, true},
		"little":    {viewport, `<p class=noise>Share this</p>`, false},
		"much":      {viewport, `<div class=noise>` + strings.Repeat("<a href=/a>Another story</a> ", 20) + `</div>`, true},
		"a cover":   {viewport, `<p class=noise style="position:fixed;inset:0">Subscribe</p>`, true},
		"a picture": {viewport, `<p class=noise><img src=a.png alt="">Buy</p>`, true},
		"no phones": {"", `<p class=noise>Share this</p>`, true},
	} {
		src := `<!DOCTYPE html><html><head><title>t</title>` + tc.head + `</head><body><main>` + text + tc.noise + `</main></body></html>`
		for _, mode := range []page.Mode{page.ModeAuto, page.ModeHide} {
			p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
			out, err := write.Form{Mode: mode, Bar: barTo}.Write(p, pagetest.MarkNoise(p))
			if err != nil {
				t.Fatal(err)
			}
			before, after, found := strings.Cut(string(out.Body), "<winnow-bar")
			_, end, _ := strings.Cut(after, "</winnow-bar>")
			if !found || (before+end != src) != tc.touched {
				t.Errorf("%s, %s: touched %t, want %t: %s", name, mode, !tc.touched, tc.touched, out.Body)
			}
		}
	}
}

// What winnow adds to a page that it does not touch is at most 300 packed bytes.
func TestTheBarIsSmall(t *testing.T) {
	src := pagetest.ReadPages(t, "testdata/layouts/flex.html")["flex"]
	p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
	const query = "?page=https%3A%2F%2Fnews.example.com%2F2026%2F05%2Fthe-river-and-the-garden&shown=0f5c86a3b1e2d4978c6b5a4f3e2d1c0b"
	const own = "https://winnow.internal"
	out, err := write.Form{Mode: page.ModeAuto, Bar: own + "/site/news.example.com" + query, Sheet: own + "/site/news.example.com/sheet" + query, Styles: own + source.StylesPath}.
		Write(p, &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))})
	if err != nil {
		t.Fatal(err)
	}
	packed := func(b []byte) int {
		var buf bytes.Buffer
		w := gzip.NewWriter(&buf)
		_, _ = w.Write(b)
		_ = w.Close() // a buffer takes all
		return buf.Len()
	}
	if added := packed(out.Body) - packed(p.Source); added > 300 || !strings.Contains(string(out.Body), "<iframe") {
		t.Errorf("the bar adds %d bytes: %s", added, out.Body)
	}
}
