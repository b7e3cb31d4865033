package page

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// The title, byline and date that a page shows, if its markup identifies them. They are used where the page declares
// nothing, and the title always, because titles for social networks are often other headlines.

// shownMetadata reads the markup of one page.
type shownMetadata struct {
	p      *Page
	unseen []bool
	// title is the page's own heading, or None.
	title ElementID
}

func (p *Page) shownMetadata(declared ...string) *shownMetadata {
	s := &shownMetadata{p: p, unseen: p.Unseen(), title: None}
	s.findTitle(declared)
	return s
}

// findTitle finds the heading of first rank that has most words in common with the declared title. An only heading may
// have few.
func (s *shownMetadata) findTitle(declared []string) {
	best, found := 0.0, 0
	for e := range s.p.Elements {
		id := ElementID(e)
		if s.p.Elements[e].Tag != atom.H1 || s.unseen[e] {
			continue
		}
		words := titleWordsOf(s.text(id))
		if len(words) == 0 || len(words) > 45 {
			continue
		}
		found++
		share := 0.0
		for _, d := range declared {
			share = max(share, commonWords(words, titleWordsOf(d)))
		}
		if share > best {
			best, s.title = share, id
		}
	}
	if best < .2 && (found > 1 || best == 0) {
		s.title = None
	}
}

// titleWordsOf returns the words of a title, in lower case.
func titleWordsOf(title string) []string {
	return slices.Collect(Words(strings.ToLower(title)))
}

// commonWords is the F1 of the words that a and b have in common.
func commonWords(a, b []string) float64 {
	n := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	if len(a)+len(b) == 0 {
		return 0
	}
	return 2 * float64(n) / float64(len(a)+len(b))
}

// text is the visible text of e with white space folded, at most 60 words.
func (s *shownMetadata) text(e ElementID) string {
	var b strings.Builder
	el := &s.p.Elements[e]
	for _, t := range s.p.Texts[el.TextStart:min(el.TextEnd, el.TextStart+200)] {
		if t.Block != None && !s.unseen[t.Parent] && !s.p.isPermalink(t.Parent) {
			b.WriteString(t.Data)
			if !IsInline(s.p.Elements[t.Parent].Tag) {
				b.WriteByte(' ')
			}
		}
	}
	words := strings.Fields(b.String())
	return strings.Join(words[:min(len(words), 60)], " ")
}

// titleText is the text of the page's own heading, or empty.
func (s *shownMetadata) titleText() string {
	if s.title == None {
		return ""
	}
	return s.text(s.title)
}

// nearBlocks is the number of blocks below the heading in which bylines and dates are searched. Above it, a third of
// that applies.
const nearBlocks = 30

// isNear reports whether e is near the page's heading or, on a page without one, in the first half.
func (s *shownMetadata) isNear(e ElementID) bool {
	b := s.p.Elements[e].BlockStart
	if s.title == None {
		return int(b) < len(s.p.Blocks)/2
	}
	away := b - s.p.Elements[s.title].BlockStart
	return away >= -nearBlocks/3 && away <= nearBlocks
}

// byline returns the names in the byline that the markup shows near the heading.
func (s *shownMetadata) byline() string {
	if names := s.names(s.isAuthor, 4); len(names) > 0 {
		return strings.Join(names, ", ")
	}
	if names := s.names(s.isBylineByName, 1); len(names) > 0 {
		return names[0]
	}
	for b := range s.below() {
		if text := string(s.p.BlockText(nil, b)); strings.HasPrefix(text, "By ") && len(text) < 80 {
			if name := cleanByline(text); isName(name) {
				return name
			}
		}
	}
	return ""
}

// belowBlocks is the number of blocks below the heading that are read for bylines and dates without markup.
const belowBlocks = 8

// below yields the visible blocks directly below the heading. On a page without a heading it yields none.
func (s *shownMetadata) below() func(yield func(BlockID) bool) {
	return func(yield func(BlockID) bool) {
		if s.title == None {
			return
		}
		from := s.p.Elements[s.title].BlockEnd
		for b := from; int(b) < min(len(s.p.Blocks), int(from)+belowBlocks); b++ {
			if !s.unseen[s.p.Blocks[b].Element] && !yield(b) {
				return
			}
		}
	}
}

// isName reports whether all words of a text begin with capitals, except "and" and the like.
func isName(text string) bool {
	for w := range strings.FieldsSeq(text) {
		if first, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(first) && !slices.Contains([]string{"and", "de", "van", "von", "der", "of", "the", "da", "di", "&"}, w) {
			return false
		}
	}
	return text != ""
}

// names returns the names in up to most byline elements.
func (s *shownMetadata) names(is func(ElementID) bool, most int) (names []string) {
	for e := ElementID(0); int(e) < len(s.p.Elements) && len(names) < most; e++ {
		if s.unseen[e] || !s.isNear(e) || !is(e) || s.inComments(e) {
			continue
		}
		if name := cleanByline(s.text(e)); name != "" {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			e = s.p.Elements[e].Sub - 1
		}
	}
	return names
}

// isAuthor reports whether markup with a fixed meaning says that e is the author.
func (s *shownMetadata) isAuthor(e ElementID) bool {
	rel, _ := s.p.Attr(e, "rel")
	prop, _ := s.p.Attr(e, "itemprop")
	return slices.Contains(strings.Fields(strings.ToLower(rel)), "author") || strings.EqualFold(prop, "author")
}

// isBylineByName reports whether a class says that e is a byline or an author.
func (s *shownMetadata) isBylineByName(e ElementID) bool {
	class, _ := s.p.Attr(e, "class")
	return kindByWords(class) == KindByline || strings.Contains(strings.ToLower(class), "byline")
}

// inComments reports whether e is in readers' comments.
func (s *shownMetadata) inComments(e ElementID) bool {
	for up := e; up != None; up = s.p.Elements[up].Parent {
		if s.p.kindByMarkup(up) == KindComments {
			return true
		}
	}
	return false
}

// bylineStarts are the words before a name, in lower case.
func bylineStarts() []string {
	return []string{"written by", "posted by", "reported by", "reviewed by", "words by", "text by", "story by", "by:", "by", "author:", "автор:", "von", "par", "por", "di",
		"texte:", "text:"}
}

// maxByline is the most words of a byline.
const maxByline = 12

// cleanByline returns the names in a byline, or an empty string if it looks like something else.
func cleanByline(text string) string {
	for _, start := range bylineStarts() {
		if rest, ok := strings.CutPrefix(strings.ToLower(text), start); ok && (strings.HasSuffix(start, ":") || strings.HasPrefix(rest, " ")) {
			text = strings.TrimSpace(text[len(text)-len(rest):])
			break
		}
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("|•·@—–(/", r) }); i >= 0 {
		text = text[:i]
	}
	for _, stop := range []string{" on ", " Published", " Updated", " Posted", " Follow", " - "} {
		text, _, _ = strings.Cut(text, stop)
	}
	text = withoutDegrees(strings.Trim(text, " ,;:-"))
	first, _ := utf8.DecodeRuneInString(text)
	n := len(strings.Fields(text))
	if n == 0 || n > maxByline || !unicode.IsUpper(first) && unicode.ToUpper(first) != first || isMonthWord(text) {
		return ""
	}
	return text
}

// withoutDegrees removes degrees ("MD", "PhD") and names of sites after the names of people.
func withoutDegrees(text string) string {
	var people []string
	for part := range strings.SplitSeq(text, ",") {
		words := strings.Fields(part)
		for n := len(words); n > 0 && isDegree(words[n-1]) && (n > 1 || len(people) > 0); n-- {
			words = words[:n-1]
		}
		if name := strings.Join(words, " "); name != "" && (len(people) == 0 || !strings.Contains(name, ".")) {
			people = append(people, name)
		}
	}
	return strings.Join(people, ", ")
}

func isDegree(word string) bool {
	switch word {
	case "MD", "M.D.", "PhD", "Ph.D.", "MS", "M.S.", "MPH", "RD", "RDN", "LD", "RN", "DDS", "DVM", "JD", "MBA", "CFA", "CFP", "CPA", "DO", "MA", "BA", "BS", "MSc", "BSc":
		return true
	}
	return false
}

// isMonthWord reports whether a text starts with a month or a day, like a date and unlike a name.
func isMonthWord(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	switch strings.Trim(first, ",.") {
	case "january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul",
		"aug", "sep", "sept", "oct", "nov", "dec", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "published", "updated", "posted", "last":
		return true
	}
	return false
}

// date returns the date that the markup shows near the heading.
func (s *shownMetadata) date() string {
	shown := ""
	for e := range s.p.Elements {
		id := ElementID(e)
		if !s.isNear(id) || s.unseen[e] {
			continue
		}
		if at, _ := s.p.Attr(id, "datetime"); s.p.Elements[e].Tag == atom.Time {
			if d := ReadDate(at); d != "" && !s.inComments(id) {
				return d
			}
		}
		if shown == "" && s.p.kindByMarkup(id) == KindDate && !s.inComments(id) {
			shown = ReadDate(s.text(id))
		}
	}
	for b := range s.below() {
		if text := string(s.p.BlockText(nil, b)); shown == "" && len(strings.Fields(text)) <= dateWords {
			shown = ReadDate(text)
		}
	}
	return shown
}

// dateWords is the most words of a line that gives the date of an article.
const dateWords = 12
