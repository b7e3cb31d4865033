package evaluate

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/metadata"
)

// Single is one page of a corpus of single pages: nothing else of its host is known, and its gold is plain text.
type Single struct {
	// ID is the base name of the page's files without extensions.
	ID string
	// File is where the page is, compressed with gzip.
	File string
	// URL is where the page came from.
	URL string `json:"url"`
	// Type is the kind of page ("article", "forum", "product" …).
	Type string `json:"type"`
	// Gold is the text of the page's content.
	Gold string `json:"text"`
	// Origin is the collection that the page comes from, Date the day of its publication. Both may be empty.
	Origin string `json:"source"`
	Date   string `json:"date"`
	// Title and Author are what people found on the page, empty where nobody looked.
	Title  string `json:"title"`
	Author string `json:"author"`
	// With are snippets that the output should have, Without snippets that it should not.
	With    []string `json:"with"`
	Without []string `json:"without"`
}

// SingleScore is the score of a page, or the mean over pages of one type. P, R and F1 are over multisets of words in
// lower case; RougeL is as in TextScore; With is the share of wanted snippets found, Without that of unwanted ones; P1
// and P2 are as in Mean; all in [0,1].
type SingleScore struct {
	Type    string  `json:"type"`
	Pages   int     `json:"pages"`
	P       float64 `json:"p"`
	R       float64 `json:"r"`
	F1      float64 `json:"f1"`
	RougeL  float64 `json:"rouge_l"`
	With    float64 `json:"with"`
	Without float64 `json:"without"`
	P1      float64 `json:"p1"`
	P2      float64 `json:"p2"`
	// Chars are the counts that P1 and P2 come from.
	Chars Chars `json:"chars"`
	// Diff is as in PageScore; means have none.
	Diff *Diff `json:"-"`
	// Fields is the result of title, author and date, nil in means.
	Fields *FieldOutcomes `json:"-"`
}

// SingleResult is what one detector scored on single pages: one row per type, the last ("ALL") over all pages.
type SingleResult struct {
	Detector string        `json:"detector"`
	Types    []SingleScore `json:"types"`
	// Metadata are the scores of title, author and date, left out where people looked for none of them.
	Metadata []FieldScore `json:"metadata,omitempty"`
	// Diffs are of the worst pages, the worst first.
	Diffs []*Diff `json:"diffs,omitempty"`
}

// IsSingles reports whether dir is a corpus of single pages: it has the folders html and gold.
func IsSingles(dir string) bool {
	for _, sub := range []string{"html", "gold"} {
		if st, err := os.Stat(filepath.Join(dir, sub)); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

// LoadSingles reads the corpus of single pages dir/gold/<id>.json and dir/html/<id>.html.gz, ordered by id.
func LoadSingles(dir string) ([]*Single, error) {
	files, err := filepath.Glob(filepath.Join(dir, "gold", "*.json"))
	if err != nil {
		return nil, fmt.Errorf("corpus %s: %w", dir, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: there is no gold/*.json in %s", ErrNoCorpus, dir)
	}
	sort.Strings(files)
	var pages []*Single
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		s := new(Single)
		if err := json.Unmarshal(b, s); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		s.ID = strings.TrimSuffix(filepath.Base(f), ".json")
		s.File = filepath.Join(dir, "html", s.ID+".html.gz")
		pages = append(pages, s)
	}
	return pages, nil
}

// Singles runs every detector over single pages. Each page is the first of its host, so every protocol is Cold. Cleaned
// pages are written like those of sites, but without the site's folder.
func (r *Runner) Singles(ctx context.Context, pages []*Single) ([]SingleResult, error) {
	scores := make([][]SingleScore, len(pages))
	err := r.each(ctx, len(pages), func(_ context.Context, i int) (err error) {
		if scores[i], err = r.single(pages[i]); err != nil {
			return fmt.Errorf("page %s: %w", pages[i].ID, err)
		}
		if r.Progress != nil {
			r.Progress("", pages[i].ID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	results := make([]SingleResult, len(r.Detectors))
	for d, det := range r.Detectors {
		var mine []SingleScore
		var diffs []*Diff
		for i := range pages {
			mine = append(mine, scores[i][d])
			if diff := scores[i][d].Diff; diff != nil {
				diffs = append(diffs, diff)
			}
		}
		results[d] = SingleResult{Detector: det.Name(), Types: byType(mine), Metadata: sumFields(mine), Diffs: worst(diffs, r.Worst)}
	}
	return results, nil
}

func (r *Runner) single(s *Single) ([]SingleScore, error) {
	src, err := s.Source()
	if err != nil {
		return nil, err
	}
	doc, err := html.Parse(bytes.NewReader(toUTF8(src, "")))
	if err != nil {
		return nil, fmt.Errorf("parse page: %w", err)
	}
	whole := visibleText(doc, nil)
	p, parseErr := parsed(src, "", page.ModeRemove)
	scores := make([]SingleScore, len(r.Detectors))
	for d, det := range r.Detectors {
		body := cleaned(detectorFor(det, s.Host()).New(r.Key), model.Visit{URL: s.URL}, src, p, parseErr, page.ModeRemove).body
		doc, err := html.Parse(bytes.NewReader(toUTF8(body, "")))
		if err != nil {
			return nil, fmt.Errorf("parse output: %w", err)
		}
		text := visibleText(doc, nil)
		if scores[d] = s.score(text, whole); r.Worst > 0 && scores[d].F1 < 1 {
			scores[d].Diff = newDiff(s.Gold, text, scores[d].F1)
			scores[d].Diff.Page = s.ID
		}
		if parseErr == nil {
			scores[d].Fields = s.scoreFields(metadata.Of(p, s.URL))
		}
		if err := r.save(body, d, ".html", s.ID); err != nil {
			return nil, err
		}
	}
	return scores, nil
}

// Host is the host that the page came from, without www, or the page's ID where that is not known.
func (s *Single) Host() string {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return s.ID
	}
	return strings.TrimPrefix(strings.ToLower(u.Host), "www.")
}

// Source returns the page's bytes.
func (s *Single) Source() (b []byte, err error) {
	f, err := os.Open(s.File)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return io.ReadAll(z)
}

// score compares the text of an output with the gold. whole is the text of the unchanged page.
func (s *Single) score(text, whole string) SingleScore {
	sc := SingleScore{Type: s.Type, Pages: 1}
	gold, out, full := multiset(words(s.Gold)), multiset(words(text)), multiset(words(whole))
	both, onlyOut, onlyGold := overlap(gold, out)
	sc.P, sc.R, sc.F1 = precisionRecall(both, onlyOut, onlyGold)
	sc.RougeL = ScoreText(s.Gold, text).RougeL
	sc.Chars.Gold, _ = charsIn(gold, gold, utf8.RuneCountInString)
	sc.Chars.Kept, sc.Chars.Left = charsIn(gold, out, utf8.RuneCountInString)
	_, sc.Chars.Noise = charsIn(gold, full, utf8.RuneCountInString)
	sc.P1, sc.P2 = sc.Chars.shares()
	sc.With = 1
	if len(s.With) > 0 {
		sc.With = ShareFound(text, s.With)
	}
	if len(s.Without) > 0 {
		sc.Without = ShareFound(text, s.Without)
	}
	return sc
}

// words are those of the WCXB benchmark: in lower case, with combining marks, so that published figures can be
// compared.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r != '_' && !unicode.In(r, unicode.L, unicode.N, unicode.M)
	})
}

// ShareFound is the share of snippets that text contains. It ignores case.
func ShareFound(text string, snippets []string) float64 {
	low, n := strings.ToLower(text), 0
	for _, s := range snippets {
		if strings.Contains(low, strings.ToLower(s)) {
			n++
		}
	}
	return float64(n) / float64(len(snippets))
}

// byType averages scores per page type, in order of name, and over all.
func byType(scores []SingleScore) []SingleScore {
	const all = "ALL"
	groups := map[string][]SingleScore{}
	for _, s := range scores {
		groups[s.Type] = append(groups[s.Type], s)
	}
	types := make([]string, 0, len(groups)+1)
	for t := range groups {
		types = append(types, t)
	}
	sort.Strings(types)
	groups[all] = scores
	rows := make([]SingleScore, 0, len(types)+1)
	for _, t := range append(types, all) {
		rows = append(rows, meanOfSingles(t, groups[t]))
	}
	return rows
}

func meanOfSingles(name string, scores []SingleScore) SingleScore {
	m := SingleScore{Type: name, Pages: len(scores)}
	n := float64(len(scores))
	for _, s := range scores {
		m.P += s.P / n
		m.R += s.R / n
		m.F1 += s.F1 / n
		m.RougeL += s.RougeL / n
		m.With += s.With / n
		m.Without += s.Without / n
		m.Chars = m.Chars.plus(s.Chars)
	}
	m.P1, m.P2 = m.Chars.shares()
	return m
}
