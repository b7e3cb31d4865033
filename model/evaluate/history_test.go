package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// learner removes the blocks that begin with a word once it has learned a page.
type learner struct {
	model.Detector
	word string
}

func (learner) Name() string               { return "learner" }
func (l learner) New(model.Key) model.Host { return &learnerHost{word: l.word} }

type learnerHost struct {
	model.Host
	word    string
	learned bool
}

func (h *learnerHost) Observe(*page.Page, model.Visit) { h.learned = true }

func (h *learnerHost) Mark(p *page.Page, _ model.Visit) *page.Marking {
	verdicts := make([]page.Verdict, len(p.Blocks))
	for b := range p.Blocks {
		verdicts[b].Noise = h.learned && strings.HasPrefix(string(p.BlockText(nil, page.BlockID(b))), h.word)
	}
	return p.NewMarking(verdicts, 0, nil)
}

// historySite writes a site of n pages, each described by a part of site.json.
func historySite(t *testing.T, head, each string, n int) []*Site {
	t.Helper()
	files, pages := map[string]string{"gold.txt": "one two three four"}, []string{}
	for i := range n {
		name := fmt.Sprintf("%d.html", i)
		files[name] = `<body><div>menu of nine</div><p id=c>one two three four</p><p>price 12</p>`
		pages = append(pages, fmt.Sprintf(`{"file": %q, "path": "/%d"%s}`, name, i, each))
	}
	sites, err := LoadSites(writeSite(t, fmt.Sprintf(`{%s"pages": [%s]}`, head, strings.Join(pages, ",")), files))
	if err != nil {
		t.Fatal(err)
	}
	return sites
}

// gainsOf runs a detector that learns to remove the blocks that begin with a word.
func gainsOf(t *testing.T, word string, sites []*Site) History {
	t.Helper()
	r := Runner{Detectors: []model.Detector{learner{word: word}}}
	histories, err := r.Gains(t.Context(), sites)
	if err != nil {
		t.Fatal(err)
	}
	return histories[0]
}

// What a detector learns well is a gain, what it learns wrongly is a loss. The first page has neither.
func TestGains(t *testing.T) {
	selectors := historySite(t, `"content": "#c", `, "", 12)
	texts := historySite(t, "", `, "gold": "gold.txt", "facts": {"price": ["price 12"]}`, 12)
	for _, tt := range []struct {
		word, measure string
		sites         []*Site
		better        bool
	}{
		{"menu", MeasureF1, selectors, true}, {"one", MeasureF1, selectors, false},
		{"menu", MeasureRougeL, texts, true}, {"one", MeasureRougeL, texts, false},
		{"price", MeasureFacts, texts, false},
	} {
		h := gainsOf(t, tt.word, tt.sites)
		for _, rows := range [][]Gain{h.Corpus, h.Hosts} {
			found := false
			for _, g := range rows {
				if g.Measure != tt.measure {
					continue
				}
				if found = true; (g.Gain > 0) != tt.better || g.Gain == 0 || !near(g.Gain, g.Arrival-g.First) {
					t.Errorf("%s removed, %s: %+v", tt.word, tt.measure, g)
				}
			}
			if !found {
				t.Errorf("%s: no row in %+v", tt.measure, rows)
			}
		}
		if tt.measure != MeasureFacts && (h.Buckets[0].Of != "1" || h.Buckets[0].Gain != 0 || (h.Buckets[1].Gain > 0) != tt.better) {
			t.Errorf("%s removed, by arrival: %+v", tt.word, h.Buckets)
		}
	}
	facts := gainsOf(t, "price", texts).Corpus
	if least := Least(facts); least.Measure != MeasureFacts || least.N != 12 || !near(least.First, 1) || !near(least.Arrival, 1./12) {
		t.Errorf("facts: %+v", facts)
	}
}

// Hosts of few pages have no row of their own, because a page more or less would decide it.
func TestGainsOfSmallHosts(t *testing.T) {
	h := gainsOf(t, "menu", historySite(t, `"content": "#c", `, "", GainPages-1))
	if len(h.Hosts) != 0 || len(h.Corpus) != 1 {
		t.Errorf("%+v", h)
	}
}
