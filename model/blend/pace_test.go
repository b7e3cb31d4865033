package blend

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
)

// A host whose pages look alike learns all of the first ones, then few, and after a redesign all of the new ones.
func TestSettledHostLearnsFewPages(t *testing.T) {
	r := newReading(t)
	r.readStories(english(), semantic, 0, memory.FamiliarPages)
	if s := r.h.Stats(); s.Pages != memory.FamiliarPages || s.Skipped != 0 {
		t.Errorf("at first, %d pages were learned and %d left out, want %d and 0", s.Pages, s.Skipped, memory.FamiliarPages)
	}
	const more = 60
	r.readStories(english(), semantic, memory.FamiliarPages, memory.FamiliarPages+more)
	before := r.h.Stats()
	if before.Pages+before.Skipped != memory.FamiliarPages+more || before.Skipped < more*3/4 {
		t.Errorf("of %d more pages, %d were learned and %d left out, want three quarters left out", more, before.Pages-memory.FamiliarPages, before.Skipped)
	}
	const redesigned = memory.FamiliarPages
	r.readStories(english(), tables, 200, 200+redesigned)
	if after := r.h.Stats(); after.Pages-before.Pages != redesigned {
		t.Errorf("of the first %d pages after a redesign, %d were learned", redesigned, after.Pages-before.Pages)
	}
}

// New texts in places where the text hardly ever changes are learned, although the places are known.
func TestChangedTemplateIsLearned(t *testing.T) {
	p := memory.Pace{Started: true, Learned: memory.FamiliarPages, Interval: memory.MaxInterval, Usual: memory.Looks{Repeated: 100, Strange: .1}}
	if !p.Skips(memory.Looks{Repeated: 90, Strange: .1}, 100) {
		t.Error("a page like the usual ones is learned")
	}
	for name, l := range map[string]memory.Looks{
		"new template texts":   {Repeated: 90, Strange: .1, Changed: .2},
		"new places":           {Repeated: 90, Strange: .6},
		"little of a template": {Repeated: 30, Strange: .1},
	} {
		if p := p; p.Skips(l, 100) {
			t.Errorf("%s: the page is left out", name)
		}
	}
}
