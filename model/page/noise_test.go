package page_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html/atom"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
)

// judge gives the blocks whose text starts with "n" the verdict noise.
func judge(p *page.Page) []page.Verdict {
	verdicts := make([]page.Verdict, len(p.Blocks))
	for b := range p.Blocks {
		if text := p.BlockText(nil, page.BlockID(b)); text[0] == 'n' {
			verdicts[b] = page.Verdict{Noise: true, Score: 1}
		}
	}
	return verdicts
}

// names lists marks as element and number of blocks: "ul 2", "- 1" for a run without an element.
func names(p *page.Page, marks []page.Mark) (got []string) {
	for _, m := range marks {
		name := "-"
		if m.Element != page.None {
			name = p.Elements[m.Element].Name
		}
		got = append(got, fmt.Sprintf("%s %d", name, m.BlockEnd-m.BlockStart))
	}
	return got
}

func TestMarkNoise(t *testing.T) {
	images := func(p *page.Page) func(page.ElementID) bool {
		return func(e page.ElementID) bool { return p.Elements[e].Tag == atom.Img }
	}
	tests := []struct {
		name, body string
		want       []string
	}{
		{"nothing", `<p>a<p>b`, nil},
		{"the topmost element", `<div><ul><li>n1<li>n2</ul></div><p>a`, []string{"div 2"}},
		{"beside content", `<div><p>n1<p>a<p>n2</div>`, []string{"p 1", "p 1"}},
		{"text between elements", `<div>n1<p>a</p>n2</div>`, []string{"- 1", "- 1"}},
		{"texts without an element", `<div>n1<br><br>n2<br><br>a</div>`, []string{"- 1", "- 1"}},
		{"an element that holds a part of content stays", `<div>a <span>b<p>n1</p></span></div>`, []string{"p 1"}},
		{"pictures in noise go with it", `<div>n1<img src=a></div><p>a`, []string{"div 1"}},
		{"pictures alone are asked about", `<div><a><img src=a></a></div><p>a<img src=b></p>`, []string{"img 0", "img 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := parseBody(t, tt.body)
			if diff := cmp.Diff(tt.want, names(p, p.MarkNoise(judge(p), images(p)))); diff != "" {
				t.Errorf("marks:\n%s", diff)
			}
		})
	}
}

func TestMarkNoiseLeavesPicturesAlone(t *testing.T) {
	p := parseBody(t, `<div><img src=a></div><p>a`)
	if got := p.MarkNoise(judge(p), nil); got != nil {
		t.Errorf("marks %+v without being asked for", got)
	}
}

func TestNewMarking(t *testing.T) {
	p := parseBody(t, `<p>n1<p>a`)
	if m := p.NewMarking(judge(p), 7, nil); m.Pass != "" || m.Pages != 7 || len(m.Marks) != 1 || len(m.Verdicts) != 2 {
		t.Errorf("marking %+v", m)
	}
	for name, body := range map[string]string{"all noise": `<p>n1<p>n2`, "nothing": ``} {
		p := parseBody(t, body)
		if m := p.NewMarking(judge(p), 1, nil); m.Pass != page.PassNoContent || m.Marks != nil {
			t.Errorf("%s: marking %+v, want the page to pass", name, m)
		}
	}
}

// For any noise, the marks remove exactly that noise.
func TestMarksTakeOutWhatIsNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tags := []string{"<div>", "</div>", "<p>", "<span>", "</span>", "<ul>", "<li>", "</ul>", "<table>", "<td>", "</table>", "<br>",
			"<b>", "</b>", "text ", "more ", "<script>s</script>", "<img src=x>"}
		src := ""
		for _, s := range rapid.SliceOfN(rapid.SampledFrom(tags), 1, 30).Draw(t, "source") {
			src += s
		}
		p, err := page.Parse([]byte(src), "text/html")
		if err != nil {
			t.Fatal(err)
		}
		verdicts := make([]page.Verdict, len(p.Blocks))
		for b := range verdicts {
			verdicts[b].Noise = rapid.Bool().Draw(t, "noise")
		}
		gone := make([]bool, len(p.Blocks))
		last := page.BlockID(0)
		for _, m := range p.MarkNoise(verdicts, nil) {
			if m.BlockStart < last {
				t.Fatalf("marks overlap or are out of order: %+v", m)
			}
			last = m.BlockEnd
			for b := m.BlockStart; b < m.BlockEnd; b++ {
				gone[b] = true
			}
			if m.Element != page.None && !p.HoldsWholeBlocks(m.Element) {
				t.Fatalf("a mark on an element that cuts a block in two: %+v", m)
			}
		}
		if !slices.EqualFunc(gone, verdicts, func(g bool, v page.Verdict) bool { return g == v.Noise }) {
			t.Fatalf("noise %v, marks take out %v", verdicts, gone)
		}
	})
}

func parseBody(t *testing.T, body string) *page.Page {
	t.Helper()
	p, err := page.Parse([]byte("<!DOCTYPE html><title>t</title><body>"+body), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return p
}
