package page

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// ErrTooCostly says that the page leaves so many formatting elements open that the parser would clone them into
// millions of elements: every paragraph repeats all of them (HTML §13.2.4.3).
var ErrTooCostly = errors.New("formatting elements left open would be cloned without bound")

// maxClones bounds the estimate of the clones that one page costs. Pages of good will stay far below it.
const maxClones = 1 << 20

// formatting follows the formatting elements that are open while a page is tokenized, for two reasons. Position marks
// make the attributes of all elements differ, which would defeat the Noah's Ark clause (HTML §13.2.4.3: at most three
// equal elements are reopened), so that elements it could concern must go unmarked. And reopening costs time and
// memory, so that it is bounded. Both err on the side of counting too much.
type formatting struct {
	open  []openFormat
	count map[openFormat]int
	// loose holds the tag names that must go without position marks.
	loose  map[string]bool
	clones int
	// foreign says that svg or math has been seen, depth how many of them are open.
	foreign bool
	depth   int
}

// openFormat is a formatting element by its name and attributes, or a boundary that end tags do not reach across.
type openFormat struct {
	name, attrs string
}

// start notes the start tag that z stands on.
func (f *formatting) start(z *html.Tokenizer, name string) {
	switch {
	case isFormatting(name):
		o := openFormat{name, canonicalAttrs(z)}
		f.open = append(f.open, o)
		if f.count == nil {
			f.count = map[openFormat]int{}
		}
		if f.count[o]++; f.count[o] > 3 {
			f.loosen(name)
		}
	case isFormatBoundary(name):
		f.open = append(f.open, openFormat{})
		if name == "svg" || name == "math" {
			f.foreign = true
			f.depth++
		}
	}
	// The parser refuses more than 512 open elements, and equal ones beyond three are not reopened.
	f.clones += min(len(f.open), 512)
}

func (f *formatting) inForeign() bool { return f.depth > 0 }

func (f *formatting) loosen(names ...string) {
	if f.loose == nil {
		f.loose = map[string]bool{}
	}
	for _, n := range names {
		f.loose[n] = true
	}
}

// rawText notes the text of a script, style or title. In svg it is not raw to the parser, and elements in it count.
func (f *formatting) rawText(text []byte) {
	if f.foreign && bytes.IndexByte(text, '<') >= 0 {
		f.loosen(formattingNames()...)
	}
}

// end notes an end tag.
func (f *formatting) end(name string) {
	if !isFormatting(name) {
		if isFormatBoundary(name) {
			f.endBoundary()
		}
		if name == "svg" || name == "math" {
			f.depth = max(f.depth-1, 0)
		}
		return
	}
	for i := len(f.open) - 1; i >= 0 && f.open[i].name != ""; i-- {
		if f.open[i].name == name {
			f.count[f.open[i]]--
			f.open = slices.Delete(f.open, i, i+1)
			return
		}
	}
}

// endBoundary takes the innermost boundary away when nothing was left open in it. What was left open may still be.
func (f *formatting) endBoundary() {
	if n := len(f.open); n > 0 && f.open[n-1].name == "" {
		f.open = f.open[:n-1]
	}
}

// isFormatting reports whether elements of this name are reopened after a misplaced end (HTML §13.2.4.2), but for a,
// of which there is never more than one.
func isFormatting(name string) bool {
	return len(name) <= len("strong") && slices.Contains(formattingNames(), name)
}

func formattingNames() []string {
	return []string{"b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
}

// isFormatBoundary reports whether an end tag inside an element of this name may fail to end formatting outside of it.
func isFormatBoundary(name string) bool {
	switch name {
	case "table", "td", "th", "caption", "applet", "marquee", "object", "template", "select", "svg", "math":
		return true
	}
	return false
}

// canonicalAttrs returns the attributes of the start tag that z stands on so that equal sets give equal strings.
func canonicalAttrs(z *html.Tokenizer) string {
	var attrs []string
	for {
		key, val, more := z.TagAttr()
		if len(key) > 0 {
			attrs = append(attrs, string(key)+"="+string(val))
		}
		if !more {
			slices.Sort(attrs)
			return strings.Join(attrs, "\x00")
		}
	}
}
