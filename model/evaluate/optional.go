package evaluate

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// optionalKind is a kind of parts on which readers differ, such as comments: "optional" in site.json. Such parts are
// neither content nor noise, so gold, page and output are compared without them.
type optionalKind struct {
	name string
	sels []cascadia.Sel
}

// compileOptional compiles the selectors of each kind. The kinds are in order of name: an element that matches several
// is of the first.
func compileOptional(byKind map[string]oneOrMany) (kinds []optionalKind, err error) {
	for name, exprs := range byKind {
		sels, err := compile(exprs)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, optionalKind{name, sels})
	}
	slices.SortFunc(kinds, func(a, b optionalKind) int { return strings.Compare(a.name, b.name) })
	return kinds, nil
}

// notOptional stands for no kind.
const notOptional = -1

// optionalOf is the index of the kind that an element is of by itself, or notOptional.
func (s selectors) optionalOf(n *html.Node) int8 {
	for i, k := range s.optional {
		if matchAny(k.sels, n) {
			return int8(i)
		}
	}
	return notOptional
}

// PartCount counts the words of a page's optional parts of one kind, and those of them that the output has.
type PartCount struct {
	Words int `json:"words"`
	Kept  int `json:"kept"`
}

// pageLines are the lines of a page with the optional words in each. An output is compared with them line by line,
// because it does not say which part of the page a line comes from.
type pageLines struct {
	words vocabulary
	kinds []optionalKind
	// drop are the outermost optional elements.
	drop map[*html.Node]bool
	// masks are the lines with optional words, by their words: the kind of each word, once for each such line.
	masks map[string][][]int8
	// plain counts the equal lines without optional words.
	plain map[string]int
	// total counts optional words by kind.
	total []int
}

// readLines reads the lines of a page.
func (s selectors) readLines(doc *html.Node, words vocabulary) *pageLines {
	r := lineReader{selectors: s, kind: notOptional, pageLines: &pageLines{
		words: words, kinds: s.optional, drop: map[*html.Node]bool{}, masks: map[string][][]int8{}, plain: map[string]int{},
		total: make([]int, len(s.optional)),
	}}
	r.walk(doc)
	r.endLine()
	return r.pageLines
}

// lineReader reads the visible text of a page. Block-level elements end a line.
type lineReader struct {
	selectors
	*pageLines
	// kind is that of the open element, part its text since the last change of kind.
	kind int8
	part strings.Builder
	// line and mask are the words of the open line and their kinds.
	line []uint32
	mask []int8
}

func (r *lineReader) endPart() {
	for _, w := range r.words.tokens(r.part.String()) {
		r.line, r.mask = append(r.line, w), append(r.mask, r.kind)
	}
	r.part.Reset()
}

func (r *lineReader) endLine() {
	r.endPart()
	optional := false
	for _, k := range r.mask {
		if k != notOptional {
			optional = true
			r.total[k]++
		}
	}
	key := lineKey(r.line)
	switch {
	case optional:
		r.masks[key] = append(r.masks[key], r.mask)
	case len(r.line) > 0:
		r.plain[key]++
	}
	r.line, r.mask = nil, nil
}

func (r *lineReader) walk(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		r.part.WriteString(flowing(n.Data))
		return
	case html.ElementNode:
		if neverShown(n) {
			r.endLine()
			return
		}
		if r.kind == notOptional {
			if k := r.optionalOf(n); k != notOptional {
				r.drop[n] = true
				r.endPart()
				r.kind = k
				defer func() { r.endPart(); r.kind = notOptional }()
			}
		}
		if !inline(n) {
			r.endLine()
			defer r.endLine()
		}
	}
	for c := range n.ChildNodes() {
		r.walk(c)
	}
}

// lineKey is a line's words as a key.
func lineKey(words []uint32) string {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return string(b)
}

// strip takes the optional words from an output's lines and counts them by kind. Of equal lines, those that the gold
// has stay: as many as the page has without optional words.
func (l *pageLines) strip(text string, gold map[string]int) (kept []uint32, found []int) {
	found = make([]int, len(l.total))
	var lines [][]uint32
	count, used := map[string]int{}, map[string]int{}
	for line := range strings.SplitSeq(text, "\n") {
		words := l.words.tokens(line)
		lines = append(lines, words)
		count[lineKey(words)]++
	}
	for _, words := range lines {
		key := lineKey(words)
		masks, spare := l.masks[key], 0
		if gold[key] > 0 {
			spare = l.plain[key]
		}
		n := used[key]
		if n >= len(masks) || n >= count[key]-spare {
			kept = append(kept, words...)
			continue
		}
		used[key]++
		for i, kind := range masks[n] {
			if kind == notOptional {
				kept = append(kept, words[i])
			} else {
				found[kind]++
			}
		}
	}
	return kept, found
}

// counts are what an output has of each kind that the page has, nil where it has none.
func (l *pageLines) counts(found []int) map[string]PartCount {
	if !slices.ContainsFunc(l.total, func(n int) bool { return n > 0 }) {
		return nil
	}
	m := map[string]PartCount{}
	for i, k := range l.kinds {
		if l.total[i] > 0 {
			m[k.name] = PartCount{l.total[i], found[i]}
		}
	}
	return m
}

// countLines counts the lines of a text that have words.
func (v vocabulary) countLines(text string) map[string]int {
	m := map[string]int{}
	for line := range strings.SplitSeq(text, "\n") {
		if words := v.tokens(line); len(words) > 0 {
			m[lineKey(words)]++
		}
	}
	return m
}

// sumOptional adds up the optional words of pages, by kind.
func sumOptional(pages []PageScore) map[string]PartCount {
	m := map[string]PartCount{}
	for _, p := range pages {
		for kind, c := range p.Optional {
			m[kind] = PartCount{m[kind].Words + c.Words, m[kind].Kept + c.Kept}
		}
	}
	return m
}

// OptionalShare says how much of the optional parts of one kind outputs keep: the mean share over the sites that have
// such parts, in [0,1].
type OptionalShare struct {
	Sites int     `json:"sites"`
	Kept  float64 `json:"kept"`
}

func optionalShares(sites []SiteScore) map[string]OptionalShare {
	m := map[string]OptionalShare{}
	for _, s := range sites {
		for kind, c := range s.Optional {
			o := m[kind]
			o.Kept = (o.Kept*float64(o.Sites) + float64(c.Kept)/float64(c.Words)) / float64(o.Sites+1)
			o.Sites++
			m[kind] = o
		}
	}
	return m
}
