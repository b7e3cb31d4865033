package synthetic

import "fmt"

// pageData is the data of a page for a template. The template decides where it appears, and the gold what of it is
// content.
type pageData struct {
	Site                       frame
	Number, Views, ReadingTime int
	Title, Lead, Author, Date  string
	Section, Price, Today      string
	Sections                   []section
	Specs                      []spec
	Posts                      []post
	Comments                   []comment
	Tags, Ads                  []string
	Related, Popular, Index    []link
	Entries                    []link
	Prev, Next                 link
	Aside                      *link
	List                       bool
}

type section struct {
	Heading    string
	Paragraphs []string
	List       []string
	Quote      string
}

type spec struct{ Label, Value string }

type post struct {
	User, Rank, Joined, Place, Date string
	Count                           int
	Quote, Quoted                   string
	Body                            []string
	Signature                       string
}

type comment struct{ User, Date, Text string }

// page makes up the i-th page.
func (s *site) page(i int) pageData {
	o := s.outlines[i]
	w := s.pageWriter(o.topic, pageStream, uint64(i))
	p := pageData{
		Site: s.frame, Number: 100 + i, Views: w.rng.IntN(5000), ReadingTime: 2 + w.rng.IntN(9), Title: o.Name,
		Lead: w.paragraph(1, 2), Author: w.person(), Date: o.Date, Section: o.Section, Price: o.Price, Today: w.date(),
		Prev: s.near(i - 1), Next: s.near(i + 1), List: i%4 == 3,
	}
	p.Sections, p.Specs = w.sections(), w.specs()
	for range 3 + w.rng.IntN(6) {
		p.Posts = append(p.Posts, w.post(s))
	}
	for range w.rng.IntN(4) {
		p.Comments = append(p.Comments, comment{w.pick(w.names["handles"]), w.date(), w.paragraph(1, 3)})
	}
	for range 3 {
		p.Tags = append(p.Tags, w.slot("S"))
		p.Ads = append(p.Ads, w.pick(s.adverts))
	}
	s.surround(&p, w, i)
	return p
}

// surround adds links to other pages. The popular ones change slowly, the related ones with every page.
func (s *site) surround(p *pageData, w *writer, i int) {
	for k := range 5 {
		p.Popular = append(p.Popular, s.near(7*(i/8)+k))
	}
	for range 4 {
		p.Related = append(p.Related, s.near(w.rng.IntN(len(s.outlines))))
	}
	for k := range 6 {
		p.Entries = append(p.Entries, s.sameTopic(i, k))
	}
	for k, o := range s.outlines[:min(len(s.outlines), 15)] {
		l := o.link
		l.Current = k == i
		p.Index = append(p.Index, l)
	}
	if w.chance(0.6) {
		aside := s.near(w.rng.IntN(len(s.outlines)))
		p.Aside = &aside
	}
}

// near is a link to the page of that number, modulo the number of pages.
func (s *site) near(i int) link { return s.outlines[(i+len(s.outlines))%len(s.outlines)].link }

// sameTopic is a link to the k-th next page on the topic of page i.
func (s *site) sameTopic(i, k int) link { return s.near(i + (k+1)*len(topics())) }

func (w *writer) sections() (out []section) {
	for i := range 2 + w.rng.IntN(3) {
		var s section
		if i > 0 {
			s.Heading = w.fill("{A} {N}")
		}
		for range 1 + w.rng.IntN(3) {
			s.Paragraphs = append(s.Paragraphs, w.paragraph(2, 6))
		}
		if w.chance(0.3) {
			for range 3 + w.rng.IntN(3) {
				s.List = append(s.List, w.fill("{A} {N}"))
			}
		}
		if w.chance(0.25) {
			s.Quote = w.paragraph(1, 1)
		}
		out = append(out, s)
	}
	return out
}

// specs have labels that recur from page to page, as in shops and encyclopedias, and are content all the same.
func (w *writer) specs() []spec {
	return []spec{
		{"Weight", fmt.Sprintf("%d g", 50+w.rng.IntN(4000))},
		{"Material", w.fill("{A} {N}")},
		{"Maker", w.person()},
		{"Goes with", w.fill("{S} and {S}")},
		{"Number", fmt.Sprintf("%05d", w.rng.IntN(100000))},
	}
}

// post is one post of a thread. Users recur, with their boxes and signatures, which are noise.
func (w *writer) post(s *site) post {
	n := w.rng.IntN(len(w.names["handles"]))
	user := s.writer(s.house, userStream+uint64(n))
	p := post{
		User: w.names["handles"][n], Rank: user.fill("{a} {S}"), Joined: user.date(), Place: user.person(),
		Count: 10 + user.rng.IntN(2000), Signature: user.paragraph(1, 1), Date: w.date(),
	}
	for range 1 + w.rng.IntN(3) {
		p.Body = append(p.Body, w.paragraph(1, 5))
	}
	if w.chance(0.3) {
		p.Quoted, p.Quote = w.pick(w.names["handles"]), w.paragraph(1, 1)
	}
	return p
}

func (w *writer) date() string {
	return fmt.Sprintf("%04d-%02d-%02d %02d:%02d", 2019+w.rng.IntN(7), 1+w.rng.IntN(12), 1+w.rng.IntN(28), w.rng.IntN(24), w.rng.IntN(60))
}

func (w *writer) price() string {
	return fmt.Sprintf("€ %d.%02d", 3+w.rng.IntN(200), w.rng.IntN(100))
}
