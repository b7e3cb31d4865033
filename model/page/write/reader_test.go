package write_test

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// The reader says title and date once, takes the page's own title rather than its site's, and keeps the direction of
// the text, whichever element declares it.
func TestReaderHead(t *testing.T) {
	const story = `<p>The resolver asks one server after the other until one of them knows the name, and remembers what it said.</p>`
	for name, c := range map[string]struct {
		src  string
		once []string
		has  string
	}{
		"site's heading": {`<html><head><title>DNS | Runtime v18 Documentation</title></head><body><header class="noise"><h1>Runtime v18 documentation</h1></header><main><h2>DNS</h2>` + story + `</main></body></html>`,
			[]string{">DNS<"}, "<title>"},
		"heading of second rank": {`<html><head><title>How names are found</title><meta property="og:title" content="How names are found"></head><body><main><h2>How names are found</h2>` + story + `</main></body></html>`,
			[]string{">How names are found</h"}, "<main>"},
		"date in words": {`<html><head><title>Names</title><meta property="article:published_time" content="2024-03-05T10:00:00Z"></head><body><main><h1>Names</h1><p>5 March 2024</p>` + story + `</main></body></html>`,
			[]string{"5 March 2024"}, "<main>"},
		"author below the title": {`<html><head><title>Names</title><meta name="author" content="Ada Brook"></head><body><main><h1>Names</h1>` + story + `</main></body></html>`,
			[]string{"Ada Brook"}, "</h1>\n<p class=\"by\">Ada Brook</p>"},
		"heading with a link": {`<html><head><title>How names are found</title></head><body><main><h2><a href="/a">How names are found</a></h2>` + story + `</main></body></html>`,
			[]string{">How names are found</a>", "<h1"}, "<main>"},
		"direction": {`<html><head><title>نام</title></head><body><div dir="rtl"><h1>نام</h1><p>` + strings.Repeat("نام پیدا شد ", 8) + `</p></div></body></html>`, nil, `<html dir="rtl">`},
	} {
		p := pagetest.MustParse(t, []byte(c.src), "text/html; charset=utf-8")
		out, err := write.Form{Mode: page.ModeReader}.Write(p, pagetest.MarkNoise(p))
		if err != nil {
			t.Fatal(err)
		}
		got := string(out.Body)
		for _, once := range c.once {
			if strings.Count(got, once) != 1 {
				t.Errorf("%s: %q is there %d times: %s", name, once, strings.Count(got, once), got)
			}
		}
		if !strings.Contains(got, c.has) || strings.Contains(got, "2024-03-05<") || strings.Contains(got, "Runtime v18 documentation</h1>") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Posts of a thread are apart, each with who wrote it and when, whatever lays them out, and the title is no link.
func TestReaderShowsPosts(t *testing.T) {
	const text = "The resolver asks one server after the other until one of them knows the name, and remembers what it said for a while."
	for name, post := range map[string]string{
		"boxes":  `<div class="post"><div><span class="username"><a href="/u/1">nora</a></span><time datetime="2026-05-19">19 May</time><span>3 likes</span></div><p>` + text + `</p></div>`,
		"tables": `<div><table><tr><td>19 May</td><td>#3</td></tr><tr><td><a class="username" href="/u/1">nora</a><br>Member</td><td>` + text + " " + text + `</td></tr></table></div>`,
	} {
		src := `<html><head><title>Names</title></head><body><main><h1><a href="/t/1">Names</a></h1><div>` + strings.Repeat(post, 3) + `</div></main></body></html>`
		p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
		out, err := write.Form{Mode: page.ModeReader, URL: "https://forum.example/t/1"}.Write(p, pagetest.MarkNoise(p))
		if err != nil {
			t.Fatal(err)
		}
		got := string(out.Body)
		if n := strings.Count(got, "<article>"); n != 3 || strings.Contains(got, "<td") || strings.Contains(got, "</a><time") || strings.Contains(got, "</time>3") {
			t.Errorf("%s: %d posts: %s", name, n, got)
		}
		if !strings.Contains(got, "<p>forum.example · ") {
			t.Errorf("%s: the site has no name: %s", name, got)
		}
	}
}

// A line of the reader has 60 to 75 characters on a wide screen.
func TestReaderMeasure(t *testing.T) {
	const measure = `(() => {
		document.body.style.width = document.body.style.minWidth = getComputedStyle(document.body).maxWidth;
		const n = document.querySelector("p").firstChild, range = document.createRange();
		let lines = 0, last = -1;
		for (let i = 0; i < n.length; i++) {
			range.setStart(n, i); range.setEnd(n, i + 1);
			const top = range.getBoundingClientRect().top;
			if (top > last + 5) { lines++; last = top }
		}
		const perLine = n.length / lines;
		return perLine >= 58 && perLine <= 76 ? "" : perLine + " characters a line";
	})()`
	src := `<html><body><main><h1>T</h1><p>` + strings.Repeat("The resolver asks one server after the other until one of them knows the name, and remembers it. ", 20) + `</p></main></body></html>`
	srv := pagetest.ServePages(t, map[string]string{"long": src}, "", "")
	if wrong, err := browsertest.Start(t).Ask(t.Context(), srv.URL+"/reader/long", measure); wrong != "" || err != nil {
		t.Errorf("%s (%v)", wrong, err)
	}
}
