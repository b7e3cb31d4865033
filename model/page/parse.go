package page

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// ErrTooDeep says that the page has more open elements than the parser allows (512, golang/go#76279).
var ErrTooDeep = errors.New("more than 512 elements are open at once")

// Parse reads one HTML document as browsers do, malformed markup and charset included. src is kept, not copied, and
// must not be changed afterwards. contentType is the value of the Content-Type header, empty where there is none.
//
// The error wraps [ErrTooDeep] for a page that the parser refuses; such a page should go out untouched.
func Parse(src []byte, contentType string) (*Page, error) {
	if len(src) > maxSource {
		return nil, fmt.Errorf("page of %d bytes: larger than %d", len(src), maxSource)
	}
	enc := detectCharset(src, contentType)
	text, err := enc.decode(src)
	if err != nil {
		return nil, fmt.Errorf("decoding the page as %s: %w", enc.name, err)
	}
	tokens, err := readTokens(text)
	if err != nil {
		return nil, fmt.Errorf("parsing the page: %w", err)
	}
	doc, err := html.Parse(&markedReader{text: text, tokens: tokens})
	if err != nil {
		if strings.Contains(err.Error(), "exceeds 512") {
			return nil, fmt.Errorf("parsing the page: %w", ErrTooDeep)
		}
		return nil, fmt.Errorf("parsing the page: %w", err)
	}
	p := &Page{Source: src, Charset: enc.name, Body: None, contentType: contentType, text: text}
	f := flattener{p: p, tokens: tokens}
	f.document(doc)
	f.checkRawTexts()
	f.place()
	p.alignSource()
	p.findBlocks()
	return p, nil
}

// maxSource keeps offsets within int32, with room for annotations.
const maxSource = 256 << 20
