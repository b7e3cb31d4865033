package detectors

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// sitePage is a page of a small site, with the template from before or after a redesign.
func sitePage(t *testing.T, n int, redesigned bool) *page.Page {
	t.Helper()
	menu := `<div class="top"><a href="/">Start</a> <a href="/news">All the news</a> <a href="/shop">Things to buy here</a></div>`
	if redesigned {
		menu = `<table><tr><td><a href="/first">The first thing</a><td><a href="/second">Second helpings</a></table>`
	}
	p, err := page.Parse(fmt.Appendf(nil, `<html><body>%s<div class="text"><h1>Story %d</h1><p>In the year %d a boat came in with %d
sailors and no captain, which nobody in town could explain to the harbour master.</p></div><div class="end">All rights
reserved by the harbour town gazette</div></body></html>`, menu, n, 1500+n*7, n+2), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Clocks jump backwards and forwards. Models forget by pages rather than by time, so a jump neither stops learning nor
// makes models forget.
func TestModelsSurviveClockJumps(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	clocks := map[string]func(i int) time.Time{
		"runs":      func(i int) time.Time { return start.Add(time.Duration(i) * time.Minute) },
		"backwards": func(i int) time.Time { return start.Add(-time.Duration(i) * 24 * time.Hour) },
		"to 1970": func(i int) time.Time {
			if i >= 20 {
				return time.Unix(int64(i), 0)
			}
			return start
		},
		"to 2100 and back": func(i int) time.Time {
			if i >= 10 && i < 20 {
				return start.AddDate(74, 0, 0)
			}
			return start.Add(time.Duration(i) * time.Minute)
		},
		"not set": func(int) time.Time { return time.Time{} },
	}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			d, err := ByName(name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			marks := map[string]*page.Marking{}
			var key model.Key
			for clock, at := range clocks {
				h := d.New(key)
				last := time.Time{}
				for i := range 40 {
					h.Observe(sitePage(t, i, i >= 20), model.Visit{URL: fmt.Sprint("http://town.test/", i), At: at(i)})
					if s := h.Stats(); s.LastSeen.Before(last) {
						t.Fatalf("%s: last seen goes back from %v to %v", clock, last, s.LastSeen)
					}
					last = h.Stats().LastSeen
				}
				b, err := h.Encode()
				if err != nil {
					t.Fatalf("%s: %v", clock, err)
				}
				if h, err = d.Decode(key, b); err != nil {
					t.Fatalf("%s: %v", clock, err)
				}
				marks[clock] = h.Mark(sitePage(t, 99, true), model.Visit{URL: "http://town.test/99", At: at(40)})
			}
			for clock, m := range marks {
				if !reflect.DeepEqual(m.Verdicts, marks["runs"].Verdicts) {
					t.Errorf("a clock that goes %s changes how a model marks a page:\n%+v, want\n%+v", clock, m.Verdicts, marks["runs"].Verdicts)
				}
			}
		})
	}
}
