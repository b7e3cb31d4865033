package script

import (
	"hash/fnv"
	"slices"
	"strings"
)

// Names are the names in the code of a script file, by which it may look for elements. They are read-only; the
// zero value has none.
type Names struct {
	// words and selectors are sorted hashes of names in code and in selectors.
	words, selectors []uint32
}

// maxScriptNames is the most names of one file, about 128 KiB.
const maxScriptNames = 32 << 10

// NamesIn returns the names in the code of a script file. ok is false for code that loads more code, which may
// contain other names, and for code with too many names.
func NamesIn(code string) (names Names, ok bool) {
	if loadsMore(code) {
		return Names{}, false
	}
	set := newNameSet()
	defer set.release()
	set.read(code)
	names = Names{words: set.hashes(inCode), selectors: set.hashes(inSelector)}
	if len(names.words) > maxScriptNames {
		return Names{}, false
	}
	return names, true
}

// Size is the memory of the names in bytes.
func (s Names) Size() int { return 4 * (cap(s.words) + cap(s.selectors)) }

func (s Names) has(sorted []uint32, name string) bool {
	_, found := slices.BinarySearch(sorted, nameHash(name))
	return found
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
