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
	annotated, tokens, err := annotate(text)
	if err != nil {
		return nil, fmt.Errorf("parsing the page: %w", err)
	}
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
	f.checkRawTexts()
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
	// raw is the end of the text after a start tag that was read as no markup, 0 where there is none.
	raw int32
}

// annotate returns text with the position marks in it and the tokens that they name.
func annotate(text []byte) ([]byte, []token, error) {
	if holdsMark(text) {
		return text, nil, nil
	}
	out, tokens, fmts := annotateBut(text, nil)
	if len(fmts.loose) > 0 {
		out, tokens, fmts = annotateBut(text, fmts.loose)
	}
	if fmts.clones > maxClones || fmts.merges > maxMerges {
		return nil, nil, ErrTooCostly
	}
	return out, tokens, nil
}

// holdsMark reports whether text has something in it that would be taken for a position mark.
func holdsMark(text []byte) bool {
	if bytes.Contains(text, []byte(markOpen)) || bytes.Contains(text, []byte(markClose)) {
		return true
	}
	at := strings.IndexByte(markAttr, '-')
	for i := bytes.IndexByte(text, '-'); i >= 0; {
		if from, to := i-at, i-at+len(markAttr); from >= 0 && to <= len(text) && bytes.EqualFold(text[from:to], []byte(markAttr)) {
			return true
		}
		next := bytes.IndexByte(text[i+1:], '-')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return refersToMark(text)
}

// refersToMark reports whether text has a numeric character reference to a character of the marks.
func refersToMark(text []byte) bool {
	for {
		_, after, found := bytes.Cut(text, []byte("&#"))
		if !found {
			return false
		}
		text = after
		digits, base := after, 10
		if len(digits) > 0 && digits[0]|0x20 == 'x' {
			digits, base = digits[1:], 16
		}
		digits = bytes.TrimLeft(digits[:min(len(digits), 1<<10)], "0")
		for n := 4; n <= 5 && n <= len(digits); n++ {
			if c, err := strconv.ParseUint(string(digits[:n]), base, 32); err == nil && (c == 0xFDD0 || c == 0xFDD1) {
				return true
			}
		}
	}
}

// annotateBut is annotate, with the elements named in loose left without marks.
func annotateBut(text []byte, loose map[string]bool) ([]byte, []token, *formatting) {
	fmts := &formatting{}
	out := make([]byte, 0, len(text)+len(text)/2)
	tokens := make([]token, 0, len(text)/24)
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(0)
	pos, raw := int32(0), false
	for last, kind := html.ErrorToken, z.Next(); ; last, kind = kind, z.Next() {
		t := token{start: pos, end: pos + int32(len(z.Raw())), kind: kind}
		pos = t.end
		b := text[t.start:t.end] // and not z.Raw(), in which TagAttr resolves references
		switch kind {
		case html.ErrorToken:
			return append(out, text[t.start:]...), tokens, fmts
		case html.StartTagToken, html.SelfClosingTagToken:
			n := nameEnd(b)
			name, _ := z.TagName()
			fmts.start(z, string(name))
			if raw = isRawText(name); raw && kind == html.SelfClosingTagToken && fmts.inForeign() {
				raw = false
				z.NextIsNotRawText()
			}
			if loose[string(name)] {
				out = append(out, b...)
				continue
			}
			out = append(out, b[:n]...)
			out = append(out, " "+markAttr+`="`...)
			out = strconv.AppendInt(out, int64(len(tokens)), 10)
			out = append(out, '"')
			out = append(out, b[n:]...)
			tokens = append(tokens, t)
			continue
		case html.EndTagToken:
			name, _ := z.TagName()
			t.name = string(name)
			fmts.end(t.name)
			tokens = append(tokens, t)
			out = append(out, b...)
		case html.TextToken:
			if raw {
				fmts.rawText(b)
				tokens[len(tokens)-1].raw = t.end
			}
			// A text right after a text ("</" at the end of the page) must not run together with it.
			if n := inkStart(b); n >= 0 && !raw && last != html.TextToken {
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
	switch string(name) {
	case "script", "style", "textarea", "title", "iframe", "noembed", "noframes", "noscript", "plaintext", "xmp":
		return true
	}
	return false
}

// inkStart returns the index of the first byte of b that is not white space, -1 if there is none. White space must
// stay white space, for the parser treats it apart (in tables, before body), and so it does where references stand
// for it.
func inkStart(b []byte) int {
	const space = " \t\r\n\f\x00"
	for i := 0; i < len(b); {
		switch {
		case strings.IndexByte(space, b[i]) >= 0:
			i++
		case b[i] == '&' && i+1 < len(b):
			end := i + 1 + referenceLen(b[i+1:])
			if strings.Trim(html.UnescapeString(string(b[i:end])), space) != "" {
				return i
			}
			i = end
		default:
			return i
		}
	}
	return -1
}

// referenceLen returns the length of the character reference whose ampersand stands before b.
func referenceLen(b []byte) int {
	for i, c := range b {
		switch {
		case c == ';':
			return i + 1
		case c == '#' && i == 0, '0' <= c && c <= '9', 'a' <= c|0x20 && c|0x20 <= 'z':
		default:
			return i
		}
	}
	return len(b)
}
