package base

import "fmt"

// An encoding is a frame (package codec) around the learned pages ([seen.Pages.Append]) and the body of the state.

// Overrun says by how much an encoding exceeds the limit.
type Overrun struct {
	// Size is the length of the encoding and Limit the allowed length, both in bytes.
	Size, Limit int
	// Fixed is the part of Size outside of the state: the frame and the learned pages.
	Fixed int
	// Round counts the encodings that were too long, including this one.
	Round int
}

// Share is the share of its size that the encoding may keep, in (0,1).
func (o Overrun) Share() float64 { return float64(o.Limit) / float64(o.Size) }

// Encode returns the versioned encoding of s, at most Limits.Encoded bytes. It leaves out the older URLs of learned
// pages when these take more than a quarter of the limit, and the least important parts of the state when the rest is
// too long. It does not change s.
func Encode[S State[S]](s S) ([]byte, error) {
	o := Overrun{Limit: s.Shared().limits.Encoded}
	for {
		b := s.Shared()
		head := b.appendLearned(o.Limit / 4)
		encoded := b.format.Seal(b.key, s.AppendBody(head))
		if len(encoded) <= o.Limit {
			return encoded, nil
		}
		o.Size, o.Fixed, o.Round = len(encoded), b.format.Overhead()+len(head), o.Round+1
		smaller, ok := s.Smaller(o)
		if !ok {
			return nil, fmt.Errorf("encoding a %s: at least %d bytes, over the limit of %d: raise the limit",
				b.format.What, o.Size, o.Limit)
		}
		s = smaller
	}
}

// appendLearned returns the encoding of the learned pages. It leaves out the older URLs if it would exceed most bytes.
func (b *Base) appendLearned(most int) []byte {
	pages := b.Learned // a copy: Shrink replaces the shared slices
	head := pages.Append(nil)
	for len(head) > most && pages.Shrink() {
		head = pages.Append(nil)
	}
	return head
}

// Load reads what [Encode] wrote into s, which must be new. It returns [model.ErrFormat] (wrapped) for damaged, foreign
// or newer input, together with [model.ErrMismatch] for another key; s must not be used then. A state beyond its budget
// is shrunk.
func Load[S State[S]](s S, encoded []byte) error {
	b := s.Shared()
	r, err := b.format.Open(b.key, b.limits.Encoded, encoded)
	if err != nil {
		return err
	}
	b.Learned.Read(r)
	s.ReadBody(r)
	if err := r.Close(); err != nil {
		return err
	}
	s.Settle()
	return nil
}
