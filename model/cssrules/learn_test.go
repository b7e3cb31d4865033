package cssrules

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Rules name what is stable, hide the template, and hold the content.
func TestRules(t *testing.T) {
	r := made(t, articles(t, 10))
	if r.Learned != 8 || r.Tested != 2 {
		t.Errorf("learned %d and tested %d pages", r.Learned, r.Tested)
	}
	if got := list(r.Rules.Hold); got != ".story" {
		t.Errorf("hold %s", got)
	}
	if got := list(r.Rules.Strip); got != ".share" {
		t.Errorf("strip %s", got)
	}
	for _, want := range []string{".top", ".share", ".related"} {
		if !strings.Contains(list(r.Rules.Hide)+",", want+",") {
			t.Errorf("hide %s lacks %s", list(r.Rules.Hide), want)
		}
	}
	for _, s := range []Set{r.Hide, r.Hold} {
		if s.F1 != 1 || s.Doubt != "" {
			t.Errorf("F1 is %v, doubt %q: %+v", s.F1, s.Doubt, s.Rules)
		}
	}
	for _, f := range []struct {
		of   *Field
		want string
	}{{r.Title, "h1 ::text"}, {r.Author, `meta[name="author"]::attr(content)`}, {r.Date, `meta[property="article:published_time"]::attr(content)`}} {
		if f.of == nil || f.of.CSS() != f.want {
			t.Errorf("a field is %v, want %s", f.of, f.want)
		}
	}
}

// The figures of a selector are those on pages that were left out.
func TestFiguresAreOfOtherPages(t *testing.T) {
	samples := articles(t, 9)
	// The tenth page, which is left out, uses the box for adverts for a correction.
	samples = append(samples, marked(t, strings.Replace(article(10), `class="share" data-noise`, `class="share"`, 1)))
	r := made(t, samples)
	for _, rule := range r.Strip.Rules {
		if rule.CSS == ".share" && (rule.Precision != .5 || rule.Recall > 1 || rule.Pages != 2) {
			t.Errorf("the rule is %+v, right on one of two pages", rule)
		}
	}
	if r.Hold.F1 >= 1 || r.Hide.F1 >= 1 {
		t.Errorf("the F1 of %v and %v lacks what was wrongly hidden", r.Hold.F1, r.Hide.F1)
	}
}

// Where content and template share their elements, a word says that no selector tells them apart.
func TestNoSelectorHolds(t *testing.T) {
	var samples []Sample
	for i := range 6 {
		// Content and noise are runs of the same text, told apart by nothing.
		s := marked(t, fmt.Sprintf("<body>%s<p>%s<p>%s", words("x", i), words(fmt.Sprint("c", i, "x"), 40), words("n", 40)))
		for b := range s.Labels {
			if s.Labels[b] = Content; (b+i)%2 == 0 {
				s.Labels[b] = Noise
			}
		}
		samples = append(samples, s)
	}
	r := made(t, samples)
	if r.Hide.Doubt == "" || r.Hold.Doubt == "" {
		t.Errorf("no doubt: hide %+v, hold %+v", r.Hide, r.Hold)
	}
	for _, f := range formats() {
		if text := r.Write(f, "example.org", ""); !strings.Contains(text, "Note: ") {
			t.Errorf("%s does not say so: %s", f, text)
		}
	}
}

// Odd input gives rules or doubts, never a crash.
func TestOddSamples(t *testing.T) {
	for name, samples := range map[string][]Sample{
		"none": nil, "empty": {marked(t, "")}, "one": articles(t, 1), "two": articles(t, 2), "frames": {marked(t, "<frameset><frame src=a></frameset>")},
		"all noise": {marked(t, "<body data-noise><p>a b c"), marked(t, "<body data-noise><p>a b c")},
		"no noise":  {marked(t, "<body><p>a b c"), marked(t, "<body><p>d e f")},
		"tables":    {marked(t, "<table><tr><td data-noise>menu menu<td>a b c</table>"), marked(t, "<table><tr><td data-noise>menu menu<td>d e f</table>")},
	} {
		t.Run(name, func(t *testing.T) {
			r := made(t, samples)
			for _, f := range formats() {
				if r.Write(f, "example.org:8080", "http://example.org:8080/") == "" {
					t.Errorf("%s writes nothing", f)
				}
			}
		})
	}
}

// Pages that are made to have as many selectors as possible, each with as many matches, do not keep a processor busy.
func TestCandidatesAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, `<div id="i%[1]c%[2]c" class="a%[1]c b%[1]c c%[2]c d%[2]c e f%[1]c" role="r%[1]c" rel="x%[2]c" data-noise>noise `, 'a'+i%26, 'a'+i/26%26)
		if i%40 == 39 {
			b.WriteString(strings.Repeat("</div>", 40))
		}
	}
	samples := []Sample{marked(t, b.String()), marked(t, b.String())}
	w := newWood(samples)
	p := newPool(w)
	for _, e := range w.targets(w.noise, w.content, 1) {
		w.describe(e, p.add)
	}
	if len(p.seen) > maxCandidates || w.work > maxWork+len(w.elems)*40 || p.spans > maxSpans+len(w.elems) {
		t.Errorf("%d candidates, tried on %d elements, with %d spans", len(p.seen), w.work, p.spans)
	}
}

func TestLearningEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Make(ctx, articles(t, 5)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
