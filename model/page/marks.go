package page

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// The parser gives no positions (golang/go#34302), so they are smuggled through it: every start tag gets an attribute
// and every text a prefix that names its token. Both are taken out again when the tree is made flat. The prefix is
// framed by noncharacters, which no sensible page contains. Where a page does contain a mark, none is set, nothing in
// it has a place, and it can't be written: it passes untouched.
const (
	markAttr  = "winnow-at"
	markOpen  = "\uFDD0"
	markClose = "\uFDD1"
)

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

// readTokens returns the tokens of text that get position marks, and the end tags; none where the page holds a mark.
func readTokens(text []byte) ([]token, error) {
	if holdsMark(text) {
		return nil, nil
	}
	s, f := newScanner(text), &formatting{}
	tokens := make([]token, 0, min(2*bytes.Count(text, []byte("<")), len(text)/24)+1)
	last := html.ErrorToken
	for t := s.next(); t.kind != html.ErrorToken; last, t = t.kind, s.next() {
		b := text[t.start:t.end]
		switch t.kind {
		case html.StartTagToken:
			f.start(t.name, text[t.at:t.end])
			if f.inForeign() && isRawText(t.name) && html.NewTokenizer(bytes.NewReader(b)).Next() == html.SelfClosingTagToken {
				s.notRaw()
			}
			tokens = append(tokens, t)
		case html.EndTagToken:
			f.end(t.name)
			tokens = append(tokens, t)
		case html.TextToken:
			if t.raw > 0 {
				f.rawText(b)
				tokens[len(tokens)-1].raw = t.end
			} else if n := inkStart(b); n >= 0 && last != html.TextToken { // "</" at the end of the page must not run together with the text before
				t.at = t.start + int32(n)
				tokens = append(tokens, t)
			}
		}
	}
	return f.fit(tokens)
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

// referenceLen returns the length of the character reference whose ampersand stands before b. A number ends with its last
// digit, whether a semicolon follows or not (HTML §13.2.5.75 on).
func referenceLen(b []byte) int {
	const digits = "0123456789"
	name, of := 0, digits+"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	switch {
	case len(b) > 1 && b[0] == '#' && b[1]|0x20 == 'x':
		name, of = 2, digits+"abcdefABCDEF"
	case len(b) > 0 && b[0] == '#':
		name, of = 1, digits
	}
	end := len(b) - len(bytes.TrimLeft(b[name:], of))
	if end < len(b) && b[end] == ';' {
		end++
	}
	return end
}

// markedReader reads text with the position marks of its tokens.
type markedReader struct {
	text   []byte
	tokens []token
	// next is the token whose mark comes next; pos is how far text has been read.
	next int
	pos  int32
	// ahead is what to read before anything else, mark the room for it if it is a mark.
	ahead, mark []byte
}

// Read implements io.Reader.
func (r *markedReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(r.ahead) == 0 && !r.advance() {
			break
		}
		k := copy(p[n:], r.ahead)
		r.ahead = r.ahead[k:]
		n += k
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// advance puts the text before the next mark, or that mark, ahead. It returns false at the end.
func (r *markedReader) advance() bool {
	for r.next < len(r.tokens) && r.tokens[r.next].kind == html.EndTagToken {
		r.next++
	}
	switch {
	case r.next == len(r.tokens):
		r.ahead, r.pos = r.text[r.pos:], int32(len(r.text))
		return len(r.ahead) > 0
	case r.pos < r.tokens[r.next].at:
		r.ahead, r.pos = r.text[r.pos:r.tokens[r.next].at], r.tokens[r.next].at
	default:
		r.mark = appendMark(r.mark[:0], r.tokens[r.next].kind, r.next)
		r.ahead = r.mark
		r.next++
	}
	return true
}

// appendMark appends the position mark of the i-th token.
func appendMark(b []byte, kind html.TokenType, i int) []byte {
	if kind == html.TextToken {
		return append(strconv.AppendInt(append(b, markOpen...), int64(i), 10), markClose...)
	}
	return append(strconv.AppendInt(append(b, " "+markAttr+`="`...), int64(i), 10), '"')
}
