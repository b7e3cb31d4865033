package page

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Output is a page written in one mode.
type Output struct {
	Body []byte
	// ContentType is the value for the Content-Type header.
	ContentType string
	// Removed is the share of the page's visible text, in characters, that the output leaves out, in [0,1].
	Removed float64
	// Edits make Body from the page's bytes. They are nil if the mode writes a text of its own, or if Body had to be
	// encoded again.
	Edits Edits
}

// ErrUnplaced says that the page has noise whose place in the source is not known, so it can't be removed.
var ErrUnplaced = errors.New("the noise has no place in the source")

// Write is [Form.Write] of a form that is only a mode.
func Write(p *Page, m *Marking, mode Mode) (*Output, error) { return Form{Mode: mode}.Write(p, m) }

// output checks that no inert part of the page became active in body, which is Source with edits.
func (p *Page) output(edits Edits, body []byte, mediaType string, removed float64) (*Output, error) {
	if !bytes.Equal(body, p.Source) {
		if err := p.checkLive(body); err != nil {
			return nil, fmt.Errorf("writing a page: %w", err)
		}
	}
	if p.filled {
		edits = nil // they are not those of the origin's bytes
	}
	if p.recode {
		edits = nil
		var err error
		if body, err = p.encodeAgain(body); err != nil {
			return nil, fmt.Errorf("writing a page in %s: %w", p.Charset, err)
		}
	}
	return &Output{Body: body, ContentType: mediaType + "; charset=" + p.Charset, Removed: removed, Edits: edits}, nil
}

// encodeAgain returns body in the encoding of the page, with its byte order mark.
func (p *Page) encodeAgain(body []byte) ([]byte, error) {
	if p.origin != nil && bytes.Equal(body, p.Source) {
		return p.origin, nil // encoding again would repair broken sequences
	}
	enc, err := encodingByName(p.Charset)
	if err != nil {
		return nil, err
	}
	encoded, err := enc.encode(body)
	if err != nil {
		return nil, err
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if strings.HasPrefix(p.Charset, "utf-16") && bytes.HasPrefix(p.origin, []byte(mark)) && !bytes.HasPrefix(encoded, []byte(mark)) {
			return append([]byte(mark), encoded...), nil
		}
	}
	return encoded, nil
}

// removedShare is the share of visible characters in noisy blocks.
func (p *Page) removedShare(m *Marking) float64 { return p.countInk(m).removed() }

// inkCount counts the visible characters of a page.
type inkCount struct {
	// kept has the number of characters of content before each block and before the end of the page.
	kept []int
	all  int
}

func (p *Page) countInk(m *Marking) inkCount {
	c := inkCount{kept: make([]int, len(p.Blocks)+1)}
	for b := range p.Blocks {
		n := p.BlockLen(BlockID(b))
		c.all += n
		if m.Verdicts[b].Noise {
			n = 0
		}
		c.kept[b+1] = c.kept[b] + n
	}
	return c
}

// removed is the share of characters in noisy blocks.
func (c inkCount) removed() float64 {
	if c.all == 0 {
		return 0
	}
	return float64(c.all-c.kept[len(c.kept)-1]) / float64(c.all)
}
