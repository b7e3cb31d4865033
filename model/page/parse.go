package page

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
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
	annotated, tokens := annotate(text)
	doc, err := html.Parse(bytes.NewReader(annotated))
	if err != nil {
		if strings.Contains(err.Error(), "exceeds 512") {
			return nil, fmt.Errorf("parsing the page: %w", ErrTooDeep)
		}
		return nil, fmt.Errorf("parsing the page: %w", err)
	}
	p := &Page{Source: src, Charset: enc.name, Body: None, contentType: contentType, text: text}
	f := flattener{p: p, tokens: tokens}
	f.document(doc)
	f.place()
	p.alignSource()
	p.findBlocks()
	return p, nil
}

// maxSource keeps offsets within int32, with room for annotations.
const maxSource = 256 << 20

// The parser gives no positions (golang/go#34302), so they are smuggled through it: every start tag gets an attribute
// and every text a prefix that names its token. Both are taken out again when the tree is made flat. The prefix is
// framed by noncharacters, which no sensible page contains. Where a page does contain a mark, none is set, nothing in
// it has a place, and it can't be written: it passes untouched.
const (
	markAttr  = "winnow-at"
	markOpen  = "\uFDD0"
	markClose = "\uFDD1"
)

// token is one start tag, end tag or text of the source, as a range of the UTF-8 text.
type token struct {
	start, end int32
	kind       html.TokenType
	// name is the lower-case name of an end tag.
	name string
}

// annotate returns text with the position marks in it and the tokens that they name.
func annotate(text []byte) ([]byte, []token) {
	if bytes.Contains(text, []byte(markOpen)) || bytes.Contains(text, []byte(markAttr)) {
		return text, nil
	}
	out := make([]byte, 0, len(text)+len(text)/2)
	tokens := make([]token, 0, len(text)/24)
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(0)
	pos, raw := int32(0), false
	for {
		kind := z.Next()
		b := z.Raw()
		t := token{start: pos, end: pos + int32(len(b)), kind: kind}
		pos = t.end
		switch kind {
		case html.ErrorToken:
			return append(out, text[t.start:]...), tokens
		case html.StartTagToken, html.SelfClosingTagToken:
			n := nameEnd(b)
			out = append(out, b[:n]...)
			out = append(out, " "+markAttr+`="`...)
			out = strconv.AppendInt(out, int64(len(tokens)), 10)
			out = append(out, '"')
			out = append(out, b[n:]...)
			tokens = append(tokens, t)
			raw = isRawText(b[1:n])
			continue
		case html.EndTagToken:
			name, _ := z.TagName()
			t.name = string(name)
			tokens = append(tokens, t)
			out = append(out, b...)
		case html.TextToken:
			if n := inkStart(b); n >= 0 && !raw {
				out = append(out, b[:n]...)
				out = append(out, markOpen...)
				out = strconv.AppendInt(out, int64(len(tokens)), 10)
				out = append(out, markClose...)
				out = append(out, b[n:]...)
				tokens = append(tokens, t)
			} else {
				out = append(out, b...)
			}
		default:
			out = append(out, b...)
		}
		raw = false
	}
}

// nameEnd returns the index after the tag name in the start tag b.
func nameEnd(b []byte) int {
	if n := bytes.IndexAny(b, " \t\r\n\f/>"); n > 0 {
		return n
	}
	return len(b) - 1
}

// isRawText reports whether what follows the start tag name is not markup, so that marks would end up in it.
func isRawText(name []byte) bool {
	switch string(bytes.ToLower(name)) {
	case "script", "style", "textarea", "title", "iframe", "noembed", "noframes", "noscript", "plaintext", "xmp":
		return true
	}
	return false
}

// inkStart returns the index of the first byte of b that is not white space, -1 if there is none. White space must
// stay white space, for the parser treats it apart (in tables, before body).
func inkStart(b []byte) int {
	ink := func(r rune) bool { return !strings.ContainsRune(" \t\r\n\f\x00", r) }
	n := bytes.IndexFunc(b, ink)
	if n >= 0 && b[n] == '&' && strings.IndexFunc(html.UnescapeString(string(b)), ink) < 0 {
		return -1
	}
	return n
}
