// Package taught adds to any detector what people say about single parts of a host's pages: "this is noise", "bring
// this back". A lesson is evidence in the host's model. It is stored, exported and merged with the model, applies to
// every page that has such a part, and can be revoked.
//
// A lesson identifies its parts by their place: a keyed hash of the tags, ids and classes on the path to them. It
// includes a hash of their text where the place alone would match more than was meant. No text is stored.
package taught

import (
	"encoding/binary"
	"fmt"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
)

// Wrap returns a detector whose models can be taught. It reads the encodings of d. As long as nothing was taught, its
// models encode themselves as those of d do.
func Wrap(d model.Detector) model.Detector {
	if _, ok := d.(detector); ok {
		return d
	}
	return detector{d}
}

type detector struct{ model.Detector }

// New implements model.Detector.
func (d detector) New(key model.Key) model.Host {
	return d.host(d.Detector.New(key), key)
}

func (d detector) host(inner model.Host, key model.Key) *Host {
	return &Host{Host: inner, d: d, key: key, lessons: lessons{}}
}

// Decode implements model.Detector.
func (d detector) Decode(key model.Key, b []byte) (model.Host, error) {
	h := d.host(nil, key)
	if f := format(); len(b) >= len(f.Magic) && string(b[:len(f.Magic)]) == f.Magic {
		r, err := f.Open(key, len(b), b)
		if err != nil {
			return nil, err
		}
		for range r.Number(maxLessons) {
			var l Lesson
			if err := l.UnmarshalBinary(r.Bytes(lessonBytes)); err != nil {
				r.Fail("damaged lesson")
				break
			}
			h.lessons.add(l)
		}
		b = r.Bytes(r.Len())
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	var err error
	if h.Host, err = d.Detector.Decode(key, b); err != nil {
		return nil, err
	}
	return h, nil
}

// format frames the lessons and, after them, the encoding of the detector's model.
func format() codec.Format { return codec.Format{What: "taught model", Magic: "WNTL", Version: 1} }

// Host is the model of a host with what was taught about it. Like any model, it needs exclusive access for changes.
type Host struct {
	model.Host
	d       detector
	key     model.Key
	lessons lessons
}

// Unwrap returns the detector's own model.
func (h *Host) Unwrap() model.Host { return h.Host }

// Merge implements model.Host.
func (h *Host) Merge(other model.Host) error {
	o, ok := other.(*Host)
	if !ok {
		return fmt.Errorf("merge a taught model: %w", model.ErrMismatch)
	}
	if err := h.Host.Merge(o.Host); err != nil {
		return err
	}
	h.lessons.merge(o.lessons)
	return nil
}

// Increment implements model.Incremental. A detector whose models are not incremental gives a new model that has
// observed the page.
func (h *Host) Increment(p *page.Page, v model.Visit) model.Host {
	if inner, ok := h.Host.(model.Incremental); ok {
		if one := inner.Increment(p, v); one != nil {
			return h.d.host(one, h.key)
		}
		return nil
	}
	one := h.d.New(h.key)
	if one.Observe(p, v); one.Stats().Pages == 0 {
		return nil
	}
	return one
}

// Add implements model.Incremental.
func (h *Host) Add(increment model.Host) error {
	o, ok := increment.(*Host)
	inner, incremental := h.Host.(model.Incremental)
	if !ok || !incremental {
		return h.Merge(increment)
	}
	if err := inner.Add(o.Host); err != nil {
		return err
	}
	h.lessons.merge(o.lessons)
	return nil
}

// OnlyLessons returns a model that has learned no page and has the lessons of h.
func (h *Host) OnlyLessons() *Host {
	one := h.d.host(h.d.Detector.New(h.key), h.key)
	one.lessons.merge(h.lessons)
	return one
}

// Encode implements model.Host.
func (h *Host) Encode() ([]byte, error) {
	b, err := h.Host.Encode()
	if err != nil || len(h.lessons) == 0 {
		return b, err
	}
	body := binary.AppendUvarint(nil, uint64(len(h.lessons)))
	for _, l := range h.lessons.sorted() {
		one, err := l.MarshalBinary()
		if err != nil {
			return nil, err
		}
		body = append(body, one...)
	}
	return format().Seal(h.key, append(body, b...)), nil
}

// Stats implements model.Host.
func (h *Host) Stats() model.Stats {
	s := h.Host.Stats()
	s.Taught = len(h.lessons.inForce())
	s.Bytes += len(h.lessons) * 2 * lessonBytes
	return s
}

// Lessons lists the lessons in force, the newest first.
func (h *Host) Lessons() []Lesson { return h.lessons.inForce() }

// Fingerprint identifies the lessons in force. It is 0 where there are none, and changes with every lesson.
func (h *Host) Fingerprint() uint64 {
	var sum uint64
	hash := h.key.Hasher()
	for _, l := range h.lessons {
		if l.Verdict != Revoked {
			sum ^= hash.Combine(l.Key, uint64(l.Verdict))
		}
	}
	return sum
}

// Teach adds a lesson.
func (h *Host) Teach(l Lesson) { h.lessons.merge(lessons{l.Key: l}) }

// Revoke revokes the lesson with the key, at a time in milliseconds since 1970. It reports whether there was one.
func (h *Host) Revoke(key uint64, at int64) bool {
	l, ok := h.lessons[key]
	if !ok || l.Verdict == Revoked {
		return false
	}
	l.Verdict, l.At = Revoked, max(at, l.At+1)
	h.lessons[key] = l
	return true
}

// Mark implements model.Host: it marks the page as the detector does, and then applies the lessons.
func (h *Host) Mark(p *page.Page, v model.Visit) *page.Marking {
	m := h.Host.Mark(p, v)
	if len(p.Elements) == 0 || len(m.Verdicts) != len(p.Blocks) {
		return m
	}
	return h.apply(p, m)
}

// Explain implements model.Explainer as far as the detector's own model does.
func (h *Host) Explain(p *page.Page, v model.Visit) [][]model.Evidence {
	if explainer, ok := h.Host.(model.Explainer); ok {
		return explainer.Explain(p, v)
	}
	return nil
}

// apply returns the marking after the lessons. A page that passes stays as it is, except where it passes for lack of
// content and a lesson keeps a part of it. No lesson leaves a page without content.
func (h *Host) apply(p *page.Page, m *page.Marking) *page.Marking {
	actions, of, keeps := h.actions(p)
	if actions == nil || m.Pass != "" && (m.Pass != page.PassNoContent || !keeps) {
		return m
	}
	h.restrain(p, m, actions, of)
	out := override.Decide(p, m, actions)
	if out.Pass != "" {
		return m
	}
	return out
}

// actions returns the action of the lessons for each element, and the key of the lesson that decided. It returns nil if
// no lesson matches. keeps says that a lesson keeps a part.
func (h *Host) actions(p *page.Page) (actions []override.Action, of []uint64, keeps bool) {
	lessons := h.lessons.inForce()
	if len(lessons) == 0 {
		return nil, nil, false
	}
	byLevel := map[level]bool{}
	for _, l := range lessons {
		byLevel[l.level] = true
	}
	s := placesOf(p, h.key.Hasher())
	for e := s.body + 1; int(e) < len(p.Elements); e++ {
		for lv := worded; lv >= named; lv-- { // the closest description decides
			l, ok := Lesson{}, false
			if byLevel[lv] {
				l, ok = h.lessons[s.at(lv, e)]
			}
			if !ok || l.Verdict == Revoked {
				continue
			}
			if actions == nil {
				actions, of = make([]override.Action, len(p.Elements)), make([]uint64, len(p.Elements))
			}
			actions[e], of[e] = override.Remove, l.Key
			if l.Verdict == Content {
				actions[e], keeps = override.Keep, true
			}
			break
		}
	}
	return actions, of, keeps
}

// restrain drops the actions of lessons that would remove much more of this page than of the page that they were taught
// on: more than the middle between that share and the whole page.
func (h *Host) restrain(p *page.Page, m *page.Marking, actions []override.Action, of []uint64) {
	kept, taken := 0, map[uint64]int{}
	for b, v := range m.Verdicts {
		if v.Noise {
			continue
		}
		ink := p.BlockLen(page.BlockID(b))
		kept += ink
		for e := p.Blocks[b].Element; e != page.None; e = p.Elements[e].Parent {
			if of[e] != 0 {
				taken[of[e]] += ink
				break
			}
		}
	}
	for e, key := range of {
		if l := h.lessons[key]; key != 0 && l.Verdict == Noise && taken[key]*2*255 > kept*(int(l.share)+255) {
			actions[e] = override.None
		}
	}
}
