package cssrules

import (
	"context"
	"fmt"

	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
)

// Report is the rules for a host, with what they are worth on pages that they were not made from.
type Report struct {
	Rules `json:"-"`
	// Learned is the number of pages that the rules were made from, Tested that of the others. Where there are too few
	// pages for both, Tested is 0, and the figures are on the pages that were learned.
	Learned int `json:"learned"`
	Tested  int `json:"tested"`
	// Hide hides the template, Hold holds the content, and Strip is template in what Hold holds.
	Hide  Set `json:"hide"`
	Hold  Set `json:"hold"`
	Strip Set `json:"strip"`
}

// Set is selectors of one purpose.
type Set struct {
	Rules []Rule `json:"rules"`
	// F1 compares the words that the page has left with those that winnow leaves, as a mean over pages. Precision is the
	// share of the former that winnow leaves too, Recall the share of the latter that are left. That of Strip is 0,
	// because it works with Hold alone.
	F1        float64 `json:"f1"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	// Doubt says in words why the set should not be relied on. It is empty where nothing is wrong.
	Doubt string `json:"doubt,omitempty"`
}

// Rule is one selector with what it does.
type Rule struct {
	CSS   string `json:"css"`
	XPath string `json:"xpath"`
	// Precision is the share of the words in its matches that it should match: template, or content for Hold. Recall is
	// the share of all such words that are in its matches.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	// Pages is the number of pages on which it matches something.
	Pages int `json:"pages"`
}

// testEvery is how many pages there are for each one that is left out for testing.
const testEvery = 5

// unreliable is the F1 under which a set is doubted.
const unreliable = .9

// Make makes the rules for a host from most of its pages, and measures them on the others.
func Make(ctx context.Context, samples []Sample) (*Report, error) {
	var learn, test []Sample
	for i, s := range samples {
		if i%testEvery == testEvery-1 {
			test = append(test, s)
		} else {
			learn = append(learn, s)
		}
	}
	r := &Report{Learned: len(learn), Tested: len(test)}
	var err error
	if r.Rules, err = Learn(ctx, learn); err != nil {
		return nil, err
	}
	if len(test) == 0 {
		test = learn
	}
	var pages []*tested
	for _, s := range test {
		pages = append(pages, newTested(s))
	}
	for _, set := range []struct {
		from  []Selector
		to    *Set
		noise bool
	}{{r.Rules.Hide, &r.Hide, true}, {r.Rules.Hold, &r.Hold, false}, {r.Rules.Strip, &r.Strip, true}} {
		if set.to.Rules, err = scored(pages, set.from, set.noise); err != nil {
			return nil, err
		}
	}
	r.Hide.total(pages, func(p *tested) []bool { return not(p.union(r.Hide)) })
	r.Hold.total(pages, func(p *tested) []bool { return without(p.union(r.Hold), p.union(r.Strip)) })
	r.doubt()
	return r, nil
}

// doubt says what is wrong with the rules.
func (r *Report) doubt() {
	for _, set := range []struct {
		of      *Set
		what    string
		nothing string
	}{{&r.Hide, "hide the template of this host", "no selector hides the template of this host"},
		{&r.Hold, "hold the content of this host", "no selector holds the content of this host"}} {
		switch {
		case len(set.of.Rules) == 0:
			set.of.Doubt = set.nothing + ": its pages give the two no elements of their own, or have no template"
		case set.of.F1 < unreliable:
			set.of.Doubt = fmt.Sprintf("these selectors do not %s well: on pages that they were not made from, what is left agrees with winnow by an F1 of %.2f only",
				set.what, set.of.F1)
		}
	}
}

// tested is a page with what an independent engine finds on it.
type tested struct {
	Sample
	matcher override.Matcher
	// words is the number of words of each text that has a label.
	words []float64
	// reached are the texts in the matches of each selector that was tried.
	reached map[string][]bool
}

func newTested(s Sample) *tested {
	t := &tested{Sample: s, reached: map[string][]bool{}, matcher: override.NewMatcher(s.Page), words: make([]float64, len(s.Page.Texts))}
	for i, text := range s.Page.Texts {
		if text.Block != page.None && s.Labels[text.Block] != Unknown {
			t.words[i] = wordsIn(text.Data)
		}
	}
	return t
}

// noise reports whether a text is noise.
func (t *tested) noise(text int) bool {
	b := t.Page.Texts[text].Block
	return b != page.None && t.Labels[b] == Noise
}

// reach returns the texts in what a selector matches.
func (t *tested) reach(css string) ([]bool, error) {
	if reached, ok := t.reached[css]; ok {
		return reached, nil
	}
	found, err := t.matcher.Elements(css)
	if err != nil {
		return nil, err
	}
	reached := make([]bool, len(t.words))
	for _, e := range found {
		el := &t.Page.Elements[e]
		for i := el.TextStart; i < el.TextEnd; i++ {
			reached[i] = true
		}
	}
	t.reached[css] = reached
	return reached, nil
}

// union returns the texts in what any selector of a scored set matches.
func (t *tested) union(s Set) []bool {
	all := make([]bool, len(t.words))
	for _, r := range s.Rules {
		for i, is := range t.reached[r.CSS] {
			all[i] = all[i] || is
		}
	}
	return all
}

// scored measures selectors one by one.
func scored(pages []*tested, from []Selector, noise bool) (rules []Rule, err error) {
	rules = []Rule{} // a list in JSON, too
	for _, s := range from {
		r := Rule{CSS: s.String(), XPath: s.XPath()}
		right, matched, wanted := 0., 0., 0.
		for _, t := range pages {
			reached, err := t.reach(r.CSS)
			if err != nil {
				return nil, err
			}
			some := false
			for i, n := range t.words {
				is := t.noise(i) == noise
				if is {
					wanted += n
				}
				if reached[i] {
					some = true
					if matched += n; is {
						right += n
					}
				}
			}
			if some {
				r.Pages++
			}
		}
		r.Precision, r.Recall = share(right, matched), share(right, wanted)
		rules = append(rules, r)
	}
	return rules, nil
}

// total measures what a set leaves of the pages.
func (s *Set) total(pages []*tested, left func(*tested) []bool) {
	for _, t := range pages {
		both, kept, content := 0., 0., 0.
		for i, stays := range left(t) {
			n, is := t.words[i], !t.noise(i)
			if is {
				content += n
			}
			if stays {
				if kept += n; is {
					both += n
				}
			}
		}
		s.Precision += share(both, kept) / float64(len(pages))
		s.Recall += share(both, content) / float64(len(pages))
		s.F1 += share(2*both, kept+content) / float64(len(pages))
	}
}

// share is the share of a part in a whole. That of nothing is 1 if nothing is missing.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return part / whole
}

func not(of []bool) []bool {
	for i, v := range of {
		of[i] = !v
	}
	return of
}

// without returns what is in the first and not in the second.
func without(a, b []bool) []bool {
	for i := range a {
		a[i] = a[i] && !b[i]
	}
	return a
}
