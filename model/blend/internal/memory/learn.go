package memory

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
)

// titleParts returns the parts of a title in lower case, because sites put their name before or after the page's title.
func titleParts(title string) (parts []string) {
	title = strings.Join(strings.Fields(strings.ToLower(title)), " ")
	for _, bar := range [...]string{"|", "»", "«", "·", "•", "–", "—", "::", "→"} {
		title = strings.ReplaceAll(title, " "+bar+" ", " - ")
	}
	for part := range strings.SplitSeq(title, " - ") {
		if view.CountWords(part) >= 2 {
			parts = append(parts, part)
		}
	}
	return parts
}

// learnAddress records the address and the title of the page, so that links to it are recognised as teasers.
func (l *learner) learnAddress(v *view.Page) {
	own := uint64(0)
	if v.At.Path != "" {
		own = v.Hash.String(v.At.Path)
		l.sight(hashes.Mix(own, SaltVisited))
	}
	names := titleParts(v.Title.Text)
	if v.TitleBlock != page.None {
		names = append(names, v.Texts[v.TitleBlock].Folded)
	}
	for _, name := range names {
		title := v.Hash.String(name)
		l.sight(hashes.Mix(title, SaltTitle))
		if own != 0 {
			l.sight(hashes.Mix(hashes.Mix(own, title), SaltTeaser))
		}
	}
}

// Increment returns what a page adds to the memory, as a memory of that page alone. scores are the page scores of its
// blocks, in [0,1]. What is novel and fresh on the page follows from the pages before.
func (m *Memory) Increment(v *view.Page, scores []float32) *Memory {
	// Most blocks and elements bring a few things each that are new to the page.
	page := &Memory{Budget: m.Budget, Seen: hashes.NewHashTable[sighting](4 * len(v.Blocks)), Places: hashes.NewHashTable[PlaceSums](len(v.Blocks))}
	(&learner{host: m, into: page}).learn(v, scores)
	return page
}

// Learn adds a page, like the increment that it brings.
func (m *Memory) Learn(v *view.Page, scores []float32) {
	(&learner{host: m, into: m}).learn(v, scores)
	m.Settle()
}

// learn adds the things of one page.
func (l *learner) learn(v *view.Page, scores []float32) {
	ev, mean, mass := Recall{Memory: l.host}.Read(v), v.MeanScores(scores), v.MassOf(scores)
	content := max(mass[max(v.Doc.Body, 0)], 1)
	m := v.Reader.Measurer(v.Hash, 0) // for its counters
	defer m.Release()
	l.seen, l.places = m.Counter(0, 4*len(v.Blocks)), m.Counter(1, len(v.Blocks)+len(v.Elements))
	l.into.Pages++
	for i := range v.Blocks {
		b := &v.Blocks[i]
		l.sight(hashes.Mix(b.Text, SaltText))
		l.sight(hashes.Mix(b.Masked, saltMasked))
		if b.Link != 0 {
			l.sight(hashes.Mix(b.Link, SaltLink))
		}
		l.sight(hashes.Mix(hashes.Mix(b.Place, b.Masked), SaltMaskedAtPlace))
		novel := l.sight(hashes.Mix(hashes.Mix(b.Place, b.Text), SaltAtPlace))
		fresh := float32(0)
		if ev.IsNew(i) {
			fresh = float32(b.Words)
		}
		l.find(hashes.Mix(b.Place, SaltBlockPlace), finding{novel, scores[i], fresh / max(ev.Fresh[0], 1), float32(b.Words) * (1 - scores[i]) / content, b.Size})
		if b.Label.Kind != 0 {
			novel := l.sight(hashes.Mix(hashes.Mix(b.Label.Key, b.Label.Value), SaltLabel))
			l.find(hashes.Mix(b.Label.Key, SaltLabel), finding{novel, scores[i], 0, 0, b.Size})
		}
	}
	l.learnAddress(v)
	for e := range v.Elements {
		el := &v.Elements[e]
		if el.Blocks == 0 || page.ElementID(e) <= v.Doc.Body {
			continue
		}
		f := finding{l.sight(hashes.Mix(el.Subtree, SaltSubtree)), mean[e], ev.Fresh[e] / max(ev.Fresh[0], 1), mass[e] / content, el.Size}
		l.find(hashes.Mix(el.Place, SaltElemPlace), f)
		if el.Spot != 0 {
			l.find(hashes.Mix(el.Spot, SaltSpot), f)
		}
	}
}

// learner adds the things of one page to a memory, and compares them with what the host has shown before. into is the
// memory of the host itself, or an increment.
type learner struct {
	host, into *Memory
	// seen and places are the keys on the page so far.
	seen, places *hashes.Counter[int32]
}

// sight counts the key, once on a page, and reports whether it is new.
func (l *learner) sight(key uint64) (novel bool) {
	again := l.seen.Of(key)
	if *again > 0 {
		return false
	}
	*again = 1
	s, known := l.into.Seen.At(key)
	s.Count++
	s.show(l.into.Pages, known)
	if l.into != l.host {
		_, known = l.host.Seen.Get(key)
	}
	return !known
}

// finding is one occurrence of a place.
type finding struct {
	novel              bool
	score, fresh, mass float32
	view.Size
}

// find adds an occurrence of a place.
func (l *learner) find(key uint64, f finding) {
	p, known := l.into.Places.At(key)
	if again := l.places.Of(key); *again == 0 {
		*again = 1
		p.Visits++
		p.show(l.into.Pages, known)
	}
	p.Finds++
	if f.novel {
		p.Novel++
	}
	p.Score += uint32(f.score*255 + .5)
	p.Links += uint32(f.LinkDensity()*255 + .5)
	p.Words += uint32(view.Log1(f.Words)*16 + .5)
	p.Fresh += uint32(f.fresh*255 + .5)
	p.Mass += uint32(min(f.mass, 1)*255 + .5)
}
