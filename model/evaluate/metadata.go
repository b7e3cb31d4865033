package evaluate

import (
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
)

// FieldScore says how what pages are said to declare of themselves compares with what people found on them.
type FieldScore struct {
	// Field is "title", "author" or "date".
	Field string `json:"field"`
	// Pages is the number of pages where people found the field, Given that of those where winnow gives one, Right that
	// where it is the same. Given less Right are wrong.
	Pages int `json:"pages"`
	Given int `json:"given"`
	Right int `json:"right"`
	// Invented is the number of pages where winnow gives one and people found none.
	Invented int `json:"invented"`
}

// fieldOutcome is what came of one field of one page.
type fieldOutcome struct{ has, given, right bool }

const (
	titleField = iota
	authorField
	dateField
	fields
)

// FieldOutcomes are what came of title, author and date of one page, in this order.
type FieldOutcomes [fields]fieldOutcome

// scoreFields compares what is read off a page with what people found on it.
func (s *Single) scoreFields(d page.Metadata) *FieldOutcomes {
	return &FieldOutcomes{
		titleField:  {s.Title != "", d.Title != "", sameWords(s.Title, d.Title, .8)},
		authorField: {s.Author != "", d.Author != "", sameWords(s.Author, d.Author, .75)},
		dateField:   {s.Date != "", d.Date != "", sameDay(s.Date, d.Date)},
	}
}

// sameWords reports whether two texts have the same words, as far as least, an F1, asks for. Bylines differ in "by" and
// commas, titles in the name of the site behind them.
func sameWords(a, b string, least float64) bool {
	_, _, f1 := precisionRecall(overlap(multiset(words(a)), multiset(words(b))))
	return f1 >= least
}

// sameDay reports whether two dates are at most a day apart: the days of people and of servers begin at different
// hours.
func sameDay(a, b string) bool {
	const day = len("2006-01-02")
	x, err := time.Parse(time.DateOnly, a[:min(len(a), day)])
	y, otherErr := time.Parse(time.DateOnly, b[:min(len(b), day)])
	if err != nil || otherErr != nil {
		return strings.EqualFold(a, b)
	}
	return x.Sub(y).Abs() <= 24*time.Hour
}

// sumFields sums up the outcomes of all pages; nil where people have looked for none of the fields.
func sumFields(scores []SingleScore) []FieldScore {
	sums := []FieldScore{{Field: "title"}, {Field: "author"}, {Field: "date"}}
	found := false
	for _, s := range scores {
		if s.Fields == nil {
			continue
		}
		asked := s.Fields[titleField].has
		for i, f := range s.Fields {
			switch sum := &sums[i]; {
			case f.has:
				found = true
				sum.Pages++
				sum.Given += count(f.given)
				sum.Right += count(f.right)
			case asked:
				sum.Invented += count(f.given)
			}
		}
	}
	if !found {
		return nil
	}
	return sums
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
