package synthetic

import (
	"bytes"
	"fmt"
	"html/template"
	"math/rand/v2"
	"strings"
)

// site is a site: the common data of its pages and their outlines.
type site struct {
	design
	seed     uint64
	template *template.Template
	grammar  grammar
	// subjects are the vocabularies by topic.
	subjects             map[string]lexicon
	common, words, names lexicon
	frame                frame
	// adverts is the stock of adverts for the pages.
	adverts  []string
	outlines []outline
}

// frame is the part of the template that is on every page.
type frame struct {
	Name, Slogan string
	Nav          []link
	Footer       []column
	// Legal are the sentences of notices.
	Legal   []string
	Archive []string
}

// column is a list of links under a title.
type column struct {
	Title string
	Links []link
}

// link is a link to a page with its teaser. Only Path and Name are always set.
type link struct {
	Path, Name, Summary, Price, Date, User, Section string
	Views                                           int
	Current                                         bool
}

// outline is the part of a page that other pages show.
type outline struct {
	link
	topic string
}

func newSite(d design, number int, o Options) (*site, error) {
	t, err := template.ParseFS(templateFiles, "templates/"+d.template)
	if err != nil {
		return nil, err
	}
	s := &site{design: d, seed: o.Seed<<16 + uint64(number)<<8, template: t, grammar: grammarOf(d.language), subjects: map[string]lexicon{}}
	for _, load := range []struct {
		subject string
		into    *lexicon
	}{{"common", &s.common}, {"house", &s.words}, {"names", &s.names}} {
		if *load.into, err = loadLexicon(d.language, load.subject); err != nil {
			return nil, err
		}
	}
	for _, topic := range topics() {
		if s.subjects[topic], err = loadLexicon(d.language, topic); err != nil {
			return nil, err
		}
	}
	w := s.writer(s.house, houseStream)
	s.words = w.some(s.words, 2) // every site has a vocabulary of its own
	w.house = s.words
	s.build(w)
	s.plan(o.Pages)
	return s, nil
}

// Streams of random numbers: one for the house, and starting at these one for each outline, page, focus and user. So a
// longer corpus begins like a shorter one.
const (
	houseStream   = 0
	outlineStream = 1 << 32
	pageStream    = 2 << 32
	focusStream   = 3 << 32
	userStream    = 4 << 32
)

// writer writes about a topic with the random numbers of a stream, which also determine its focus.
func (s *site) writer(topic string, stream uint64) *writer {
	w := &writer{grammar: s.grammar, subject: s.subjects[topic], common: s.common, house: s.words, names: s.names}
	w.rng = rand.New(rand.NewPCG(s.seed, stream))
	w.focus = w.some(w.subject, 6)
	return w
}

// pageWriter writes about the i-th page, with the same focus for its outline and its text.
func (s *site) pageWriter(topic string, stream, i uint64) *writer {
	w := s.writer(topic, stream+i)
	w.focus = s.writer(topic, focusStream+i).focus
	return w
}

// build makes up the frame, about the house's topic.
func (s *site) build(w *writer) {
	s.frame.Name = s.name
	s.frame.Slogan = w.fill(w.pick(s.grammar.slogans))
	for i := range 8 {
		s.frame.Nav = append(s.frame.Nav, link{Path: fmt.Sprintf("/section/%d", i), Name: capital(w.slot([]string{"S", "h"}[i%2]))})
	}
	for range 3 {
		c := column{Title: capital(w.slot("h"))}
		for i := range 5 {
			c.Links = append(c.Links, link{Path: fmt.Sprintf("/about/%d", i), Name: w.fill("{a} {S} {h}")})
		}
		s.frame.Footer = append(s.frame.Footer, c)
	}
	for range 6 {
		s.frame.Legal = append(s.frame.Legal, w.fill(w.pick(s.grammar.house)))
	}
	for year := range 7 {
		s.frame.Archive = append(s.frame.Archive, fmt.Sprintf("%d (%d)", 2019+year, 3+w.rng.IntN(40)))
	}
	for _, topic := range topics() {
		ad := *w
		ad.subject = s.subjects[topic]
		for range 3 {
			s.adverts = append(s.adverts, ad.fill(ad.pick(s.grammar.adverts)))
		}
	}
}

// plan decides the topic of each page. Topics alternate, so that every site has equally many pages of each.
func (s *site) plan(pages int) {
	for i := range pages {
		topic := topics()[(i+len(s.id))%len(topics())]
		w := s.pageWriter(topic, outlineStream, uint64(i))
		s.outlines = append(s.outlines, outline{topic: topic, link: link{
			Path: fmt.Sprintf("/%s/%d.html", strings.ToLower(s.genre), 100+i), Name: w.title(), Summary: w.paragraph(1, 2),
			Price: w.price(), Date: w.date(), User: w.pick(w.names["handles"]), Section: s.frame.Nav[i%len(s.frame.Nav)].Name,
			Views: w.rng.IntN(9000),
		}})
	}
}

// render writes the i-th page.
func (s *site) render(i int) ([]byte, error) {
	var b bytes.Buffer
	err := s.template.Execute(&b, s.page(i))
	return b.Bytes(), err
}
