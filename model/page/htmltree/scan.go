package htmltree

import (
	"strings"
	"sync"
)

// kind is the kind of a token.
type kind uint8

const (
	endOfPage kind = iota
	startTag
	endTag
	text
	comment
	doctype
)

// token is one token of the source: [start, end) is its range.
type token struct {
	kind       kind
	start, end int32
	// name is the name of a tag.
	name name
	// selfClosing says that a start tag ends in a slash that does not belong to an attribute.
	selfClosing bool
	// data is a text with its character references resolved. at is its offset in the source, or -1 if it differs from
	// the source.
	data string
	at   int32
	// unmarked says that a text's range must not be cut: it is raw text, or from a CDATA section.
	unmarked bool
	// implied says that the rules inserted the tag.
	implied bool
}

// scanner cuts a page into tokens (HTML §13.2.5) as x/net/html's tokenizer does.
type scanner struct {
	src string
	pos int
	// raw is the name of the element whose raw text comes next, empty for none. The tree builder empties it in svg and
	// math.
	raw string
	// cdata says that CDATA sections are texts: the current node is one of svg or math.
	cdata bool
	// attrs are the attributes of the start tag that was read last, without those that repeat a key.
	attrs []attrRange
	keys  map[string]bool
	// hasCR and hasNUL say that the page has such bytes at all.
	hasCR, hasNUL bool
	refs          decoder
	// There is no "&" from refFrom on before refAt.
	refFrom, refAt int
	names          pageNames
	// tagsOnly says that most texts are skipped, and no references in others are resolved.
	tagsOnly bool
	// escaped says that a comment decided where a script ends.
	escaped bool
}

//nolint:gochecknoglobals // room for the next page, of which nothing can be seen
var scanners = sync.Pool{New: func() any { return new(scanner) }}

func (s *scanner) reset(src string) {
	s.names.reset()
	*s = scanner{src: src, attrs: s.attrs[:0], names: s.names, hasCR: strings.IndexByte(src, '\r') >= 0, hasNUL: strings.IndexByte(src, 0) >= 0}
}

// next reads the next token into t.
func (s *scanner) next(t *token) {
	t.start, t.name, t.selfClosing, t.unmarked, t.implied = int32(s.pos), name{}, false, false, false
	if s.raw != "" && s.rawText(t) {
		return
	}
	for i := s.pos; ; i++ {
		lt := strings.IndexByte(s.src[i:], '<')
		if lt < 0 {
			break
		}
		i += lt
		kind := s.kindAt(i)
		if kind == text { // a "<" that opens nothing
			continue
		}
		if i > s.pos {
			if !s.tagsOnly {
				s.text(t, i)
				return
			}
			t.start, s.pos = int32(i), i
		}
		switch {
		case kind == startTag:
			s.startTag(t)
			return
		case kind == endTag:
			s.endTag(t)
			return
		case s.src[i:] == "</":
			s.text(t, i+2)
			return
		default:
			s.declaration(t)
			return
		}
	}
	if s.pos < len(s.src) {
		s.text(t, len(s.src))
		return
	}
	s.take(t, endOfPage, len(s.src))
}

// Tag is a start tag or an end tag.
type Tag struct {
	// Name is the name in lower case, Source the whole tag.
	Name, Source string
	// End says that it is an end tag, SelfClosing that a start tag ends in a slash.
	End, SelfClosing bool
}

// Tags calls visit with each tag of src, until visit returns false. It builds no tree, so the contents of
// a title or a style of svg count as raw text.
func Tags(src string, visit func(Tag) bool) {
	s, t := scanner{src: src, tagsOnly: true}, token{}
	for {
		s.next(&t)
		switch t.kind {
		case endOfPage:
			return
		case startTag, endTag:
			if !visit(Tag{s.names.text(t.name.id), src[t.start:t.end], t.kind == endTag, t.selfClosing}) {
				return
			}
		}
	}
}

// take moves the scanner to end.
func (s *scanner) take(t *token, k kind, end int) {
	t.kind, t.end = k, int32(end)
	if k == endOfPage {
		t.start = t.end
	}
	s.pos = end
}

// text reads a text up to end.
func (s *scanner) text(t *token, end int) {
	s.setData(t, s.src[s.pos:end], int32(s.pos), true)
	s.take(t, text, end)
}

// setData sets the data of a text at an offset of the source. refs says that it may have references.
func (s *scanner) setData(t *token, data string, at int32, refs bool) {
	t.data, t.at = data, at
	if s.hasCR && strings.IndexByte(data, '\r') >= 0 {
		t.data, t.at = s.refs.newlines(data), -1
	}
	if refs && !s.tagsOnly && s.hasRef(int(at), int(at)+len(data)) {
		t.data, t.at = s.refs.resolve(t.data, false), -1
	}
}

// hasRef reports whether a range of the source has a "&". Ranges are asked for in order, so that few need a search.
func (s *scanner) hasRef(start, end int) bool {
	if start < s.refFrom || s.refAt <= start {
		s.refFrom, s.refAt = start, len(s.src)
		if i := strings.IndexByte(s.src[start:], '&'); i >= 0 {
			s.refAt = start + i
		}
	}
	return s.refAt < end
}

// kindAt returns what the "<" at i opens.
func (s *scanner) kindAt(i int) kind {
	if i+1 == len(s.src) {
		return text
	}
	switch c := s.src[i+1]; {
	case isLetter(c):
		return startTag
	case c == '/' && i+2 < len(s.src) && isLetter(s.src[i+2]):
		return endTag
	case c == '/' || c == '!' || c == '?':
		return comment
	}
	return text
}

// declaration reads a comment, a doctype, a CDATA section or a bogus comment.
func (s *scanner) declaration(t *token) {
	rest := s.src[s.pos:]
	switch {
	case len(rest) >= len("<!doctype") && equalFold(rest[:len("<!doctype")], "<!doctype"):
		end := strings.IndexByte(rest, '>') + 1
		if end == 0 {
			end = len(rest)
		}
		s.take(t, doctype, s.pos+end)
	case s.cdata && strings.HasPrefix(rest, "<![CDATA["):
		s.cdataSection(t, rest)
	default:
		s.take(t, comment, commentEnd(s.src, s.pos))
	}
}

func (s *scanner) cdataSection(t *token, rest string) {
	const open, closing = len("<![CDATA["), "]]>"
	end, data, at := len(rest), rest[open:], int32(s.pos+open)
	if i := strings.Index(data, closing); i >= 0 {
		end, data = open+i+len(closing), data[:i]
	}
	s.setRaw(t, data, at, true)
	s.take(t, text, s.pos+end)
}

// commentEnd returns the end of the comment or bogus comment that opens at i.
func commentEnd(src string, i int) int {
	start, proper := i+2, strings.HasPrefix(src[i:], "<!--")
	if proper {
		start = i + len("<!--")
	} else if src[i+1] == '?' {
		start = i + 1
	}
	for at := start; ; {
		gt := strings.IndexByte(src[at:], '>')
		if gt < 0 {
			return len(src)
		}
		at += gt + 1
		body := src[start : at-1]
		if !proper || body == "" || body == "-" || strings.HasSuffix(body, "--") || strings.HasSuffix(body, "--!") {
			return at
		}
	}
}

// startTag reads the start tag at pos, the end of the page where the tag has no end.
func (s *scanner) startTag(t *token) {
	i := s.pos + 1 + nameLen(s.src[s.pos+1:])
	t.name = s.names.lookup(s.src[s.pos+1 : i])
	end := s.readAttrs(i)
	if end < 0 {
		s.take(t, endOfPage, len(s.src))
		return
	}
	if t.name.props&rawText != 0 {
		s.raw = s.names.text(t.name.id)
	}
	n := len(s.attrs)
	t.selfClosing = s.src[end-2] == '/' && (n == 0 || end-2 != int(s.attrs[n-1].valEnd)-1)
	s.take(t, startTag, end)
}

// endTag reads the end tag at pos, the end of the page where the tag has no end.
func (s *scanner) endTag(t *token) {
	i := s.pos + 2 + nameLen(s.src[s.pos+2:])
	t.name = s.names.lookup(s.src[s.pos+2 : i])
	end := i + 1
	if i == len(s.src) || s.src[i] != '>' {
		end = s.readAttrs(i)
	}
	if end < 0 {
		s.take(t, endOfPage, len(s.src))
		return
	}
	s.take(t, endTag, end)
}

// nameLen returns the length of the tag name that b starts with.
func nameLen(b string) int {
	for i := range len(b) {
		if byteClasses[b[i]]&endsName != 0 {
			return i
		}
	}
	return len(b)
}
