package mining

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Classification says how well naive Bayes finds the classes of pages. Each figure is macro F over the classes of a
// trial, averaged over the trials of a run and then over runs.
type Classification struct {
	Pages   int `json:"pages"`
	Classes int `json:"classes"`
	// Plain trains on a random half of each class's pages on each site and tests on the other half. Common text of a
	// site's pages helps here as much as it hurts elsewhere.
	Plain Figure `json:"plain"`
	// Confounded is the set-up of the KDD paper: two classes that two sites have. The training pages of each class come
	// from a different site, and the test swaps the sites. So everything that distinguishes the sites points to the
	// wrong class. Nil if no two sites of a language share two classes.
	Confounded *Figure `json:"confounded,omitempty"`
	// Transfer trains on one random site for each class of a language and tests on the class's pages on all other
	// sites. Nil if no language has two classes with two sites each.
	Transfer *Figure `json:"transfer,omitempty"`
}

// minCell is the least number of pages of a class on a site for a confounded trial.
const minCell = 4

// maxTrials bounds the confounded trials of one run. If there are more pairs, each run draws others.
const maxTrials = 200

// Classify trains and tests naive Bayes in every set-up that the collection allows, runs times. It returns ErrUnfit for
// fewer than two classes, and ctx's error when ctx ends.
func Classify(ctx context.Context, docs []Document, runs int) (*Classification, error) {
	c := newClassifier(docs)
	if c.classes < 2 {
		return nil, fmt.Errorf("%w: classification needs pages of two classes or more, and there are %d", ErrUnfit, c.classes)
	}
	result := &Classification{Pages: len(c.docs), Classes: c.classes}
	var err error
	if result.Plain, err = overRuns(ctx, runs, c.plain); err != nil {
		return nil, err
	}
	if pairs := confoundedPairs(c.cells); len(pairs) > 0 {
		f, err := overRuns(ctx, runs, func(rng *rand.Rand) float64 { return c.confounded(pairs, rng) })
		if err != nil {
			return nil, err
		}
		result.Confounded = &f
	}
	if groups := transferGroups(c.cells); len(groups) > 0 {
		f, err := overRuns(ctx, runs, func(rng *rand.Rand) float64 { return c.transfer(groups, rng) })
		if err != nil {
			return nil, err
		}
		result.Transfer = &f
	}
	return result, nil
}

// classifier is a collection ready for trials.
type classifier struct {
	docs                []Document
	bags                []bag
	class               []int
	classes, vocabulary int
	// cells are the pages of one class on one site, in order of their first page.
	cells []cell
}

func newClassifier(docs []Document) *classifier {
	c := &classifier{docs: classified(docs)}
	c.class, c.classes = classNumbers(c.docs)
	c.bags, c.vocabulary = bags(c.docs)
	c.cells = newCells(c.docs, c.class)
	return c
}

// plain is a run over all pages at once.
func (c *classifier) plain(rng *rand.Rand) float64 {
	var train, test []int
	for _, cell := range c.cells {
		a, b := halves(cell.pages, rng)
		train, test = append(train, a...), append(test, b...)
	}
	return c.trial(train, test)
}

// confounded is the mean over trials. Each trains on a random half of the available pages.
func (c *classifier) confounded(pairs []pair, rng *rand.Rand) (mean float64) {
	order := rng.Perm(len(pairs))
	order = order[:min(len(order), maxTrials)]
	for _, i := range order {
		p := pairs[i]
		one, _ := halves(p.train[0], rng)
		two, _ := halves(p.train[1], rng)
		mean += c.trial(slices.Concat(one, two), slices.Concat(p.test[0], p.test[1])) / float64(len(order))
	}
	return mean
}

// transfer is the mean over languages of a trial with one training site per class.
func (c *classifier) transfer(groups []group, rng *rand.Rand) (mean float64) {
	for _, g := range groups {
		var train, test []int
		for _, sites := range g {
			chosen := rng.IntN(len(sites))
			train = append(train, sites[chosen]...)
			for i, pages := range sites {
				if i != chosen {
					test = append(test, pages...)
				}
			}
		}
		mean += c.trial(train, test) / float64(len(groups))
	}
	return mean
}

// trial trains on some pages, classifies others, and returns the mean F over their classes.
func (c *classifier) trial(train, test []int) (f float64) {
	local := map[int]int{}
	for _, i := range slices.Concat(train, test) {
		if _, ok := local[c.class[i]]; !ok {
			local[c.class[i]] = len(local)
		}
	}
	class := func(i int) int { return local[c.class[i]] }
	b := newBayes(len(local), c.vocabulary)
	for _, i := range train {
		b.learn(c.bags[i], class(i))
	}
	b.finish()
	right, given, asked := make([]float64, len(local)), make([]float64, len(local)), make([]float64, len(local))
	for _, i := range test {
		want, got := class(i), b.classify(c.bags[i])
		asked[want]++
		given[got]++
		if got == want {
			right[got]++
		}
	}
	for k := range right {
		if right[k] > 0 {
			f += harmonic(right[k]/given[k], right[k]/asked[k]) / float64(len(local))
		}
	}
	return f
}

// halves divides pages at random into two halves. Of an odd number, the first gets one more.
func halves(pages []int, rng *rand.Rand) (a, b []int) {
	shuffled := make([]int, len(pages))
	for to, from := range rng.Perm(len(pages)) {
		shuffled[to] = pages[from]
	}
	half := (len(pages) + 1) / 2
	return shuffled[:half:half], shuffled[half:]
}
