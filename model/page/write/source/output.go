// Package source writes the modes that keep the bytes of the origin: remove cuts the noise out, tag labels it, auto and
// hide hide it. Everything else stays byte for byte. No output has anything active that the page does not have.
package source

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/edit"
)

// ErrUnplaced says that the page has noise whose place in the source is not known, so it can't be removed.
var ErrUnplaced = errors.New("the noise has no place in the source")

// output checks that no inert part of the page became active in body, which is Source with edits.
func output(p *page.Page, edits edit.Edits, body []byte, removed float64) (*Output, error) {
	return outputWith(p, active.Own{}, edits, body, removed)
}

// outputWith is output with edits that may add parts of our own.
func outputWith(p *page.Page, own active.Own, edits edit.Edits, body []byte, removed float64) (*Output, error) {
	if !bytes.Equal(body, p.Source) {
		if err := active.Check(p, body, own); err != nil {
			return nil, fmt.Errorf("writing a page: %w", err)
		}
	}
	sent, untouched, err := p.Sent(body)
	if err != nil {
		return nil, fmt.Errorf("writing a page in %s: %w", p.Charset, err)
	}
	if !untouched {
		edits = nil // they are not those of the origin's bytes
	}
	return &Output{Body: sent, ContentType: p.MediaType() + "; charset=" + p.Charset, Removed: removed, Edits: edits}, nil
}

// Unchanged returns the page as the origin sent it.
func Unchanged(p *page.Page) (*Output, error) {
	out, err := output(p, edit.Edits{}, p.Source, 0)
	if err == nil {
		out.ContentType = "text/html; charset=" + p.Charset
	}
	return out, err
}

// Output is a page written in one mode.
type Output struct {
	Body []byte
	// ContentType is the value for the Content-Type header.
	ContentType string
	// Removed is the share of the page's visible text, in characters, that the output leaves out, in [0,1].
	Removed float64
	// Edits make Body from the page's bytes. They are nil if the mode writes a text of its own, or if Body had to be
	// encoded again.
	Edits edit.Edits
}
