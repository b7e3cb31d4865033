package blend

import "testing"

// A host whose pages look alike learns all of the first ones, then few, and after a redesign all of the new ones.
func TestSettledHostLearnsFewPages(t *testing.T) {
	r := newReading(t)
	r.readStories(english(), semantic, 0, settledPages)
	if s := r.h.Stats(); s.Pages != settledPages || s.Skipped != 0 {
		t.Errorf("at first, %d pages were learned and %d left out, want %d and 0", s.Pages, s.Skipped, settledPages)
	}
	const more = 60
	r.readStories(english(), semantic, settledPages, settledPages+more)
	before := r.h.Stats()
	if before.Pages+before.Skipped != settledPages+more || before.Skipped < more*3/4 {
		t.Errorf("of %d more pages, %d were learned and %d left out, want three quarters left out", more, before.Pages-settledPages, before.Skipped)
	}
	const redesigned = settledPages
	r.readStories(english(), tables, 200, 200+redesigned)
	if after := r.h.Stats(); after.Pages-before.Pages != redesigned {
		t.Errorf("of the first %d pages after a redesign, %d were learned", redesigned, after.Pages-before.Pages)
	}
}

// New texts in places where the text hardly ever changes are learned, although the places are known.
func TestChangedTemplateIsLearned(t *testing.T) {
	p := pace{began: true, learned: settledPages, every: rarest, usual: looks{repeated: 100, strange: .1}}
	if !p.skips(looks{repeated: 90, strange: .1}, 100) {
		t.Error("a page like the usual ones is learned")
	}
	for name, l := range map[string]looks{
		"new template texts":   {repeated: 90, strange: .1, changed: .2},
		"new places":           {repeated: 90, strange: .6},
		"little of a template": {repeated: 30, strange: .1},
	} {
		if p := p; p.skips(l, 100) {
			t.Errorf("%s: the page is left out", name)
		}
	}
}
