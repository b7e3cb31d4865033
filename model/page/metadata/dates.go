package metadata

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Dates as people and programs write them. A date that can be read in two ways (3/4/2023) is not read.

// datePatterns find a year, a month and a day, in the order that their names say.
type datePatterns struct {
	yearFirst, dayFirst, named, namedFirst *regexp.Regexp
}

var patterns = sync.OnceValue(func() *datePatterns { //nolint:gochecknoglobals // it never changes
	return &datePatterns{
		yearFirst:  regexp.MustCompile(`(?:^|\D)((?:19|20)\d\d)[-/.年](\d{1,2})[-/.月](\d{1,2})(?:\D|$)`),
		dayFirst:   regexp.MustCompile(`(?:^|\D)(\d{1,2})\.(\d{1,2})\.((?:19|20)\d\d)(?:\D|$)`),
		named:      regexp.MustCompile(`(?:^|[^\d])(\d{1,2})(?:st|nd|rd|th|er|\.|º)?[\s,/-]+(?:de |of )?(\p{L}{3,12})\.?[\s,/-]+(?:de |del )?((?:19|20)\d\d)(?:\D|$)`),
		namedFirst: regexp.MustCompile(`(?:^|\PL)(\p{L}{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,\s*|\s+)((?:19|20)\d\d)(?:\D|$)`),
	}
})

// ReadDate returns the first date in a text as 2006-01-02. It returns an empty string if there is no unambiguous date.
func ReadDate(text string) string {
	if len(text) > 400 {
		text = text[:400]
	}
	text = strings.ToLower(text)
	p := patterns()
	for _, try := range [...]struct {
		re               *regexp.Regexp
		year, month, day int
	}{{p.yearFirst, 1, 2, 3}, {p.dayFirst, 3, 2, 1}, {p.named, 3, 2, 1}, {p.namedFirst, 3, 1, 2}} {
		for _, m := range try.re.FindAllStringSubmatch(text, 4) {
			if d := dateOf(m[try.year], m[try.month], m[try.day]); d != "" {
				return d
			}
		}
	}
	return ""
}

// dateOf makes a date of its parts. It returns an empty string if there is no such day.
func dateOf(year, month, day string) string {
	y, _ := strconv.Atoi(year)
	d, _ := strconv.Atoi(day)
	m, err := strconv.Atoi(month)
	if err != nil {
		m = monthOf(month)
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if m == 0 || t.Day() != d || int(t.Month()) != m {
		return ""
	}
	return t.Format(time.DateOnly)
}

// monthStarts are the beginnings of the names of the months, in the languages of most of the web.
func monthStarts() [12]string {
	return [12]string{
		"jan ene gen янв sty ιαν oca", "feb fev fév лют фев lut φεβ şub", "mar mär maa мар μαρ", "apr avr abr апр kwi απρ nis", "may mai mag мая май maj μαΐ μάι",
		"jun juin giu июн cze ιουν haz", "jul juil lug июл lip ιουλ tem", "aug août aou ago авг sie αυγ ağu", "sep set сен wrz σεπ eyl",
		"oct okt out ott окт paź οκτ eki", "nov ноя lis νοε kas", "dec dez dic déc дек gru δεκ ara",
	}
}

// monthOf returns the number of a month by name, in lower case, 0 for other words.
func monthOf(name string) int {
	for i, starts := range monthStarts() {
		for start := range strings.FieldsSeq(starts) {
			if strings.HasPrefix(name, start) {
				return i + 1
			}
		}
	}
	return 0
}

// normalDate returns a declared date in the form of ISO 8601: unchanged if it has that form, otherwise its day. It
// returns an empty string if it can't read the date.
func normalDate(declared string) string {
	if d := ReadDate(declared); d == "" {
		return ""
	} else if strings.HasPrefix(declared, d) && !strings.ContainsFunc(declared, unicode.IsSpace) {
		return declared
	} else {
		return d
	}
}

// addressDate returns the date in a path such as /2023/07/21/, also if year and month are joined with the day.
func addressDate(url string) string {
	m := addressPattern().FindStringSubmatch(url)
	if m == nil {
		return ""
	}
	return dateOf(m[1], m[2], m[3])
}

var addressPattern = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // it never changes
	return regexp.MustCompile(`[/-]((?:19|20)\d\d)[/-](\d{2})[/-](\d{2})(?:[/-]|$)`)
})
