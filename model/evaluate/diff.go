package evaluate

import (
	"cmp"
	"slices"
	"strings"
)

// Diff is one page that differs from its gold, with the blocks of text that differ.
type Diff struct {
	// Site is empty for single pages.
	Site string `json:"site,omitempty"`
	Page string `json:"page"`
	// F1 is ROUGE-L if the gold is text.
	F1 float64 `json:"f1"`
	// Lost is content that is missing in the output, Left noise that is still in it, both in page order.
	Lost []string `json:"lost,omitempty"`
	Left []string `json:"left,omitempty"`
}

// worst returns the n diffs with the lowest F1; among equals, the first by name.
func worst(diffs []*Diff, n int) []*Diff {
	slices.SortFunc(diffs, func(a, b *Diff) int {
		return cmp.Or(cmp.Compare(a.F1, b.F1), strings.Compare(a.Site, b.Site), strings.Compare(a.Page, b.Page))
	})
	return diffs[:min(n, len(diffs))]
}

// lines are the lines of a text that contain a word, with white space folded.
func lines(text string) []string {
	var out []string
	for l := range strings.Lines(text) {
		if f := strings.Fields(l); len(words(l)) > 0 {
			out = append(out, strings.Join(f, " "))
		}
	}
	return out
}

// without returns the lines that other lacks, as many of each as it lacks.
func without(lines, other []string) []string {
	have := multiset(other)
	var out []string
	for _, l := range lines {
		if have[l] > 0 {
			have[l]--
			continue
		}
		out = append(out, l)
	}
	return out
}

// newDiff compares an output with its gold.
func newDiff(gold, output string, f1 float64) *Diff {
	d := &Diff{F1: f1}
	d.Lost, d.Left = diffTexts(gold, output)
	return d
}

// diffTexts compares an output with the gold, line by line. A line that is split differently in both would count as
// lost and as left. So a line is left out if the other text contains all of it in one run.
func diffTexts(gold, output string) (lost, left []string) {
	g, o := lines(gold), lines(output)
	return notWithin(without(g, o), output), notWithin(without(o, g), gold)
}

// notWithin drops the lines that occur in text when line ends are ignored.
func notWithin(lines []string, text string) []string {
	run := " " + strings.Join(words(text), " ") + " "
	return slices.DeleteFunc(lines, func(l string) bool {
		return strings.Contains(run, " "+strings.Join(words(l), " ")+" ") && len(words(l)) > 3
	})
}
