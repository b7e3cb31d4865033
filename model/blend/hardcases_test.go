package blend

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The hard cases of real traffic, each on pages written for it. The levels are for whole sites and not for particular
// weights, so they leave some room for the next fit.

// styles are the layouts that the cases are tried in.
func styles() map[string]layout {
	return map[string]layout{"semantic": semantic, "soup": soup, "tables": tables, "bootstrap": bootstrap}
}

// bareStyles are the layouts without names, where only evidence of the host helps.
func bareStyles() map[string]layout { return map[string]layout{"soup": soup, "tables": tables} }

// readStories reads stories [from, to) in a layout and returns the scores.
func (r *hostReading) readStories(t tongue, l layout, from, to int) (scores []float64) {
	r.t.Helper()
	for n := from; n < to; n++ {
		scores = append(scores, r.read(fmt.Sprintf("/story/%d", n), l(storyOf(t, n))))
	}
	return scores
}

func TestStyles(t *testing.T) {
	for name, l := range styles() {
		t.Run(name, func(t *testing.T) {
			scores := newReading(t).readStories(english(), l, 0, 12)
			atLeast(t, "page 1", scores[0], .88)
			atLeast(t, "pages 2-5", mean(scores[1:5]), .91)
			atLeast(t, "pages 6-12", mean(scores[5:]), .92)
		})
	}
}

// Right-to-left scripts, and scripts without spaces, in every layout.
func TestScripts(t *testing.T) {
	for _, tongue := range []tongue{arabic(), hebrew(), chinese(), japanese()} {
		for name, l := range styles() {
			t.Run(tongue.lang+"/"+name, func(t *testing.T) {
				scores := newReading(t).readStories(tongue, l, 0, 8)
				atLeast(t, "page 1", scores[0], .8)
				atLeast(t, "pages 2-5", mean(scores[1:5]), .9)
				atLeast(t, "pages 6-12", mean(scores[5:]), .92)
			})
		}
	}
}

// A host with only one page.
func TestOnePageHost(t *testing.T) {
	for name, l := range styles() {
		var scores []float64
		for n := range 8 {
			scores = append(scores, newReading(t).readStories(english(), l, n, n+1)...)
		}
		atLeast(t, name, mean(scores), .86)
	}
}

// Twenty pages after a redesign the results are as if the host had always looked like this.
func TestRedesign(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after layout
	}{
		{"soup to bootstrap", soup, bootstrap}, {"semantic to tables", semantic, tables},
	} {
		t.Run(c.name, func(t *testing.T) {
			level := mean(newReading(t).readStories(english(), c.after, 30, 58)[20:])
			r := newReading(t)
			atLeast(t, "before", mean(r.readStories(english(), c.before, 0, 30)[20:]), .92)
			changed := r.readStories(english(), c.after, 30, 58)
			atLeast(t, "first ten pages", mean(changed[:10]), .85)
			atLeast(t, "20 pages later", mean(changed[20:]), level-.03)
		})
	}
}

// One page that is fetched many times is not template, neither by itself nor among others.
func TestOneURLFiftyTimes(t *testing.T) {
	for name, l := range bareStyles() {
		t.Run(name, func(t *testing.T) {
			r := newReading(t)
			first := r.readStories(english(), l, 0, 1)[0]
			for range 49 {
				r.readStories(english(), l, 0, 1)
			}
			atLeast(t, "the 51st time", r.readStories(english(), l, 0, 1)[0], first-.01)
			atLeast(t, "other pages", mean(r.readStories(english(), l, 1, 8)[3:]), .91)
			atLeast(t, "the page again", r.readStories(english(), l, 0, 1)[0], first)
		})
	}
}

// The same ten stories come again with other session ids and campaign parameters, in their own URLs and in all links.
func TestSessionsAndTracking(t *testing.T) {
	for name, l := range bareStyles() {
		t.Run(name, func(t *testing.T) {
			r, random := newReading(t), rand.New(rand.NewPCG(1, 1))
			var scores []float64
			for i := range 40 {
				session := fmt.Sprintf("?PHPSESSID=%016x&utm_source=n%d", random.Uint64(), i)
				src := strings.NewReplacer(`href="/s/`, `href="/x`+session+`/s/`, `href=/s/`, `href=/x`+session+`/s/`).Replace(l(storyOf(english(), i%10)))
				scores = append(scores, r.read(fmt.Sprintf("/story/%d%s", i%10, session), src))
			}
			atLeast(t, "the first time", mean(scores[5:10]), .9)
			atLeast(t, "the fourth time", mean(scores[30:]), .9)
		})
	}
}

// amp and printed are the twins of a story's page.
func amp(s story) string {
	return s.head(`<link rel=canonical href=/story/`+fmt.Sprint(s.n)+`>`) + `<body><amp-sidebar>` + s.links("<a href=%s>%s</a>") + `</amp-sidebar><header class=amp-h>` + s.t.label(labelSite) + `</header>` +
		gold("<h1>"+s.title+"</h1><div>"+s.t.label(labelBy)+" "+s.author+"</div>"+s.paragraphs()) + `<footer>` + s.t.label(labelRights) + `</footer></body></html>`
}

func printed(s story) string {
	return s.head("") + `<body onload="window.print()">` + gold("<h2>"+s.title+"</h2><p>"+s.t.label(labelBy)+" "+s.author+"</p>"+s.paragraphs()) + `<hr><p>` + s.t.label(labelSite) + `: http://hard.example/story/` + fmt.Sprint(s.n) + `</p></body></html>`
}

// A twin repeats all text of its page, and yet nothing of the text is removed. Twins cost evidence about the places
// that they lack: where a sidebar has long teasers of other stories, more of these stay (0.91 instead of 1.00).
func TestPrintAndAMPTwins(t *testing.T) {
	for name, l := range bareStyles() {
		t.Run(name, func(t *testing.T) {
			r := newReading(t)
			var full, plain, twin []float64
			for n := range 20 {
				s, path := storyOf(english(), n), fmt.Sprintf("/story/%d", n)
				full = append(full, r.read(path, l(s)))
				plain = append(plain, r.read(path+"?print=1", printed(s)))
				twin = append(twin, r.read(path+"/amp", amp(s)))
			}
			atLeast(t, "pages", mean(full[10:]), .87)
			atLeast(t, "printed", mean(plain[10:]), .93)
			atLeast(t, "AMP", mean(twin[10:]), .93)
			again := r.readStories(english(), l, 0, 10)
			atLeast(t, "pages whose twins were seen", mean(again), .86)
		})
	}
}

// Half of the visitors, chosen at random, get another template.
func TestABVariants(t *testing.T) {
	r, lot := newReading(t), rand.New(rand.NewPCG(2, 2))
	var scores []float64
	for n := range 40 {
		l := soup
		if lot.IntN(2) == 1 {
			l = func(s story) string {
				return strings.NewReplacer(`class="c2"`, `class="c2 exp-b"`, `class="mm"`, `class="mm-new"`, "<div class=\"sb\">", `<div class="cta">`+s.t.label(labelNewsletter)+`</div><div class="sb">`).Replace(soup(s))
			}
		}
		scores = append(scores, r.read(fmt.Sprintf("/story/%d", n), l(storyOf(english(), n))))
	}
	atLeast(t, "pages 6-20", mean(scores[5:20]), .93)
	atLeast(t, "pages 21-40", mean(scores[20:]), .95)
}

func TestSeveralTemplates(t *testing.T) {
	r := newReading(t)
	layouts := []layout{semantic, soup, tables, bootstrap}
	var scores []float64
	for n := range 36 {
		scores = append(scores, r.read(fmt.Sprintf("/%d/%d", n%4, n), layouts[n%4](storyOf(english(), n))))
	}
	atLeast(t, "pages 9-20", mean(scores[8:20]), .91)
	atLeast(t, "pages 21-36", mean(scores[20:]), .91)
}

// index is a page of teasers for stories [from, from+8).
func index(t tongue, from int, l layout) string {
	var b strings.Builder
	for n := from; n < from+8; n++ {
		s := storyOf(t, n)
		fmt.Fprintf(&b, `<div class="teaser"><h2><a href="/story/%d">%s</a></h2><p>%s</p><a href="/story/%d">%s</a></div>`, n, s.title, s.text[0], n, t.label(labelMore))
	}
	s := storyOf(t, from)
	s.title, s.text = t.label(labelNews), nil
	before, rest, _ := strings.Cut(l(s), goldStart)
	_, after, _ := strings.Cut(rest, goldEnd)
	return before + "<h1>" + s.title + "</h1>" + gold(b.String()) + after
}

// Entries of an index page are also on the next index page and on the pages of their stories.
func TestIndexPages(t *testing.T) {
	for name, l := range bareStyles() {
		t.Run(name, func(t *testing.T) {
			r := newReading(t)
			var indexes, stories []float64
			for n := range 20 {
				indexes = append(indexes, r.read(fmt.Sprintf("/index?%d", n), index(english(), n, l)))
				stories = append(stories, r.readStories(english(), l, n, n+1)...)
			}
			atLeast(t, "indexes", mean(indexes[5:]), .85)
			atLeast(t, "stories", mean(stories[5:]), .9)
		})
	}
}

// Every story ends in readers' comments and the form for the next comment, which is the same everywhere.
func TestIdenticalCommentForms(t *testing.T) {
	r := newReading(t)
	var scores []float64
	for n := range 20 {
		s := storyOf(english(), n)
		var comments strings.Builder
		random := rand.New(rand.NewPCG(3, uint64(n)))
		for range random.IntN(4) {
			fmt.Fprintf(&comments, `<li class="comment"><div class="comment-author">%s</div><p>%s</p></li>`, pick(random, s.t.names), s.t.sentence(random))
		}
		form := `<div id="respond" class="comment-respond"><h3>Leave a Reply</h3><form action="/comment" method="post"><p class="comment-notes">Your email address will not be published. Required fields are marked *</p>
<p><label for="comment">Comment *</label><textarea id="comment" name="comment"></textarea></p><p><label for="author">Name *</label><input id="author" name="author"></p><p><input type="submit" value="Post Comment"></p></form></div>`
		src := strings.Replace(semantic(s), "</article>", gold(`<ol class="comment-list">`+comments.String()+`</ol>`)+form+"</article>", 1)
		served, _ := unbracket(src)
		scores = append(scores, r.read(fmt.Sprintf("/story/%d", n), src))
		if n > 5 && strings.Contains(r.shown(fmt.Sprintf("/other/%d", n), served), "will not be published") {
			t.Errorf("page %d: the form stays", n+1)
		}
	}
	atLeast(t, "pages 6-20", mean(scores[5:]), .93)
}

// Two sentences of content in a template of hundreds of words.
func TestNearlyAllTemplate(t *testing.T) {
	for name, l := range bareStyles() {
		t.Run(name, func(t *testing.T) {
			r := newReading(t)
			menu := ""
			for i := range 60 {
				menu += fmt.Sprintf("<li><a href=/m/%d>%s</a></li>", i, english().title(rand.New(rand.NewPCG(4, uint64(i)))))
			}
			var scores []float64
			for n := range 20 {
				s := storyOf(english(), n)
				s.text, s.related = s.text[:1], nil
				src := strings.Replace(l(s), "<body", "<body data-x=1", 1)
				at := strings.Index(src, "</body>")
				scores = append(scores, r.read(fmt.Sprintf("/story/%d", n), src[:at]+"<div class=all><ul>"+menu+"</ul></div>"+src[at:]))
			}
			atLeast(t, "pages 2-5", mean(scores[1:5]), .8)
			atLeast(t, "pages 6-20", mean(scores[5:]), .9)
		})
	}
}

// A story and a line with the author's name: almost nothing may be removed.
func TestNearlyNoTemplate(t *testing.T) {
	r := newReading(t)
	var scores []float64
	for n := range 20 {
		s := storyOf(english(), n)
		src := s.head("") + "<body>" + gold("<h1>"+s.title+"</h1>"+s.paragraphs()) + "<address>Maud Tresker</address></body></html>"
		scores = append(scores, r.read(fmt.Sprintf("/%d.html", n), src))
	}
	atLeast(t, "page 1", scores[0], .95)
	atLeast(t, "pages 2-20", mean(scores[1:]), .97)
}
