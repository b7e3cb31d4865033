package evaluate

import (
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model/page/metadata"
)

// FieldScore compares one field of what winnow says about pages with what people found on them.
type FieldScore struct {
	// Field is "title", "author" or "date".
	Field string `json:"field"`
	// Pages is the number of pages where people found the field, Given the number of those where winnow gives one,
	// Right the number where it is the same. Given minus Right are wrong.
	Pages int `json:"pages"`
	Given int `json:"given"`
	Right int `json:"right"`
	// Invented is the number of pages where winnow gives the field although people found none.
	Invented int `json:"invented"`
}

// fieldOutcome is the result of one field on one page.
type fieldOutcome struct{ has, given, right bool }

const (
	titleField = iota
	authorField
	dateField
	fields
)

// FieldOutcomes are the results of title, author and date on one page, in this order.
type FieldOutcomes [fields]fieldOutcome

// scoreFields compares what winnow reads from a page with what people found on it. People have looked for fields where
// they noted the title: in other collections, the date is that of the visit.
func (s *Single) scoreFields(d metadata.Metadata) *FieldOutcomes {
	looked := s.Title != ""
	return &FieldOutcomes{
		titleField:  {looked, d.Title != "", sameWords(s.Title, d.Title, .8)},
		authorField: {looked && s.Author != "", d.Author != "", sameWords(s.Author, d.Author, .75)},
		dateField:   {looked && isDay(s.Date), d.Date != "", sameDay(s.Date, d.Date)},
	}
}

// isDay reports whether a date begins with a day. Gold has "NaT" where a program found none.
func isDay(date string) bool {
	_, err := time.Parse(time.DateOnly, date[:min(len(date), len(time.DateOnly))])
	return err == nil
}

// sameWords reports whether the F1 of the words of two texts is at least least. Bylines differ in "by" and commas, and
// titles in the name of the site after them.
func sameWords(a, b string, least float64) bool {
	_, _, f1 := precisionRecall(overlap(multiset(words(a)), multiset(words(b))))
	return f1 >= least
}

// sameDay reports whether two dates are at most a day apart, because days begin at different hours for people and for
// servers.
func sameDay(a, b string) bool {
	const day = len("2006-01-02")
	x, err := time.Parse(time.DateOnly, a[:min(len(a), day)])
	y, otherErr := time.Parse(time.DateOnly, b[:min(len(b), day)])
	if err != nil || otherErr != nil {
		return strings.EqualFold(a, b)
	}
	return x.Sub(y).Abs() <= 24*time.Hour
}

// sumFields adds up the outcomes of all pages. It returns nil where people have looked for none of the fields.
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
