package page

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

var (
	// ErrTooDeep says that the page has more open elements than the parser allows (512, golang/go#76279).
	ErrTooDeep = htmltree.ErrTooDeep
	// ErrTooMany says that the page has more elements, tags or attributes than any real page needs, so that its tree
	// would take too much memory.
	ErrTooMany = htmltree.ErrTooMany
)

// Parse reads one HTML document as browsers do, including malformed markup and its charset. The texts and attributes of
// the page are parts of src, so src must never be changed afterwards. contentType is the value of the Content-Type
// header, empty if there is none.
//
// The error wraps [ErrTooDeep] or [ErrTooMany] for a page that the parser refuses. Such a page should pass unchanged.
func Parse(src []byte, contentType string) (*Page, error) {
	return ParseContext(context.Background(), src, contentType)
}

// ParseContext is [Parse] with a context. It stops with the context's error.
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
	err = htmltree.Parse(inPlace(text), ctx.Err, func(t *htmltree.Tree) error {
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

// inPlace returns a string without a copy of b, which must not be changed afterwards.
func inPlace(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// maxSource keeps offsets within int32, with room for annotations.
const maxSource = 256 << 20
