package page

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// token is one start tag, end tag or text of the source, as a range of the UTF-8 text.
type token struct {
	start, end int32
	// at is where the position mark goes, unless it is an end tag.
	at int32
	// raw is the end of the text after a start tag that was read as no markup, 0 where there is none.
	raw  int32
	kind html.TokenType
	// name is the lower-case name of a tag.
	name string
}

// scanner finds where the tokens of a page stand, just as the parser's tokenizer does (HTML §13.2.5). That one takes five
// times as long, most of it for attributes, which nobody asks for here.
type scanner struct {
	text []byte
	pos  int
	// rawTag is where the start tag before pos stands if raw text follows it, else -1.
	rawTag int
}

func newScanner(text []byte) *scanner { return &scanner{text: text, rawTag: -1} }

// next returns the next token: a start tag (also for a self-closing one), an end tag, a text, a comment (also for
// a doctype), or an error at the end of the page, with what is left of a tag that was cut off.
func (s *scanner) next() token {
	if s.rawTag >= 0 {
		if t, ok := s.rawText(); ok {
			return t
		}
	}
	for i := s.pos; ; i++ {
		lt := bytes.IndexByte(s.text[i:], '<')
		if lt < 0 {
			break
		}
		i += lt
		kind := s.kindAt(i)
		switch {
		case kind == html.TextToken: // a "<" that opens nothing
		case i > s.pos:
			return s.take(html.TextToken, i)
		case kind == html.StartTagToken:
			return s.tag(kind, i+1)
		case kind == html.EndTagToken:
			return s.tag(kind, i+2)
		case string(s.text[i:]) == "</":
			return s.take(html.TextToken, i+2)
		default:
			return s.take(kind, s.commentEnd(i))
		}
	}
	if s.pos < len(s.text) {
		return s.take(html.TextToken, len(s.text))
	}
	return s.take(html.ErrorToken, len(s.text))
}

// take moves on to end and returns what lies before it.
func (s *scanner) take(kind html.TokenType, end int) token {
	t := token{start: int32(s.pos), end: int32(end), kind: kind}
	s.pos = end
	return t
}

// kindAt says what the "<" at i opens.
func (s *scanner) kindAt(i int) html.TokenType {
	switch rest := s.text[i+1:]; {
	case len(rest) == 0:
		return html.TextToken
	case isLetter(rest[0]):
		return html.StartTagToken
	case rest[0] == '/' && len(rest) > 1 && isLetter(rest[1]):
		return html.EndTagToken
	case rest[0] == '/' || rest[0] == '!' || rest[0] == '?':
		return html.CommentToken
	}
	return html.TextToken
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// commentEnd returns the end of the comment, doctype or bogus comment that opens at i.
func (s *scanner) commentEnd(i int) int {
	start, proper := i+2, bytes.HasPrefix(s.text[i:], []byte("<!--"))
	if proper {
		start = i + len("<!--")
	} else if s.text[i+1] == '?' {
		start = i + 1
	}
	for at := start; ; {
		gt := bytes.IndexByte(s.text[at:], '>')
		if gt < 0 {
			return len(s.text)
		}
		at += gt + 1
		body := s.text[start : at-1]
		if !proper || len(body) == 0 || string(body) == "-" || bytes.HasSuffix(body, []byte("--")) || bytes.HasSuffix(body, []byte("--!")) {
			return at
		}
	}
}

// tag reads the tag whose name stands at i.
func (s *scanner) tag(kind html.TokenType, i int) token {
	start, at := s.pos, i+nameLen(s.text[i:])
	end := tagEnd(s.text, at)
	if end < 0 {
		return s.take(html.ErrorToken, len(s.text))
	}
	t := s.take(kind, end)
	t.at, t.name = int32(at), tagName(s.text[i:at])
	if kind == html.StartTagToken && isRawText(t.name) {
		s.rawTag = start
	}
	return t
}

// nameLen returns the length of the tag name that b starts with.
func nameLen(b []byte) int {
	for i, c := range b {
		if c == '/' || c == '>' || isSpaceByte(c) {
			return i
		}
	}
	return len(b)
}

// nameEnd returns the index after the name in the start tag b.
func nameEnd(b []byte) int { return 1 + nameLen(b[1:]) }

// tagEnd returns the end of the tag whose attributes stand at i, -1 where b ends before.
func tagEnd(b []byte, i int) int {
	for i = skipSpace(b, i); i < len(b); i = skipSpace(b, i) {
		if b[i] == '>' {
			return i + 1
		}
		first := i
		for i < len(b) && b[i] != '/' && b[i] != '>' && !isSpaceByte(b[i]) && (b[i] != '=' || i == first) {
			i++
		}
		i = skipSpace(b, i)
		switch {
		case i < len(b) && b[i] == '/':
			i++
		case i < len(b) && b[i] == '=':
			i = valueEnd(b, skipSpace(b, i+1))
		}
	}
	return -1
}

// valueEnd returns the end of the attribute value at i.
func valueEnd(b []byte, i int) int {
	if i < len(b) && (b[i] == '"' || b[i] == '\'') {
		end := bytes.IndexByte(b[i+1:], b[i])
		if end < 0 {
			return len(b)
		}
		return i + 1 + end + 1
	}
	for i < len(b) && b[i] != '>' && !isSpaceByte(b[i]) {
		i++
	}
	return i
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpaceByte(b[i]) {
		i++
	}
	return i
}

func isSpaceByte(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }

// tagName returns the name that stands in a tag as name, in lower case. Names that HTML knows cost no memory.
func tagName(name []byte) string {
	var buf [16]byte
	lower := buf[:0]
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		lower = append(lower, c)
	}
	return strings.ReplaceAll(atom.String(lower), "\x00", "\uFFFD")
}

// isRawText reports whether what follows the start tag name is not markup, so that marks would end up in it.
func isRawText(name string) bool {
	switch name {
	case "script", "style", "textarea", "title", "iframe", "noembed", "noframes", "noscript", "plaintext", "xmp":
		return true
	}
	return false
}

// rawText reads the raw text at pos; false says that it is empty. The token's raw is its end.
func (s *scanner) rawText() (token, bool) {
	start := s.rawTag
	s.rawTag = -1
	end := s.rawEnd(tagName(s.text[start+1 : start+nameEnd(s.text[start:])]))
	if end < 0 {
		z := html.NewTokenizer(bytes.NewReader(s.text[start:]))
		z.Next()
		end = s.pos
		if z.Next() == html.TextToken {
			end += len(z.Raw())
		}
	}
	if end == s.pos {
		return token{}, false
	}
	t := s.take(html.TextToken, end)
	t.raw = t.end
	return t, true
}

// rawEnd returns the end of the raw text at pos in an element of the given name: its end tag or the end of the page.
// It returns -1 for a script with a comment in it, which may hide end tags (HTML §13.2.5.20).
func (s *scanner) rawEnd(name string) int {
	for i := s.pos; name != "plaintext"; i++ {
		lt := bytes.IndexByte(s.text[i:], '<')
		if lt < 0 {
			break
		}
		i += lt
		rest := s.text[i+1:]
		if name == "script" && len(rest) > 0 && rest[0] == '!' {
			return -1
		}
		if len(rest) > len(name)+1 && rest[0] == '/' && nameLen(rest[1:]) == len(name) && bytes.EqualFold(rest[1:len(name)+1], []byte(name)) {
			return i
		}
	}
	return len(s.text)
}

// notRaw says that what follows the start tag just read is markup.
func (s *scanner) notRaw() { s.rawTag = -1 }
