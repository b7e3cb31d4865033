package metadata

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// The date that a page shows beside its heading, where it declares none.

// day returns the date that the page shows near its heading.
func (s *shown) day() string {
	if days := s.days(); len(days) > 0 {
		return days[0]
	}
	return s.date()
}

const (
	// blocksAbove and blocksBelow are the distances from the heading in which a page shows its date.
	blocksAbove, blocksBelow = 5, 14
	// dayWords is the most words of a line that is a date.
	dayWords = 9
)

// days are the dates that the page shows near its heading: in the markup of times, and in short lines.
func (s *shown) days() (days []string) {
	if s.title == page.None {
		return nil
	}
	from, to := s.p.Elements[s.title].BlockStart-blocksAbove, s.p.Elements[s.title].BlockEnd+blocksBelow
	add := func(day string, e page.ElementID) {
		if day != "" && !slices.Contains(days, day) && !s.inComments(e) {
			days = append(days, day)
		}
	}
	for b := max(from, 0); b < min(to, page.BlockID(len(s.p.Blocks))); b++ {
		e := s.p.Blocks[b].Element
		if s.unseen[e] || b >= s.p.Elements[s.title].BlockStart && b < s.p.Elements[s.title].BlockEnd {
			continue
		}
		for t := s.p.Blocks[b].TextStart; t < s.p.Blocks[b].TextEnd; t++ {
			if up := s.p.Texts[t].Parent; s.p.Elements[up].Tag == atom.Time {
				at, _ := s.p.Attr(up, "datetime")
				add(ReadDate(at), up)
			}
		}
		if text := s.line(b); isDayLine(text) {
			add(ReadDate(text), e)
		}
	}
	return days
}

// isDayLine reports whether a line may be a date: it is short, and has a digit.
func isDayLine(text string) bool {
	return strings.ContainsFunc(text, unicode.IsDigit) && len(strings.Fields(text)) <= dayWords
}
