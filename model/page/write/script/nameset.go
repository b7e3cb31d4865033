package script

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// nameKind says where the names of a nameSet come from.
type nameKind uint8

const (
	// inCode is for all names in code.
	inCode nameKind = 1 + iota
	// inSelector is for the tags in strings that select elements, because tags are too short to be searched among
	// variables.
	inSelector
	// The others are tags, classes, values of class attributes, and the keys of data attributes.
	isTag
	isClass
	isClassList
	isData
)

// nameSet is a set of names of several kinds: a hash table with open addressing, whose memory the next page reuses.
// Maps would take twice the time.
type nameSet struct {
	seed  maphash.Seed
	slots []namedSlot // a power of two, at most half of them in use
	count int
}

type namedSlot struct {
	name string
	hash uint32
	kind nameKind // 0 in an empty slot
}

//nolint:gochecknoglobals // room for the next set, of which nothing can be seen
var nameSets = sync.Pool{New: func() any { return &nameSet{seed: maphash.MakeSeed(), slots: make([]namedSlot, 1<<9)} }}

func newNameSet() *nameSet { return nameSets.Get().(*nameSet) }

// release gives the memory back, unless it is far more than most pages need.
func (n *nameSet) release() {
	const most = 1 << 14
	if len(n.slots) <= most {
		clear(n.slots)
		n.count = 0
		nameSets.Put(n)
	}
}

// add adds a name, and reports whether it is new.
func (n *nameSet) add(kind nameKind, name string) bool {
	hash := n.hash(kind, name)
	s := n.find(kind, hash, name)
	if s.kind != 0 {
		return false
	}
	*s = namedSlot{name, hash, kind}
	if n.count++; 2*n.count > len(n.slots) {
		n.grow()
	}
	return true
}

func (n *nameSet) has(kind nameKind, name string) bool {
	return n.find(kind, n.hash(kind, name), name).kind != 0
}

func (n *nameSet) hash(kind nameKind, name string) uint32 {
	return uint32(maphash.String(n.seed, name)) + uint32(kind)
}

// find returns the slot of a name, or the empty one for it.
func (n *nameSet) find(kind nameKind, hash uint32, name string) *namedSlot {
	mask := uint32(len(n.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if s := &n.slots[i]; s.kind == 0 || s.hash == hash && s.kind == kind && s.name == name {
			return s
		}
	}
}

func (n *nameSet) grow() {
	old := n.slots
	n.slots = make([]namedSlot, 2*len(old))
	for _, s := range old {
		if s.kind != 0 {
			*n.find(s.kind, s.hash, s.name) = s
		}
	}
}

// hashes returns the sorted hashes of the names of a kind.
func (n *nameSet) hashes(kind nameKind) []uint32 {
	hashes := []uint32{}
	for _, s := range n.slots {
		if s.kind == kind {
			hashes = append(hashes, nameHash(s.name))
		}
	}
	slices.Sort(hashes)
	return slices.Clip(hashes)
}

// codeByte says what a byte is in code.
type codeByte uint8

const (
	// nameByte bytes are part of a name; all characters outside ASCII are.
	nameByte codeByte = 1 << iota
	quote
	// unselective bytes are in no selector, unlike in prose and markup.
	unselective
	// combinator bytes separate the parts of a selector, endsTag bytes end the tag that a part may begin with.
	combinator
	endsTag
)

//nolint:gochecknoglobals // a constant table
var codeBytes = func() (t [256]codeByte) {
	for c := range t {
		if page.IsWordByte(byte(c)) || c == '-' || c == '_' || c >= 0x80 {
			t[c] = nameByte
		}
	}
	for kind, list := range map[codeByte]string{quote: "\"'`", unselective: "</;{}!?", combinator: " ,>+~", endsTag: ".#:[("} {
		for i := range len(list) {
			t[list[i]] |= kind
		}
	}
	return t
}()

// read adds the names in a piece of code.
func (n *nameSet) read(code string) {
	for i := 0; i < len(code); i++ {
		start := i
		for i < len(code) && codeBytes[code[i]]&nameByte != 0 {
			i++
		}
		if start < i {
			n.add(inCode, code[start:i])
		}
	}
	for {
		start := indexCode(code, quote)
		if start == len(code) {
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

// indexCode returns the index of the first byte of a kind, or the length of code.
func indexCode(code string, kind codeByte) int {
	for i := range len(code) {
		if codeBytes[code[i]]&kind != 0 {
			return i
		}
	}
	return len(code)
}

// addSelector adds the tags in a string if all of it can be a selector.
func (n *nameSet) addSelector(s string) {
	const longest = 200
	if len(s) > longest || indexCode(s, unselective) < len(s) {
		return
	}
	var few [8]string
	tags := few[:0]
	for s != "" {
		part := s[:indexCode(s, combinator)]
		if s = s[min(len(part)+1, len(s)):]; part == "" {
			continue
		}
		tag := strings.ToLower(part[:indexCode(part, endsTag)])
		if tag != "" && tag != "*" && atom.Lookup([]byte(tag)) == 0 && !strings.Contains(tag, "-") {
			return
		}
		tags = append(tags, tag)
	}
	for _, t := range tags {
		n.add(inSelector, t)
	}
}
