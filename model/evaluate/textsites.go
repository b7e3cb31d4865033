package evaluate

import (
	"context"
	"fmt"
	"os"
	"strings"
	"unicode"

	"github.com/winnow-proxy/winnow/model/page"
)

// TextResult is what one detector scored on sites whose gold is text.
type TextResult struct {
	Detector string `json:"detector"`
	// Buckets are means over hosts by arrival, in the order of TextBucketNames; All is the mean over pages.
	Buckets [TextBuckets]TextMean `json:"buckets"`
	All     TextMean              `json:"all"`
	Sites   []TextSite            `json:"sites"`
	// Diffs are of the worst pages, the worst first.
	Diffs []*Diff `json:"diffs,omitempty"`
}

// TextMean is a mean of scores.
type TextMean struct {
	// N is the number of hosts in buckets, and of pages elsewhere.
	N int `json:"n"`
	TextScore
}

// TextSite is the score of one site.
type TextSite struct {
	Site string `json:"site"`
	// Mean is over the pages with gold, Buckets is by arrival.
	Mean    TextMean              `json:"mean"`
	Buckets [TextBuckets]TextMean `json:"buckets"`
	// Facts are the shares of pages that keep each fact, by the fact's name.
	Facts map[string]FactShare `json:"facts,omitempty"`

	diffs []*Diff
}

// FactShare says how many of the pages with a fact keep it.
type FactShare struct {
	Pages int `json:"pages"`
	Kept  int `json:"kept"`
}

// TextBuckets is the number of ranges of arrival order that have text scores of their own.
const TextBuckets = 4

// TextBucketNames are the ranges of arrival order. The first page is 1.
func TextBucketNames() [TextBuckets]string { return [TextBuckets]string{"1", "2-5", "6-9", "10+"} }

func textBucketOf(i int) int {
	for b, end := range [TextBuckets - 1]int{1, 5, 9} {
		if i < end {
			return b
		}
	}
	return TextBuckets - 1
}

// TextSites runs every detector over every site whose gold is text, by the runner's protocol, and returns one result
// per detector, in their order. It compares the page in mode text or, of a page that passes, all visible text.
func (r *Runner) TextSites(ctx context.Context, sites []*Site) ([]TextResult, error) {
	scores := make([][]TextSite, len(sites))
	err := r.each(ctx, len(sites), func(ctx context.Context, i int) (err error) {
		scores[i], err = r.textSite(ctx, sites[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	results := make([]TextResult, len(r.Detectors))
	for d, det := range r.Detectors {
		res := &results[d]
		res.Detector = det.Name()
		for i := range sites {
			res.Sites = append(res.Sites, scores[i][d])
			res.Diffs = append(res.Diffs, scores[i][d].diffs...)
		}
		res.Diffs = worst(res.Diffs, r.Worst)
		res.sumUp()
	}
	return results, nil
}

func (r *TextResult) sumUp() {
	for _, s := range r.Sites {
		for b, m := range s.Buckets {
			if m.N > 0 {
				r.Buckets[b].add(m.TextScore, 1)
			}
		}
		r.All.add(s.Mean.TextScore, s.Mean.N)
	}
}

// add adds n scores with the mean s to the mean.
func (m *TextMean) add(s TextScore, n int) {
	if n == 0 {
		return
	}
	m.N += n
	share := float64(n) / float64(m.N)
	for _, f := range [...]struct {
		mean *float64
		with float64
	}{{&m.P, s.P}, {&m.R, s.R}, {&m.RougeL, s.RougeL}, {&m.WordF1, s.WordF1}} {
		*f.mean += (f.with - *f.mean) * share
	}
}

// textSite runs the detectors over one site and returns a score for each.
func (r *Runner) textSite(ctx context.Context, s *Site) ([]TextSite, error) {
	out := make([]TextSite, len(r.Detectors))
	for d := range out {
		out[d] = TextSite{Site: s.ID, Facts: map[string]FactShare{}}
	}
	err := r.walk(ctx, s, page.ModeText, func(i int, _ []byte, outs []output) error {
		gold, err := s.Pages[i].Text()
		if err != nil {
			return r.leave(s.ID, s.Pages[i].ID, err)
		}
		for d, o := range outs {
			score := out[d].addPage(i, gold, string(o.body), s.Pages[i].Facts)
			if r.Worst > 0 && gold != "" && score.RougeL < 1 {
				diff := newDiff(gold, string(o.body), score.RougeL)
				diff.Site, diff.Page = s.ID, s.Pages[i].ID
				out[d].diffs = append(out[d].diffs, diff)
			}
			if err := r.save(o.body, d, ".txt", s.ID, s.Pages[i].ID); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// Text returns the page's gold text, empty where it has none.
func (p Page) Text() (string, error) {
	if p.GoldFile == "" {
		return "", nil
	}
	b, err := os.ReadFile(p.GoldFile)
	if err != nil {
		return "", fmt.Errorf("gold of page %s: %w", p.ID, err)
	}
	return string(b), nil
}

// addPage adds the i-th page of the site and returns its score, or zero without gold.
func (s *TextSite) addPage(i int, gold, kept string, facts map[string][]string) (sc TextScore) {
	if len(rougeWords(gold)) > 0 {
		sc = ScoreText(gold, kept)
		s.Mean.add(sc, 1)
		s.Buckets[textBucketOf(i)].add(sc, 1)
	}
	if len(facts) == 0 {
		return sc
	}
	text := lettersAndDigits(kept)
	for name, spellings := range facts {
		f := s.Facts[name]
		f.Pages++
		for _, v := range spellings {
			if strings.Contains(text, lettersAndDigits(v)) {
				f.Kept++
				break
			}
		}
		s.Facts[name] = f
	}
	return sc
}

// lettersAndDigits is a text in lower case with a single space between words, before the first and after the last, so
// that it can be searched for words.
func lettersAndDigits(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return " " + strings.Join(words, " ") + " "
}
