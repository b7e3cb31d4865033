package blend

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// Pages for the hard cases are written with their content between these brackets. The brackets are removed before a
// model sees the page.
const (
	goldStart = "<!--[-->"
	goldEnd   = "<!--]-->"
)

func gold(html string) string { return goldStart + html + goldEnd }

// unbracket returns the page as it is served, and its content by itself.
func unbracket(src string) (served, content string) {
	var s, c strings.Builder
	for {
		before, rest, ok := strings.Cut(src, goldStart)
		s.WriteString(before)
		if !ok {
			return s.String(), c.String()
		}
		inner, after, _ := strings.Cut(rest, goldEnd)
		s.WriteString(inner)
		c.WriteString("<div>" + inner + "</div>")
		src = after
	}
}

// story is the subject of one page.
type story struct {
	t       tongue
	n       int
	title   string
	author  string
	text    []string
	related []string
	// teasers are the first sentences of the related stories: text of the length of content that no other page has.
	teasers []string
}

// storyOf makes story n of a site. Its related titles change from story to story, as they do on real sites.
func storyOf(t tongue, n int) story {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	s := story{t: t, n: n, title: t.title(r), author: pick(r, t.names)}
	for range 4 + r.IntN(5) {
		s.text = append(s.text, t.paragraph(r))
	}
	for i := range 4 {
		other := rand.New(rand.NewPCG(8, uint64(n/3+i)))
		s.related = append(s.related, t.title(other))
		s.teasers = append(s.teasers, t.sentence(other))
	}
	return s
}

// paragraphs is the text in paragraphs.
func (s story) paragraphs() string { return "<p>" + strings.Join(s.text, "</p>\n<p>") + "</p>" }

func (s story) head(extra string) string {
	return fmt.Sprintf("<!DOCTYPE html>\n<html lang=%q dir=%q><head><meta charset=utf-8><title>%s - %s</title>%s</head>\n", s.t.lang, s.t.dir, s.title,
		s.t.label(labelSite), extra)
}

// links joins links to the site's sections with a pattern of address and label.
func (s story) links(pattern string) string {
	var b strings.Builder
	for i := labelHome; i <= labelAbout; i++ {
		fmt.Fprintf(&b, pattern, fmt.Sprintf("/s/%d", i), s.t.label(i))
	}
	return b.String()
}

func (s story) relatedLinks(pattern string) string {
	var b strings.Builder
	for i, title := range s.related {
		fmt.Fprintf(&b, pattern, fmt.Sprintf("/r/%d", s.n/3+i), title)
	}
	return b.String()
}

// relatedTeasers is relatedLinks with a pattern of address, title and teaser.
func (s story) relatedTeasers(pattern string) string {
	var b strings.Builder
	for i, title := range s.related {
		fmt.Fprintf(&b, pattern, fmt.Sprintf("/r/%d", s.n/3+i), title, s.teasers[i])
	}
	return b.String()
}

// layout writes a story as a site would.
type layout func(story) string

// semantic is the markup of today: landmarks and a few classes.
func semantic(s story) string {
	t := s.t
	return s.head("<link rel=stylesheet href=/a.css>") + `<body><a class="skip-link" href="#main">` + t.label(labelHome) + `</a><header><a class=logo href=/>` + t.label(labelSite) + `</a>
<nav aria-label=main><ul>` + s.links("<li><a href=%s>%s</a></li>") + `</ul></nav><form role=search action=/q><input type=search name=q><button>` + t.label(labelSearch) + `</button></form></header>
<main id=main><article>` + gold("<h1>"+s.title+"</h1><p class=byline>"+t.label(labelBy)+" "+s.author+"</p>"+s.paragraphs()) + `</article>
<aside><h2>` + t.label(labelRelated) + `</h2><ul>` + s.relatedLinks("<li><a href=%s>%s</a></li>") + `</ul><section class=newsletter><p>` + t.label(labelNewsletter) + `</p><button>OK</button></section></aside></main>
<footer><p>` + t.label(labelRights) + `</p><a href=/privacy>` + t.label(labelPrivacy) + `</a> <a href=/contact>` + t.label(labelContact) + `</a></footer></body></html>`
}

// soup is divs with classes, some telling, some not.
func soup(s story) string {
	t := s.t
	return s.head("") + `<body><div id="wrap"><div class="hd-1"><div class="tt"><a href="/">` + t.label(labelSite) + `</a></div><div class="mm">` + s.links(`<div class="m-i"><a href="%s">%s</a></div>`) + `</div></div>
<div class="cols"><div class="c1"><div class="path"><a href="/">` + t.label(labelHome) + `</a> &raquo; <a href="/s/4">` + t.label(labelHistory) + `</a></div><div class="txt">` + gold(`<div class="t1">`+s.title+`</div><div class="w">`+t.label(labelBy)+` `+s.author+`</div><div>`+strings.Join(s.text, `</div><div>`)+`</div>`) + `</div>
<div class="sb"><a href="http://www.facebook.com/sharer.php?u=x">` + t.label(labelShare) + `</a></div></div><div class="c2"><div class="bx"><b>` + t.label(labelRelated) + `</b>` + s.relatedTeasers(`<div class="l"><a href="%s">%s</a><div>%s</div></div>`) + `</div>
<div class="bx">` + t.label(labelNewsletter) + `</div></div></div><div class="end">` + t.label(labelRights) + ` <a href="/privacy">` + t.label(labelPrivacy) + `</a></div></div></body></html>`
}

// tables is the layout of 1999: nothing has a class, cells make the columns, line breaks the paragraphs.
func tables(s story) string {
	t := s.t
	return s.head("") + `<body bgcolor=#ffffff><center><table width=760 border=0 cellpadding=4><tr><td colspan=3 bgcolor=#003366><font color=#ffffff size=5><b>` + t.label(labelSite) + `</b></font></td></tr>
<tr valign=top><td width=130 bgcolor=#eeeeee><font size=2>` + s.links("<a href=%s>%s</a><br>\n") + `</font></td><td width=480>` + gold(`<font size=4><b>`+s.title+`</b></font><br><i>`+t.label(labelBy)+` `+s.author+`</i><br><br>`+strings.Join(s.text, "<br><br>\n")) + `</td>
<td width=150><table bgcolor=#ffffcc width=100%><tr><td><b>` + t.label(labelRelated) + `</b></td></tr>` + s.relatedTeasers("<tr><td><font size=1><a href=%s>%s</a><br>%s</font></td></tr>") + `</table></td></tr>
<tr><td colspan=3 align=center><hr><font size=1>` + t.label(labelRights) + `<br><a href=/privacy>` + t.label(labelPrivacy) + `</a> | <a href=/contact>` + t.label(labelContact) + `</a></font></td></tr></table></center></body></html>`
}

// bootstrap is a grid of utility classes.
func bootstrap(s story) string {
	t := s.t
	return s.head("") + `<body class="bg-light"><nav class="navbar navbar-expand-lg navbar-dark bg-dark"><div class="container"><a class="navbar-brand" href="/">` + t.label(labelSite) + `</a><ul class="navbar-nav me-auto">` + s.links(`<li class="nav-item"><a class="nav-link" href="%s">%s</a></li>`) + `</ul></div></nav>
<div class="container mt-4"><div class="row"><div class="col-lg-8">` + gold(`<h1 class="display-5 mb-3">`+s.title+`</h1><p class="text-muted">`+t.label(labelBy)+` `+s.author+`</p><div class="lead-body">`+s.paragraphs()+`</div>`) + `<div class="d-flex gap-2 my-3"><a class="btn btn-outline-primary" href="https://twitter.com/intent/tweet">` + t.label(labelShare) + `</a></div></div>
<div class="col-lg-4"><div class="card mb-3"><div class="card-header">` + t.label(labelRelated) + `</div><ul class="list-group list-group-flush">` + s.relatedLinks(`<li class="list-group-item"><a href="%s">%s</a></li>`) + `</ul></div><div class="card card-body">` + t.label(labelNewsletter) + `</div></div></div></div>
<div class="bg-dark text-white py-4"><div class="container"><small>` + t.label(labelRights) + `</small> <a class="link-light" href="/privacy">` + t.label(labelPrivacy) + `</a></div></div></body></html>`
}

// hostReading is a host that is read page by page: each page is marked with what the pages before it taught, and is
// then learned.
type hostReading struct {
	t testing.TB
	h *Host
	n int
}

func newReading(t testing.TB) *hostReading {
	return &hostReading{t: t, h: detector(t).newHost(model.Key{})}
}

// read returns the F1 of the kept part of the page, over 4-word shingles.
func (r *hostReading) read(url, src string) float64 {
	r.t.Helper()
	served, want := unbracket(src)
	shown := r.shown(url, served)
	return shingleF1(shingles(r.t, shown), shingles(r.t, "<body>"+want))
}

// shown returns the output for the page.
func (r *hostReading) shown(url, served string) string {
	r.t.Helper()
	p := viewtest.Parse(r.t, served)
	v := visit(r.n)
	v.URL = "http://hard.example" + url
	r.n++
	m := r.h.Mark(p, v)
	v.Reading = m.Reading
	r.h.Observe(p, v)
	if m.Pass != "" {
		return served
	}
	out, err := write.Page(p, m, page.ModeRemove)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(out.Body)
}

// shingles counts the runs of four words of a page. A page with fewer words is one run.
func shingles(t testing.TB, src string) map[string]int {
	p := viewtest.Parse(t, src)
	var text []byte
	for b := range p.Blocks {
		text = append(p.BlockText(text, page.BlockID(b)), '\n')
	}
	var words []string
	for w := range page.Words(strings.ToLower(string(text))) {
		words = append(words, w)
	}
	counts := map[string]int{}
	for i := 0; i+4 <= max(len(words), 4) && len(words) > 0; i++ {
		counts[strings.Join(words[i:min(i+4, len(words))], " ")]++
	}
	return counts
}

func shingleF1(got, want map[string]int) float64 {
	both, all := 0, 0
	for s, n := range got {
		both += min(n, want[s])
		all += n
	}
	for _, n := range want {
		all += n
	}
	if all == 0 {
		return 1
	}
	return 2 * float64(both) / float64(all)
}

func mean(scores []float64) float64 {
	sum := 0.0
	for _, s := range scores {
		sum += s
	}
	return sum / float64(max(len(scores), 1))
}

// atLeast fails below a level.
func atLeast(t testing.TB, what string, got, want float64) {
	t.Helper()
	if got < want {
		t.Errorf("%s: F1 is %.3f, want %.2f at least", what, got, want)
	} else {
		t.Logf("%s: F1 is %.3f", what, got)
	}
}
