package metadata

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// The title, byline and date that a page shows, if its markup identifies them. They are used where the page declares
// nothing, and the title always, because titles for social networks are often other headlines.

// shown reads the markup of one page.
type shown struct {
	p      *page.Page
	unseen []bool
	// named is what the page declares.
	named declared
	// title is the page's own heading, or None.
	title page.ElementID
	// comments is what [shown.inComments] has found.
	comments map[page.ElementID]bool
}

// shownOn reads the markup of p. named is what p declares.
func shownOn(p *page.Page, unseen []bool, named declared) *shown {
	s := &shown{p: p, unseen: unseen, named: named, title: page.None, comments: map[page.ElementID]bool{}}
	s.findTitle(named.titles(p))
	return s
}

// maxRead is the most bytes of a text that are read for a title or for names: elements with the classes of bylines can
// be inside each other, around a long text.
const maxRead = 4 << 10

// text is the visible text of e with white space folded, at most 60 words.
func (s *shown) text(e page.ElementID) string { return s.joined(e, false) }

// people is text for an element with names: a comma comes between two links without a space, a bar between two other
// texts where a small letter or a digit meets a capital.
func (s *shown) people(e page.ElementID) string { return s.joined(e, true) }

func (s *shown) joined(e page.ElementID, people bool) string {
	var line []byte
	el := &s.p.Elements[e]
	before := page.ElementID(page.None)
	for _, t := range s.p.Texts[el.TextStart:min(el.TextEnd, el.TextStart+200)] {
		if t.Block == page.None || s.unseen[t.Parent] || markup.IsPermalink(s.p, t.Parent) {
			continue
		}
		if people && before != page.None && meet(line, t.Data) {
			if s.p.Elements[before].Tag == atom.A && s.p.Elements[t.Parent].Tag == atom.A {
				line = append(line, ", "...)
			} else {
				line = append(line, " | "...)
			}
		}
		line = append(line, first(t.Data, maxRead)...)
		if !page.IsInline(s.p.Elements[t.Parent].Tag) {
			line = append(line, ' ')
		}
		if before = t.Parent; len(line) >= maxRead {
			break
		}
	}
	words := strings.Fields(string(line))
	return strings.Join(words[:min(len(words), 60)], " ")
}

// first returns the first bytes of a text, at most so many, as whole characters.
func first(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// meet reports whether a small letter or a digit at the end of a line meets a capital or a digit at the start of the
// next text.
func meet(line []byte, next string) bool {
	last, _ := utf8.DecodeLastRune(line)
	first, _ := utf8.DecodeRuneInString(next)
	return (unicode.IsLower(last) || unicode.IsDigit(last)) && (unicode.IsUpper(first) || unicode.IsDigit(first))
}

// titleText is the text of the page's own heading, or empty.
func (s *shown) titleText() string {
	if s.title == page.None {
		return ""
	}
	return s.text(s.title)
}

// nearBlocks is the number of blocks below the heading in which bylines and dates are searched. Above it, a third of
// that applies.
const nearBlocks = 30

// isNear reports whether e is near the page's heading or, on a page without one, in the first half.
func (s *shown) isNear(e page.ElementID) bool {
	b := s.p.Elements[e].BlockStart
	if s.title == page.None {
		return int(b) < len(s.p.Blocks)/2
	}
	away := b - s.p.Elements[s.title].BlockStart
	return away >= -nearBlocks/3 && away <= nearBlocks
}

// byline returns the names in the byline that the markup shows near the heading.
func (s *shown) byline() string {
	for _, is := range []func(page.ElementID) bool{s.isAuthor, s.isPerson} {
		if names := s.names(is, 4); len(names) > 0 {
			return strings.Join(names, ", ")
		}
	}
	if names := s.names(s.isBylineByName, 1); len(names) > 0 {
		return names[0]
	}
	for b := range s.below() {
		if name := bylineOf(s.line(b)); name != "" {
			return name
		}
	}
	if name := s.labelled(); name != "" {
		return name
	}
	return strings.Join(s.names(s.endsInAuthor, 1), "")
}

// labelled returns the name in the first line that says who wrote the page ("Written by Ada Brown"), or below a line
// that only says that a name comes.
func (s *shown) labelled() string {
	isLabel := false
	for b := range s.p.Blocks {
		if s.unseen[s.p.Blocks[b].Element] {
			continue
		}
		line := s.line(page.BlockID(b))
		if isLabel {
			if name := cleanByline(line); isName(name) && strings.Contains(name, " ") && len(strings.Fields(name)) <= 5 {
				return name
			}
		}
		rest, saysSo := cutWrittenBy(line)
		if isLabel = saysSo && strings.Trim(rest, " :") == ""; saysSo && !isLabel {
			if name := bylineOf(line); name != "" {
				return name
			}
		}
	}
	return ""
}

// cutWrittenBy removes words that say who wrote a page, wherever they stand on it, and reports whether there were any.
func cutWrittenBy(line string) (string, bool) {
	for _, start := range []string{"written by", "article by", "words by", "posted by", "authored by", "author:", "author", "geschrieben von", "escrito por", "écrit par"} {
		if len(line) >= len(start) && strings.EqualFold(line[:len(start)], start) {
			return line[len(start):], true
		}
	}
	return line, false
}

// bylineOf returns the name in a line such as "By Ada Brown" or "posted on 5 March 2024 by Ada Brown", and an empty
// string for other lines.
func bylineOf(line string) string {
	if len(line) >= 80 {
		return ""
	}
	if i := strings.LastIndex(line, " by "); i > 0 && ReadDate(line[:i]) != "" {
		line = line[i+1:]
	}
	if _, ok := cutBylineStart(line); !ok {
		return ""
	}
	if name := cleanByline(line); isName(name) {
		return name
	}
	return ""
}

// belowBlocks is the number of blocks below the heading that are read for bylines and dates without markup.
const belowBlocks = 8

// below yields the visible blocks directly below the heading. On a page without a heading it yields none.
func (s *shown) below() func(yield func(page.BlockID) bool) {
	return func(yield func(page.BlockID) bool) {
		if s.title == page.None {
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

// line returns the text of a block with white space folded. Inline elements often separate a name from a date only by
// style. So where a small letter or a digit meets a capital or a digit, a bar comes between two texts, and a space
// after the first word.
func (s *shown) line(b page.BlockID) string {
	var line []byte
	for _, t := range s.p.Texts[s.p.Blocks[b].TextStart:s.p.Blocks[b].TextEnd] {
		if t.Block != b {
			continue
		}
		if meet(line, t.Data) {
			if bytes.ContainsRune(bytes.TrimSpace(line), ' ') {
				line = append(line, " |"...)
			}
			line = append(line, ' ')
		}
		line = append(line, t.Data...)
	}
	return strings.Join(strings.Fields(string(line)), " ")
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

// apart is the largest distance between two names of one byline, in blocks.
const apart = 3

// names returns the names in the first byline elements, up to most that are close together.
func (s *shown) names(is func(page.ElementID) bool, most int) (names []string) {
	last := page.BlockID(page.None)
	for e := page.ElementID(0); int(e) < len(s.p.Elements) && len(names) < most; e++ {
		if s.unseen[e] || !s.isNear(e) || !is(e) || s.inComments(e) {
			continue
		}
		if name := s.nameIn(e); name != "" {
			if last != page.None && s.p.Elements[e].BlockStart > last+apart {
				break
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			last = s.p.Elements[e].BlockEnd
			e = s.p.Elements[e].Sub - 1
		}
	}
	return names
}

// nameIn returns the names in a byline element: those that its properties say, otherwise those in its text.
func (s *shown) nameIn(e page.ElementID) string {
	for c := e + 1; c < s.p.Elements[e].Sub; c++ {
		if prop, _ := s.p.Attr(c, "itemprop"); prop == "name" {
			name := s.text(c)
			if s.p.Elements[c].Tag == atom.Meta {
				name, _ = s.p.Attr(c, "content")
			}
			return cmp.Or(cleanByline(name), account(name))
		}
	}
	text := s.people(s.innermost(e))
	return cmp.Or(cleanByline(text), account(text))
}

// innermost returns the first byline element inside e, and the first inside that, because what surrounds a name often
// has a class of the same meaning.
func (s *shown) innermost(e page.ElementID) page.ElementID {
	for c, read := e+1, 0; c < s.p.Elements[e].Sub && read < maxInside; c++ {
		if s.unseen[c] || !s.isPerson(c) && !s.isBylineByName(c) {
			continue
		}
		if read++; cleanByline(s.people(c)) != "" {
			return s.innermost(c)
		}
	}
	return e
}

// maxInside is how many byline elements inside another are read for a name.
const maxInside = 10

// isAuthor reports whether markup with a fixed meaning says that e is the author.
func (s *shown) isAuthor(e page.ElementID) bool {
	rel, _ := s.p.Attr(e, "rel")
	prop, _ := s.p.Attr(e, "itemprop")
	return slices.Contains(strings.Fields(strings.ToLower(rel)), "author") || strings.EqualFold(prop, "author")
}

// isPerson reports whether e is a link to a person's page on the site and its text is a name.
func (s *shown) isPerson(e page.ElementID) bool {
	if s.p.Elements[e].Tag != atom.A {
		return false
	}
	href, _ := s.p.Attr(e, "href")
	path, _, _ := strings.Cut(strings.ToLower(href), "?")
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "author", "authors", "autor", "autore", "auteur", "staff", "contributor", "contributors", "journalist", "journalists", "reporter", //nolint:misspell // Spanish
			"columnist", "bios":
			text := s.text(e)
			return isName(text) && len(strings.Fields(text)) >= 2 && len(strings.Fields(text)) <= 5
		}
	}
	return false
}

// isBylineByName reports whether a class says that e is a byline or an author.
func (s *shown) isBylineByName(e page.ElementID) bool {
	class, _ := s.p.Attr(e, "class")
	return markup.KindByNames(class) == page.KindByline || strings.Contains(strings.ToLower(class), "byline")
}

// endsInAuthor reports whether the last words of a class are "author" or "author name", joined in any way.
func (s *shown) endsInAuthor(e page.ElementID) bool {
	class, _ := s.p.Attr(e, "class")
	for c := range strings.FieldsSeq(strings.ToLower(class)) {
		c = strings.NewReplacer("-", "", "_", "").Replace(c)
		if (strings.HasSuffix(c, "author") || strings.HasSuffix(c, "authorname")) && !strings.Contains(c, "comment") && !strings.Contains(c, "related") {
			return true
		}
	}
	return false
}

// inComments reports whether e is in readers' comments.
func (s *shown) inComments(e page.ElementID) bool {
	if e == page.None {
		return false
	}
	in, known := s.comments[e]
	if !known {
		in = markup.Kind(s.p, e) == page.KindComments || s.inComments(s.p.Elements[e].Parent)
		s.comments[e] = in
	}
	return in
}

// bylineStarts are the words before a name, in lower case.
func bylineStarts() []string {
	return []string{"more stories by", "more articles by", "more posts by", "more from", "more by", "view all posts by", "view all articles by", "all posts by", "see all posts by",
		"posts by", "articles by", "written by", "posted by", "reported by", "post by", "recipe by", "reviewed by", "review by", "words by", "text by", "story by", "by:", "by", "author:", "автор:", "von", "par", "por", "di",
		"texte:", "text:"}
}

// maxByline is the most words of a byline.
const maxByline = 12

// cutBylineStart removes the words before a name ("by", "von") and reports whether there were any.
func cutBylineStart(text string) (string, bool) {
	for _, start := range bylineStarts() {
		n := len(start)
		if strings.EqualFold(text, start) {
			return "", true
		}
		if len(text) > n && strings.EqualFold(text[:n], start) && (start[n-1] == ':' || text[n] == ' ') {
			return strings.TrimSpace(text[n:]), true
		}
	}
	return text, false
}

// cleanByline returns the names in a byline, or an empty string if it looks like something else or names no person.
func cleanByline(text string) string {
	text, _ = cutBylineStart(first(text, maxRead))
	text = beforeDate(text, endOfNames(text))
	for _, stop := range []string{" on ", " at ", " Published", " Updated", " Posted", " Follow", " - ", " The Associated Press"} {
		text, _, _ = strings.Cut(text, stop)
	}
	text = withoutDegrees(strings.Trim(text, " ,;:-"))
	first, _ := utf8.DecodeRuneInString(text)
	n := len(strings.Fields(text))
	if n == 0 || n > maxByline || !unicode.IsUpper(first) && unicode.ToUpper(first) != first || isDateText(text) || isStaff(text) || isPlaceholder(text) {
		return ""
	}
	return text
}

// beforeDate returns the first end bytes of a text, without the names of days and months if a number comes next.
func beforeDate(text string, end int) string {
	if next, _ := utf8.DecodeRuneInString(text[end:]); !unicode.IsDigit(next) {
		return text[:end]
	}
	words := strings.Fields(text[:end])
	for len(words) > 0 && (isDateText(words[len(words)-1]) || words[len(words)-1] == "on") {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// account returns the name of an account, which may be one word in small letters, or an empty string for other texts.
func account(text string) string {
	text, _ = cutBylineStart(text)
	name := strings.TrimPrefix(text, "@")
	first, _ := utf8.DecodeRuneInString(name)
	if len(strings.Fields(name)) == 1 && len(name) <= maxAccount && unicode.IsLetter(first) && !isPlaceholder(name) && !isDateText(name) {
		return name
	}
	return ""
}

// maxAccount is the most bytes of the name of an account.
const maxAccount = 30

// endOfNames returns where the names in a byline end: at a sign that separates, a number, or a remark in parentheses.
func endOfNames(text string) int {
	last, named, closed := ' ', false, strings.LastIndex(text, ") ")
	for i, r := range text {
		switch {
		case strings.ContainsRune("|•·@—–/»", r), unicode.IsDigit(r) && !unicode.IsLetter(last) && !unicode.IsDigit(last):
			return i
		case r == '(':
			if i > closed {
				return i
			}
			if _, rest, _ := strings.Cut(text[i:], ") "); !named && !isName(rest) { // what follows a later one is a part of it
				return i
			}
			named = true
		}
		last = r
	}
	return len(text)
}

// isStaff reports whether a byline means the staff of the site.
func isStaff(text string) bool {
	for w := range page.Words(strings.ToLower(text)) {
		switch w {
		case "staff", "newsroom", "redazione", "redaktion", "redactie", "redacción", "redação", "rédaction", "redakcja", "редакция":
			return true
		}
	}
	return false
}

// withoutDegrees removes degrees ("MD", "PhD"), offices ("Staff Writer") and names of sites after the names of people.
func withoutDegrees(text string) string {
	var people []string
	for part := range strings.SplitSeq(text, ",") {
		words := strings.Fields(part)
		if len(people) > 0 && (slices.ContainsFunc(words, isOffice) || isDateText(strings.TrimSpace(part))) {
			continue
		}
		for n := len(words); n > 2 && isOffice(words[n-1]); n = len(words) { // "Ada Brown Senior Writer"
			for words = words[:n-1]; len(words) > 2 && isRank(words[len(words)-1]); {
				words = words[:len(words)-1]
			}
		}
		for n := len(words); n > 0 && (isDegree(words[n-1]) || words[n-1] == "Contributor") && (n > 1 || len(people) > 0); n-- {
			words = words[:n-1]
		}
		if name := strings.Join(words, " "); name != "" && (len(people) == 0 || !strings.Contains(name, ".")) {
			people = append(people, name)
		}
	}
	return strings.Join(people, ", ")
}

// isOffice reports whether a word is part of an office or of the name of a publisher.
func isOffice(word string) bool {
	switch strings.ToLower(word) {
	case "staff", "writer", "editor", "reporter", "correspondent", "contributor", "contributing", "columnist", "critic", "officer", "director", "president",
		"professor", "press", "times", "news", "report", "network", "magazine", "media":
		return true
	}
	return false
}

// isRank reports whether a word stands before an office.
func isRank(word string) bool {
	switch strings.ToLower(word) {
	case "senior", "chief", "associate", "assistant", "deputy", "managing", "executive", "tech", "technology", "science", "health", "business", "political",
		"sports", "news", "staff", "freelance", "contributing", "lead":
		return true
	}
	return false
}

func isDegree(word string) bool {
	switch word {
	case "MD", "M.D.", "PhD", "Ph.D.", "MS", "M.S.", "MPH", "RD", "RDN", "LD", "RN", "DDS", "DVM", "JD", "MBA", "CFA", "CFP", "CPA", "DO", "MA", "BA", "BS", "MSc", "BSc":
		return true
	}
	return false
}

// isDateText reports whether a text is names of months and days alone, or starts as a date does ("Updated …"). "April
// Ryan" and "Sun Wei" are names.
func isDateText(text string) bool {
	words := strings.Fields(strings.ToLower(text))
	for i, word := range words {
		switch strings.Trim(word, ",.") {
		case "january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul",
			"aug", "sep", "sept", "oct", "nov", "dec", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue", "wed", "thu", "fri", "sat", "sun":
		case "published", "updated", "posted", "last":
			return i == 0
		default:
			return false
		}
	}
	return len(words) > 0
}

// date returns the date that the markup shows near the heading.
func (s *shown) date() string {
	shown := ""
	for e := range s.p.Elements {
		id := page.ElementID(e)
		if !s.isNear(id) || s.unseen[e] {
			continue
		}
		if at, _ := s.p.Attr(id, "datetime"); s.p.Elements[e].Tag == atom.Time {
			if d := ReadDate(at); d != "" && !s.inComments(id) {
				return d
			}
		}
		if shown == "" && markup.Kind(s.p, id) == page.KindDate && !s.inComments(id) {
			shown = ReadDate(s.text(id))
		}
	}
	for b := range s.below() {
		if text := s.line(b); shown == "" && len(strings.Fields(text)) <= dateWords {
			shown = ReadDate(text)
		}
	}
	return shown
}

// dateWords is the most words of a line that gives the date of an article.
const dateWords = 12
