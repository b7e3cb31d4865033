package evaluate

import (
	"bytes"
	"fmt"

	"golang.org/x/net/html"
)

// PageScore compares one cleaned page with its gold. P, R and F1 are over multisets of 4-token shingles, in [0,1];
// the counts are of single tokens.
type PageScore struct {
	Page string  `json:"page"`
	P    float64 `json:"p"`
	R    float64 `json:"r"`
	F1   float64 `json:"f1"`
	// Gold is the number of tokens of the gold, Kept the number of those that the output has.
	Gold int `json:"gold"`
	Kept int `json:"kept"`
	// Noise is the number of the page's tokens that are not gold, Left the number of such tokens in the output.
	Noise int `json:"noise"`
	Left  int `json:"left"`
	// Chars are the same four counts in characters of tokens.
	Chars Chars `json:"chars"`
	// Optional counts the words of optional parts, by kind. All other figures are without them.
	Optional map[string]PartCount `json:"optional,omitempty"`
	// Passed says why the page stayed unchanged, empty where it was cleaned.
	Passed string `json:"passed,omitempty"`
	// Diff has the lost and the left lines, if the runner collects them and the page is not perfect.
	Diff *Diff `json:"-"`
}

// Chars counts characters of tokens: those of the gold, those of the gold that the output has, those of the page that
// are not gold, and those of the output that are not gold.
type Chars struct {
	Gold  int `json:"gold"`
	Kept  int `json:"kept"`
	Noise int `json:"noise"`
	Left  int `json:"left"`
}

// Mean is the mean over pages of one site, or over sites. P, R and F1 are means of the pages' figures. Kept is the
// share of the gold's tokens that are still there, Removed the share of the noise's tokens that are gone, both in
// [0,1]. P1 and P2 are the same two shares in characters, summed over the site's pages, as Sun and Zhang (2011) define
// them.
type Mean struct {
	// N is the number of pages, or of sites, in the mean.
	N       int     `json:"n"`
	P       float64 `json:"p"`
	R       float64 `json:"r"`
	F1      float64 `json:"f1"`
	Kept    float64 `json:"kept"`
	Removed float64 `json:"removed"`
	P1      float64 `json:"p1"`
	P2      float64 `json:"p2"`
}

// SiteScore is the score of one detector on one site.
type SiteScore struct {
	Site string `json:"site"`
	// Class is the site's class, empty where it has none.
	Class string `json:"class,omitempty"`
	Mean
	// Accuracy is of the pages after the first AccuracySkips.
	Accuracy Accuracy `json:"accuracy"`
	// Buckets are the means by arrival order, in the order of BucketNames.
	Buckets [Buckets]Mean `json:"buckets"`
	// Optional counts the words of the pages' optional parts, by kind.
	Optional map[string]PartCount `json:"optional,omitempty"`
	Pages    []PageScore          `json:"pages,omitempty"`
}

// Buckets is the number of ranges of arrival order that have scores of their own.
const Buckets = 5

// LastBucket is the index of the bucket that the project's goals are about: pages 21 and later.
const LastBucket = Buckets - 1

// BucketNames are the ranges of arrival order. The first page is 1.
func BucketNames() [Buckets]string { return [Buckets]string{"1", "2-5", "6-10", "11-20", "21+"} }

// BucketOf is the bucket of a page that arrives after i others.
func BucketOf(i int) int {
	for b, end := range [LastBucket]int{1, 5, 10, 20} {
		if i < end {
			return b
		}
	}
	return LastBucket
}

// reference is what the outputs of a page are compared with: its gold and its whole text, without optional parts.
type reference struct {
	words      vocabulary
	lines      *pageLines
	goldText   string
	goldLines  map[string]int
	gold, full []uint32
	// diff asks for the lost and left lines too.
	diff bool
}

func newReference(src []byte, contentType string, gold selectors) (*reference, error) {
	doc, err := html.Parse(bytes.NewReader(toUTF8(src, contentType)))
	if err != nil {
		return nil, fmt.Errorf("parse page for its gold: %w", err)
	}
	r := &reference{words: vocabulary{}}
	r.lines = gold.readLines(doc, r.words)
	r.goldText = gold.text(doc)
	r.goldLines = r.words.countLines(r.goldText)
	r.gold = r.words.tokens(r.goldText)
	r.full = r.words.tokens(visibleText(doc, r.lines.drop))
	return r, nil
}

// score compares a cleaned page with the reference.
func (r *reference) score(output []byte) (PageScore, error) {
	doc, err := html.Parse(bytes.NewReader(toUTF8(output, "")))
	if err != nil {
		return PageScore{}, fmt.Errorf("parse output: %w", err)
	}
	text := visibleText(doc, nil)
	s := r.scoreText(text)
	if r.diff && s.F1 < 1 {
		s.Diff = newDiff(r.goldText, text, s.F1)
	}
	return s, nil
}

func (r *reference) scoreText(text string) (s PageScore) {
	out, found := r.lines.strip(text, r.goldLines)
	s.Optional = r.lines.counts(found)
	both, onlyOut, onlyGold := overlap(shingles(r.gold), shingles(out))
	s.P, s.R, s.F1 = precisionRecall(both, onlyOut, onlyGold)
	gold, output, full := multiset(r.gold), multiset(out), multiset(r.full)
	s.Gold = len(r.gold)
	s.Kept, s.Left, _ = overlap(gold, output)
	_, s.Noise, _ = overlap(gold, full)
	chars := r.words.lengths()
	s.Chars.Gold, _ = charsIn(gold, gold, chars)
	s.Chars.Kept, s.Chars.Left = charsIn(gold, output, chars)
	_, s.Chars.Noise = charsIn(gold, full, chars)
	return s
}

// precisionRecall returns P, R and F1. They are 1 when nothing is expected and nothing is given.
func precisionRecall(both, onlyOut, onlyGold int) (p, r, f1 float64) {
	if both+onlyOut+onlyGold == 0 {
		return 1, 1, 1
	}
	if both == 0 {
		return 0, 0, 0
	}
	p = float64(both) / float64(both+onlyOut)
	r = float64(both) / float64(both+onlyGold)
	return p, r, 2 * p * r / (p + r)
}

// meanOfPages leaves out pages without gold, for which F1 means nothing.
func meanOfPages(pages []PageScore) (m Mean) {
	var gold, kept, noise, left int
	var chars Chars
	for _, p := range pages {
		if p.Gold == 0 {
			continue
		}
		m.N++
		m.P += p.P
		m.R += p.R
		m.F1 += p.F1
		gold += p.Gold
		kept += p.Kept
		noise += p.Noise
		left += p.Left
		chars = chars.plus(p.Chars)
	}
	if m.N == 0 {
		return Mean{}
	}
	n := float64(m.N)
	m.P, m.R, m.F1 = m.P/n, m.R/n, m.F1/n
	m.Kept, m.Removed = shares(gold, kept, noise, left)
	m.P1, m.P2 = chars.shares()
	return m
}

// shares are the share of the gold that is kept and the share of the noise that is gone. Both are 1 of nothing.
func shares(gold, kept, noise, left int) (k, r float64) {
	k, r = 1, 1
	if gold > 0 {
		k = float64(kept) / float64(gold)
	}
	if noise > 0 {
		r = 1 - float64(left)/float64(noise)
	}
	return k, r
}

// shares are P1 and P2.
func (c Chars) shares() (p1, p2 float64) { return shares(c.Gold, c.Kept, c.Noise, c.Left) }

func (c Chars) plus(o Chars) Chars {
	return Chars{c.Gold + o.Gold, c.Kept + o.Kept, c.Noise + o.Noise, c.Left + o.Left}
}

func newSiteScore(site string, pages []PageScore) SiteScore {
	s := SiteScore{Site: site, Mean: meanOfPages(pages), Accuracy: accuracyAfterFirst(pages), Optional: sumOptional(pages), Pages: pages}
	var by [Buckets][]PageScore
	for i, p := range pages {
		by[BucketOf(i)] = append(by[BucketOf(i)], p)
	}
	for b := range by {
		s.Buckets[b] = meanOfPages(by[b])
	}
	return s
}
