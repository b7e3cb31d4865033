package blend

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// A page that was just marked is learned from what Mark has read; nobody else's reading, and none of another page, is.
func TestMarkedPagesAreNotReadTwice(t *testing.T) {
	d := detector(t)
	h := d.newHost(model.Key{})
	p, v := viewtest.Parse(t, viewtest.SitePage(1)), visit(1)
	v.Reading = h.Mark(p, v).Reading
	if v.Reading == nil || !v.Reading.IsOf(p) || h.see(p, v) != v.Reading {
		t.Error("the page is read again")
	}
	again, elsewhere := viewtest.Parse(t, viewtest.SitePage(1)), v
	elsewhere.URL += "?session=2"
	for name, s := range map[string]*seenPage{
		"another page":     h.see(again, v),
		"another address":  h.see(p, elsewhere),
		"another key":      d.newHost(model.NewKey()).see(p, v),
		"another detector": detector(t).newHost(model.Key{}).see(p, v),
		"no reading":       h.see(p, visit(1)),
	} {
		if s == v.Reading || s.scores != nil {
			t.Errorf("%s is learned from a reading that is not of it", name)
		}
	}
}

// A page is read in the memory of one that was learned: whatever that had, the marking is the same, and who learns a
// page twice reads it again.
func TestPagesAreReadInTheMemoryOfOthers(t *testing.T) {
	fresh, used := detector(t), detector(t)
	for i := range 12 {
		doc := viewtest.SitePage(i)
		if i%3 == 1 {
			doc += strings.Repeat(`<ul class="list"><li>one <a href="/2">two</a></li><li><h2>three</h2></li></ul>`, 50)
		}
		p, v := viewtest.Parse(t, doc), visit(i)
		want := fresh.newHost(model.Key{}).Mark(p, v)
		fresh = detector(t)
		h := used.newHost(model.Key{})
		got := h.Mark(p, v)
		if !slices.Equal(got.Verdicts, want.Verdicts) || !slices.Equal(got.Marks, want.Marks) {
			t.Fatalf("page %d has another marking", i)
		}
		v.Reading = got.Reading
		h.Observe(p, v)
		if h.see(p, v) == v.Reading {
			t.Errorf("page %d is learned from memory that it has let go", i)
		}
		if h.Observe(p, v); h.Stats().Pages != 1 {
			t.Errorf("page %d counts as %d pages", i, h.Stats().Pages)
		}
	}
}
