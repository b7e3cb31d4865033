package evaluate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// byName is a detector that takes every element with the class noise for noise.
type byName struct{ model.Detector }

func (byName) Name() string             { return "by name" }
func (byName) New(model.Key) model.Host { return byNameHost{} }

type byNameHost struct{ model.Host }

func (byNameHost) Observe(*page.Page, model.Visit) {}

func (byNameHost) Mark(p *page.Page, _ model.Visit) *page.Marking {
	verdicts := make([]page.Verdict, len(p.Blocks))
	for b := range p.Blocks {
		class, _ := p.Attr(p.Blocks[b].Element, "class")
		verdicts[b].Noise = class == "noise"
	}
	return p.NewMarking(verdicts, 1, nil)
}

// Rules are scored on the pages after those that they were made from, beside what the detector leaves there.
func TestTemplateRules(t *testing.T) {
	pages, list := map[string]string{}, []string{}
	for i := range 8 {
		name := fmt.Sprintf("%d.html", i)
		list = append(list, fmt.Sprintf(`{"file": "%s"}`, name))
		box := `<div class="noise">menu menu menu menu menu</div>`
		if i == 7 { // the last page has its menu in another place, which rules from earlier pages don't know
			box = `<ul><li class="noise">menu menu menu menu menu</li></ul>`
		}
		pages[name] = fmt.Sprintf(`<body>%s<article id="c">%s</article></body>`, box, strings.Repeat(fmt.Sprintf("word%d of a text that is long ", i), 8))
	}
	dir := writeSite(t, `{"content": "#c", "pages": [`+strings.Join(list, ",")+`]}`, pages)
	sites, err := LoadSites(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Detectors: []model.Detector{byName{}}}
	scores, err := r.TemplateRules(context.Background(), sites, 6)
	if err != nil {
		t.Fatal(err)
	}
	s := scores[0]
	if s.Learned != 6 || s.Pages != 2 || s.Own != 1 || s.Hold != 1 || s.Hide != 1 {
		t.Errorf("%+v, hide %+v, hold %+v", s, s.Rules.Hide, s.Rules.Hold)
	}
	if _, err := r.TemplateRules(context.Background(), sites, 8); err == nil {
		t.Error("no page is left to measure on, and no error says so")
	}
}
