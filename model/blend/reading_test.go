package blend

import (
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
