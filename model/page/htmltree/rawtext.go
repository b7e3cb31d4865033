package htmltree

import "strings"

// rawText reads the raw text at pos; false says that there is none.
func (s *scanner) rawText(t *token) bool {
	tag := s.raw
	s.raw = ""
	var end int
	switch tag {
	case "plaintext":
		end = len(s.src)
	case "script":
		end = s.scriptEnd(s.pos)
	default:
		end = rawEnd(s.src, s.pos, tag)
	}
	if end == s.pos {
		return false
	}
	s.setRaw(t, s.src[s.pos:end], int32(s.pos), tag == "title" || tag == "textarea")
	s.take(t, text, end)
	return true
}

// setRaw is setData for text that must not be cut. It replaces zero bytes.
func (s *scanner) setRaw(t *token, data string, at int32, refs bool) {
	if s.hasNUL && strings.IndexByte(data, 0) >= 0 {
		s.setData(t, strings.ReplaceAll(data, "\x00", "\uFFFD"), at, refs)
		t.at = -1
	} else {
		s.setData(t, data, at, refs)
	}
	t.unmarked = true
}

// rawEnd returns the offset of the end tag of a name from i on, or the end of the page.
func rawEnd(src string, i int, name string) int {
	for ; ; i++ {
		lt := strings.IndexByte(src[i:], '<')
		if lt < 0 {
			return len(src)
		}
		i += lt
		if endsRaw(src[i+1:], name) {
			return i
		}
	}
}

// endsRaw reports whether the end tag of a name follows a "<".
func endsRaw(rest, name string) bool {
	n := len(name) + 1
	return len(rest) > n && rest[0] == '/' && (isSpace(rest[n]) || rest[n] == '/' || rest[n] == '>') && equalFold(rest[1:n], name)
}

// scriptEnd returns the offset of the end tag of the script whose text begins at i. A comment in it may hide end tags
// (§13.2.5.15 to 31). It does as x/net/html does, and notes where the standard would end the script elsewhere.
func (s *scanner) scriptEnd(i int) int {
	end, early := commentedScriptEnd(s.src, i, false)
	if early {
		standard, _ := commentedScriptEnd(s.src, i, true)
		s.escaped = s.escaped || end != standard
	}
	return end
}

// commentedScriptEnd does the work of scriptEnd. early says that it left a comment where the standard would stay.
func commentedScriptEnd(src string, i int, standard bool) (end int, early bool) {
	for ; ; i++ {
		lt := strings.IndexByte(src[i:], '<')
		if lt < 0 {
			return len(src), early
		}
		i += lt
		switch {
		case endsRaw(src[i+1:], "script"):
			return i, early
		case strings.HasPrefix(src[i+1:], "!--"):
			end, found, left := escapedScriptEnd(src, i+len("<!--"), standard)
			if early = early || left; found {
				return end, early
			}
			i = end - 1
		}
	}
}

// escapedScriptEnd reads the comment in a script whose text begins at i. It returns the offset of the script's end tag,
// or that of the script text after the comment.
func escapedScriptEnd(src string, i int, standard bool) (end int, found, early bool) {
	dashes, double := 2, false
	for ; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '-':
			dashes++
			continue
		case c == '>' && dashes >= 2:
			return i + 1, false, false
		case c != '<':
		case !double && endsRaw(src[i+1:], "script"):
			return i, true, false
		case !double && !standard && i+1 < len(src) && src[i+1] != '/' && !isLetter(src[i+1]):
			return i + 1, false, true // x/net/html leaves the comment here
		case !double:
			double = beginsScript(src[i+1:])
		case endsRaw(src[i+1:], "script"):
			i += len("</script>") - 1
			double = false
		}
		dashes = 0
	}
	return len(src), false, false
}

// beginsScript reports whether the rest of a start tag of a script follows a "<".
func beginsScript(rest string) bool {
	const n = len("script")
	return len(rest) > n && (isSpace(rest[n]) || rest[n] == '/' || rest[n] == '>') && equalFold(rest[:n], "script")
}
