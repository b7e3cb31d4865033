package metadata

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// findTitle finds the heading of first rank that has most words in common with the declared title. An only heading may
// have few. If no such heading fits, findTitle takes a heading of second rank with the words of the declared title.
func (s *shown) findTitle(declared []string) {
	if s.titleBeforeSite(declared) {
		return
	}
	best, found := s.bestHeading(atom.H1, declared)
	if best >= .2 || best > 0 && found == 1 {
		return
	}
	if best, _ = s.bestHeading(atom.H2, declared); best < .7 {
		s.title = page.None
	}
}

// titleSeparators stand between the title of a page and the name of its site.
var titleSeparators = sync.OnceValue(func() *strings.Replacer { //nolint:gochecknoglobals // it never changes
	return strings.NewReplacer(" - ", "|", " – ", "|", " — ", "|", " · ", "|", " :: ", "|", " » ", "|")
})

// titleBeforeSite sets the title to a heading of second rank that says the first part of a declared title, where the
// only heading of first rank says the last part: that is the name of the site ("DNS | Manual of Node").
func (s *shown) titleBeforeSite(declared []string) bool {
	for _, d := range declared {
		parts := strings.Split(titleSeparators().Replace(d), "|")
		if len(parts) < 2 {
			continue
		}
		first, last := parts[:1], parts[len(parts)-1:]
		if same, found := s.bestHeading(atom.H1, last); same < .9 || found != 1 {
			continue
		}
		if same, _ := s.bestHeading(atom.H2, first); same > .9 {
			return true
		}
	}
	s.title = page.None
	return false
}

// bestHeading sets the title to the heading of the given rank that has most words in common with the declared title. It
// returns their share and the number of headings.
func (s *shown) bestHeading(rank atom.Atom, declared []string) (best float64, found int) {
	for e := range s.p.Elements {
		id := page.ElementID(e)
		if s.p.Elements[e].Tag != rank || s.unseen[e] {
			continue
		}
		words := titleWordsOf(s.text(id))
		if len(words) == 0 || len(words) > 45 || s.isSiteName(id, words, declared) {
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
	return best, found
}

// isSiteName reports whether a heading is the name of the site, and the page declares a title with other words: the
// site declares that name, or the heading is a link to its front page.
func (s *shown) isSiteName(e page.ElementID, words, declared []string) bool {
	if !slices.ContainsFunc(declared, func(title string) bool {
		return slices.ContainsFunc(titleWordsOf(title), func(w string) bool { return !slices.Contains(words, w) })
	}) {
		return false
	}
	for _, name := range []string{"og:site_name", "ld:publisher", "application-name"} {
		if slices.Equal(words, titleWordsOf(s.named[name])) {
			return true
		}
	}
	el := &s.p.Elements[e]
	for c := e; c < el.Sub; c++ {
		if markup.LeadsHome(s.p, c) {
			return true
		}
	}
	return el.Parent != page.None && markup.LeadsHome(s.p, el.Parent)
}

// titleWordsOf returns the words of a title, in lower case.
func titleWordsOf(title string) []string {
	return slices.Collect(page.Words(strings.ToLower(title)))
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
