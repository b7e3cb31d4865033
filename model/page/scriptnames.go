package page

import (
	"hash/fnv"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// ScriptNames are the names in the code of a script file, by which it may look for elements. They are read-only; the
// zero value has none.
type ScriptNames struct {
	// words and selectors are sorted hashes of the names in [nameSet].
	words, selectors []uint32
}

// maxScriptNames is the most names of one file, about 128 KiB.
const maxScriptNames = 32 << 10

// NamesInScript returns the names in the code of a script file. ok is false for code that loads more code, which may
// contain other names, and for code with too many names.
func NamesInScript(code string) (names ScriptNames, ok bool) {
	if loadsMore(code) {
		return ScriptNames{}, false
	}
	set := nameSet{words: map[string]bool{}, selectors: map[string]bool{}}
	set.read(code)
	if len(set.words) > maxScriptNames {
		return ScriptNames{}, false
	}
	return ScriptNames{words: hashed(set.words), selectors: hashed(set.selectors)}, true
}

// Size is the memory of the names in bytes.
func (s ScriptNames) Size() int { return 4 * (cap(s.words) + cap(s.selectors)) }

func (s ScriptNames) has(sorted []uint32, name string) bool {
	_, found := slices.BinarySearch(sorted, nameHash(name))
	return found
}

func hashed(names map[string]bool) []uint32 {
	hashes := make([]uint32, 0, len(names))
	for n := range names {
		hashes = append(hashes, nameHash(n))
	}
	slices.Sort(hashes)
	return hashes
}

func nameHash(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum32()
}

// loadsMore reports whether code fetches other code: by import, or by an element whose address it builds.
func loadsMore(code string) bool {
	if strings.Contains(code, "import(") || strings.Contains(code, "importScripts") || strings.Contains(code, "import{") || strings.Contains(code, "import ") {
		return true
	}
	makes := strings.Contains(code, "createElement(\"script\")") || strings.Contains(code, "createElement('script')") || strings.Contains(code, "<script")
	return makes && (strings.Contains(code, ".js\"") || strings.Contains(code, ".js'") || strings.Contains(code, ".js`") || strings.Contains(code, ".js?"))
}

// nameSet collects names from code.
type nameSet struct {
	// words are all names. selectors are the tags in strings that select elements, because tags are too short to be
	// searched among variables.
	words, selectors map[string]bool
}

// read records the names in a piece of code.
func (n *nameSet) read(code string) {
	start := 0
	for i := 0; i <= len(code); i++ {
		if i < len(code) && isNameByte(code[i]) {
			continue
		}
		if start < i {
			n.words[code[start:i]] = true
		}
		start = i + 1
	}
	for {
		start := strings.IndexAny(code, "\"'`")
		if start < 0 {
			return
		}
		length := strings.IndexByte(code[start+1:], code[start])
		if length < 0 {
			return
		}
		if !strings.HasSuffix(code[:start], "createElement(") {
			n.addSelector(code[start+1 : start+1+length])
		}
		code = code[start+1+length+1:]
	}
}

// addSelector records the tags in a string if all of it can be a selector, unlike prose and markup.
func (n *nameSet) addSelector(s string) {
	const longest = 200
	if len(s) > longest || strings.ContainsAny(s, "</;{}!?") {
		return
	}
	var tags []string
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == ',' || r == '>' || r == '+' || r == '~' }) {
		tag := part
		if i := strings.IndexAny(part, ".#:[("); i >= 0 {
			tag = part[:i]
		}
		if tag != "" && tag != "*" && atom.Lookup([]byte(strings.ToLower(tag))) == 0 && !strings.Contains(tag, "-") {
			return
		}
		tags = append(tags, strings.ToLower(tag))
	}
	for _, t := range tags {
		n.selectors[t] = true
	}
}

// isNameByte reports whether a byte is part of a name; all characters outside ASCII are.
func isNameByte(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}
