package page

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

var (
	// ErrTooDeep says that the page has more open elements than the parser allows (512, golang/go#76279).
	ErrTooDeep = htmltree.ErrTooDeep
	// ErrTooMany says that the page has more elements, tags or attributes than any page needs, so that its tree would take
	// memory out of all proportion.
	ErrTooMany = htmltree.ErrTooMany
)

// Parse reads one HTML document as browsers do, malformed markup and charset included. src is kept, not copied, and
// must not be changed afterwards. contentType is the value of the Content-Type header, empty where there is none.
//
// The error wraps [ErrTooDeep] or [ErrTooMany] for a page that the parser refuses; such a page should go out untouched.
func Parse(src []byte, contentType string) (*Page, error) {
	return ParseContext(context.Background(), src, contentType)
}

// ParseContext is [Parse] for a page that may be given up: it stops with the context's error.
func ParseContext(ctx context.Context, src []byte, contentType string) (*Page, error) {
	if len(src) > maxSource {
		return nil, fmt.Errorf("page of %d bytes: larger than %d", len(src), maxSource)
	}
	enc := detectCharset(src, contentType)
	text, err := enc.decode(src)
	if err != nil {
		return nil, fmt.Errorf("decoding the page as %s: %w", enc.name, err)
	}
	p := &Page{Source: src, Charset: enc.name, Body: None, contentType: contentType, text: text}
	err = htmltree.Parse(string(text), ctx.Err, func(t *htmltree.Tree) error {
		p.flatten(t)
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("parsing the page: %w", err)
	}
	p.alignSource()
	p.findBlocks()
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(errors.New("parsing the page"), err)
	}
	return p, nil
}

// maxSource keeps offsets within int32, with room for annotations.
const maxSource = 256 << 20
