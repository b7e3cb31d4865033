package htmltree

import "strings"

// attrRange has the ranges of the key and the value of an attribute.
type attrRange struct {
	keyStart, keyEnd, valStart, valEnd int32
}

// readAttrs reads the attributes of a tag from i on, and returns the end of the tag, -1 where it has none.
func (s *scanner) readAttrs(i int) int {
	b := s.src
	s.attrs = s.attrs[:0]
	for i = skipSpace(b, i); i < len(b); i = skipSpace(b, i) {
		if b[i] == '>' {
			return i + 1
		}
		var a attrRange
		a, i = readAttr(b, i)
		s.addAttr(a)
	}
	return -1
}

// readAttr reads the attribute at i and returns what comes after it.
func readAttr(b string, i int) (a attrRange, next int) {
	a.keyStart = int32(i)
	if i < len(b) && b[i] == '=' {
		i++ // a key may begin with it
	}
	for i < len(b) && byteClasses[b[i]]&endsKey == 0 {
		i++
	}
	a.keyEnd = int32(i)
	a.valStart, a.valEnd = a.keyEnd, a.keyEnd
	i = skipSpace(b, i)
	switch {
	case i < len(b) && b[i] == '/':
		i++
	case i < len(b) && b[i] == '=':
		i = a.readValue(b, skipSpace(b, i+1))
	}
	return a, i
}

// Keys calls visit with the key of each attribute of a start tag, in lower case, and with its offset in the tag. It
// includes repeated keys, which have no effect.
func Keys(tag string, visit func(key string, at int)) {
	i := skipSpace(tag, 1+nameLen(tag[1:]))
	for i < len(tag) && tag[i] != '>' {
		a, next := readAttr(tag, i)
		visit(lowerName(tag[a.keyStart:a.keyEnd]), i)
		i = skipSpace(tag, next)
	}
}

// readValue reads the attribute value at i and returns what comes after it.
func (a *attrRange) readValue(b string, i int) int {
	if i < len(b) && (b[i] == '"' || b[i] == '\'') {
		end := strings.IndexByte(b[i+1:], b[i])
		if end < 0 {
			return len(b)
		}
		a.valStart, a.valEnd = int32(i+1), int32(i+1+end)
		return i + 1 + end + 1
	}
	a.valStart = int32(i)
	for i < len(b) && byteClasses[b[i]]&endsValue == 0 {
		i++
	}
	a.valEnd = int32(i)
	return i
}

func skipSpace(b string, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// attr returns the attribute of a range.
func (s *scanner) attr(a attrRange) Attr {
	return Attr{Key: lowerName(s.src[a.keyStart:a.keyEnd]), Val: s.value(a)}
}

// value returns the value of an attribute with its references resolved.
func (s *scanner) value(a attrRange) string {
	v := s.src[a.valStart:a.valEnd]
	if s.hasNUL {
		v = strings.ReplaceAll(v, "\x00", "\uFFFD")
	}
	if s.hasCR {
		v = s.refs.newlines(v)
	}
	if s.hasRef(int(a.valStart), int(a.valEnd)) {
		v = s.refs.resolve(v, true)
	}
	return v
}

// fewAttrs is how many attributes are compared one by one.
const fewAttrs = 16

// addAttr adds an attribute unless it has no key or one that the tag has already.
func (s *scanner) addAttr(a attrRange) {
	if a.keyStart == a.keyEnd {
		return
	}
	key := s.src[a.keyStart:a.keyEnd]
	switch n := len(s.attrs); {
	case n < fewAttrs:
		for _, o := range s.attrs {
			if o.keyEnd-o.keyStart == a.keyEnd-a.keyStart && sameKey(s.src[o.keyStart:o.keyEnd], key) {
				return
			}
		}
	default:
		if s.keys == nil || n == fewAttrs {
			s.keys = make(map[string]bool)
			for _, o := range s.attrs {
				s.keys[lowerASCII(s.src[o.keyStart:o.keyEnd])] = true
			}
		}
		low := lowerASCII(key)
		if s.keys[low] {
			return
		}
		s.keys[low] = true
	}
	s.attrs = append(s.attrs, a)
}

func sameKey(a, b string) bool {
	for i := range len(a) {
		if x, y := a[i], b[i]; x != y && (x|0x20 != y|0x20 || !isLetter(x)) {
			return false
		}
	}
	return true
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
