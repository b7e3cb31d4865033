package page

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/winnow-proxy/winnow/model/page/charset"
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
	enc := charset.Detect(src, contentType)
	text, err := enc.Decode(src)
	if err != nil {
		return nil, fmt.Errorf("decoding the page as %s: %w", enc.Name, err)
	}
	p := &Page{Source: src, Charset: enc.Name, Body: None, contentType: contentType, text: text}
	err = htmltree.Parse(InPlace(text), ctx.Err, func(t *htmltree.Tree) error {
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

// InPlace returns a string without a copy of b, which must not be changed afterwards.
func InPlace(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// maxSource keeps offsets within int32, with room for annotations.
const maxSource = 256 << 20

// WithTree parses a text in UTF-8, and calls use with its elements, attributes and texts. They have neither blocks
// nor a source, and last until use returns.
func WithTree(text string, use func(*Page) error) error {
	p := trees.Get().(*Page)
	defer p.reuse()
	err := htmltree.Parse(text, nil, func(t *htmltree.Tree) error {
		p.flatten(t)
		return nil
	})
	if err != nil {
		return fmt.Errorf("parsing the output: %w", err)
	}
	return use(p)
}

//nolint:gochecknoglobals // room for the next tree, of which nothing can be seen
var trees = sync.Pool{New: func() any { return new(Page) }}

// reuse keeps the memory of a page that nobody else uses for the next tree, unless it is far larger than most need.
func (p *Page) reuse() {
	const most = 1 << 14
	if cap(p.Elements) > most || cap(p.Texts) > most {
		return
	}
	clear(p.Elements)
	clear(p.Texts)
	p.Elements, p.Texts, p.attrs, p.fragile, p.Body = p.Elements[:0], p.Texts[:0], nil, 0, None
	trees.Put(p)
}

// Refill parses a text in UTF-8 that takes the place of p: what p brings along has been put in its place. Outputs of
// the new page are in the charset and type of p.
func (p *Page) Refill(ctx context.Context, text []byte) (*Page, error) {
	after, err := ParseContext(ctx, text, "text/html; charset=utf-8")
	if err != nil {
		return nil, err
	}
	after.Charset, after.contentType = p.Charset, p.contentType
	after.filled, after.recode = true, p.Charset != "utf-8"
	return after, nil
}

// InUTF8 returns a page whose places are those of its text in UTF-8: p itself if they are.
func (p *Page) InUTF8(ctx context.Context) (*Page, error) {
	if len(p.text) == len(p.Source) && &p.text[0] == &p.Source[0] {
		return p, nil
	}
	return ParseContext(ctx, p.text, "text/html; charset=utf-8")
}
