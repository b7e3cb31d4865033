package phone

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
)

//nolint:gochecknoglobals // flags of a test
var (
	sheetDir   = flag.String("sheet", "", "write a contact sheet of all engines into this folder")
	engineGlob = flag.String("engines", someEngines, "the engines to look at, as a pattern")
	engineMode = flag.String("mode", "auto", "the mode to look at them in")
)

// settings are the screens of a small phone, a phone and a tablet.
func settings() []browsertest.Setting {
	return []browsertest.Setting{{Width: 390}, {Width: 390, Dark: true}, {Width: 320}, {Width: 320, Dark: true}, {Width: 768}, {Width: 768, Dark: true}}
}

// engine is what was seen of a page of an engine: direct, on the first visit through winnow, and on the twelfth.
type engine struct {
	site                   *site
	path, name             string
	direct, first, twelfth visit
}

// visit is a look at one page in all settings.
type visit struct {
	seen    []browsertest.Seen
	pressed map[string]bool
}

// Pages built as the engines of most of the web build them, direct and through a proxy in mode auto, on screens of
// three widths, light and dark, on the first and the twelfth visit: none is blank, locked or newly wide, none has texts
// over each other, a squeezed column or new errors; each control that lives does what it did, and the content stays.
func TestEngines(t *testing.T) {
	const visits = 10
	sites := madeSites(t, filepath.Join("engines", *engineGlob), visits+2, 1)
	if *engineGlob == "*.tmpl" { // all
		sites = append(sites, madeSites(t, "*.tmpl", visits+2, len(sites)+1)...)
	}
	var mode page.Mode
	if err := mode.UnmarshalText([]byte(*engineMode)); err != nil {
		t.Fatal(err)
	}
	addr, drain := startProxy(t, mode)
	direct, behind := browsertest.Start(t), browsertest.StartBehind(t, addr)
	look := func(b *browsertest.Browser, url string) visit {
		seen, pressed, err := b.Visit(t.Context(), url, settings(), *sheetDir != "")
		if err != nil {
			t.Fatal(err)
		}
		return visit{seen, pressed}
	}
	var all []*engine
	for i := range sites {
		s := &sites[i]
		for k, kind := range s.kinds {
			e := &engine{site: s, path: s.pages[(k+1)*(visits+2)-1], name: s.name + " " + kind}
			e.direct, e.first = look(direct, s.url+e.path), look(behind, s.url+e.path)
			all = append(all, e)
		}
	}
	for i := range sites {
		teach(t, addr, sites[i], slices.DeleteFunc(slices.Clone(sites[i].pages), func(p string) bool { return strings.HasSuffix(p, fmt.Sprintf("/%d", visits+2)) }))
	}
	drain()
	for _, e := range all {
		e.twelfth = look(behind, e.site.url+e.path)
	}
	total := sums{}
	for _, e := range all {
		e.check(t, "first", e.first, total)
		e.check(t, "twelfth", e.twelfth, total)
	}
	total.report(t, all)
	if *sheetDir != "" {
		drawSheets(t, *sheetDir, all)
	}
}

// sums count faults by their kind.
type sums map[string]int

// check compares what was seen through winnow with the page as it is.
func (e *engine) check(t *testing.T, when string, v visit, total sums) {
	t.Helper()
	fail := func(kind, format string, args ...any) {
		total[kind]++
		t.Errorf("%s, %s: %s: %s", e.name, when, kind, fmt.Sprintf(format, args...))
	}
	for i, s := range settings() {
		was, is := e.direct.seen[i], v.seen[i]
		at := fmt.Sprintf("%d px", s.Width)
		if s.Dark {
			if n := newOnes(is.Faint, was.Faint); len(n) > 0 {
				fail("faint", "%s dark: %q", at, n)
			}
			continue
		}
		if n := newOnes(is.Faint, was.Faint); len(n) > 0 {
			fail("faint", "%s: %q", at, n)
		}
		if is.Characters < 40 && was.Characters > 200 {
			fail("blank", "%s: %d characters of %d", at, is.Characters, was.Characters)
		}
		if !is.Scrolls {
			fail("locked", "%s (direct scrolls: %t)", at, was.Scrolls)
		}
		if len(is.Overlaps) > len(was.Overlaps) {
			fail("overlap", "%s: %q", at, newOnes(is.Overlaps, was.Overlaps))
		}
		if is.Width > max(is.ScreenWidth, float64(s.Width))+1 && was.Width <= was.ScreenWidth+1 {
			fail("wide", "%s: %v, direct %v", at, is.Width, was.Width)
		}
		if is.Column > 0 && is.Column < .85 && (is.Column < was.Column-.07 || is.Column < .7 && s.Width < 700) {
			fail("column", "%s: %.2f of the screen, direct %.2f", at, is.Column, was.Column)
		}
	}
	if n := newOnes(v.seen[0].Errors, e.direct.seen[0].Errors); len(n) > 0 {
		fail("errors", "%q", n)
	}
	for name, works := range v.pressed {
		if !works && e.direct.pressed[name] {
			fail("dead", "%q", name)
		}
	}
	if kept, lost, _ := e.content(v.seen[0].Text, e.direct.seen[0].Text); kept < .9 {
		fail("lost", "%.3f kept, lost %q", kept, lost)
	} else if len(lost) > 0 {
		t.Logf("%s, %s: %.3f kept, lost %q", e.name, when, kept, lost)
	}
}

// newOnes returns the strings of now that then does not have.
func newOnes(now, then []string) []string {
	return slices.DeleteFunc(slices.Clone(now), func(s string) bool { return slices.Contains(then, s) })
}

// content returns the share of the content's characters that are shown, the texts of it that are not, and the share of
// the template that is left. What the page does not show as it is does not count.
func (e *engine) content(text, direct string) (kept float64, lost []string, left float64) {
	stays, goes := e.site.gold(e.path)
	if len(stays)+len(goes) == 0 {
		return 1, nil, 0 // nobody has said
	}
	count := func(texts []string, missing *[]string) float64 {
		all, shown := 0, 0
		for _, s := range texts {
			if !strings.Contains(direct, s) {
				continue
			}
			all += len(s)
			if strings.Contains(text, s) {
				shown += len(s)
			} else if missing != nil {
				*missing = append(*missing, s)
			}
		}
		if all == 0 {
			return 0
		}
		return float64(shown) / float64(all)
	}
	return count(stays, &lost), lost, count(slices.DeleteFunc(goes, func(s string) bool { return len(s) < 12 }), nil)
}

// goldOf returns the texts that a template marks as content, and those that it marks as its own.
func goldOf(t *testing.T, src string) (stays, goes []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *html.Node, k string)
	walk = func(n *html.Node, k string) {
		for _, a := range n.Attr {
			if a.Key == "k" {
				k = a.Val
			}
		}
		if s := strings.Join(strings.Fields(n.Data), " "); n.Type == html.TextNode && len(s) > 2 {
			switch k {
			case "c":
				stays = append(stays, s)
			case "t":
				goes = append(goes, s)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, k)
		}
	}
	walk(doc, "")
	return stays, goes
}

// report prints what was measured over all pages.
func (s sums) report(t *testing.T, all []*engine) {
	t.Helper()
	for _, when := range []string{"first", "twelfth"} {
		var saved, kept, left []float64
		for _, e := range all {
			v := e.first
			if when == "twelfth" {
				v = e.twelfth
			}
			is, was := v.seen[0], e.direct.seen[0]
			saved = append(saved, 1-float64(is.Bytes)/float64(was.Bytes))
			k, _, l := e.content(is.Text, was.Text)
			kept, left = append(kept, k), append(left, l)
			t.Logf("%-8s %-28s bytes %7d of %7d, height saved %.2f, kept %.3f, left %.2f", when, e.name, is.Bytes, was.Bytes, 1-is.Height/max(was.Height, 1), k, l)
		}
		if mean(kept) < .97 || median(kept) < .99 || mean(left) > .1 {
			t.Errorf("%s visit: content kept %.3f in the mean, %.3f in the median, template left %.3f", when, mean(kept), median(kept), mean(left))
		}
		t.Logf("%s visit of %d pages: content kept %.3f, template left %.3f in the mean; median bytes saved %.2f, %d pages grow", when, len(all), mean(kept), mean(left),
			median(slices.Clone(saved)), len(slices.DeleteFunc(saved, func(f float64) bool { return f >= 0 })))
	}
	t.Logf("faults: %v", map[string]int(s))
}

func mean(v []float64) float64 {
	sum := 0.
	for _, f := range v {
		sum += f
	}
	return sum / float64(max(len(v), 1))
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}
