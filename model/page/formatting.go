package page

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// ErrTooCostly says that the page is made so that parsing it would take time or memory out of all proportion: it
// leaves formatting elements open by the hundred, which every paragraph reopens (HTML §13.2.4.3), or has thousands of
// body tags, whose attributes are merged (§13.2.6.4.7).
var ErrTooCostly = errors.New("parsing the page would take too long")

// maxClones bounds the estimate of the elements that reopening makes, maxMerges that of the attributes compared when
// html and body tags are merged. Pages of good will stay far below them.
const (
	maxClones = 1 << 20
	maxMerges = 1 << 20
)

// formatting follows the formatting elements that are open while a page is tokenized, for two reasons. Position marks
// make the attributes of all elements differ, which would defeat the Noah's Ark clause (HTML §13.2.4.3: at most three
// equal elements are reopened), so that elements it could concern must go unmarked. And reopening costs time and
// memory, so that it is bounded. Both err on the side of counting too much.
type formatting struct {
	open []openTag
	// count is the number of each formatting element in open, total that of all.
	count map[openTag]int
	total int
	// loose holds the tag names that must go without position marks.
	loose  map[string]bool
	clones int
	// roots is the number of attributes of html and body tags so far.
	roots, merges int
	// foreign says that svg or math has been seen, depth how many of them are open.
	foreign bool
	depth   int
	attrs   attrReader
}

// fit returns the tokens that may have position marks, or ErrTooCostly.
func (f *formatting) fit(tokens []token) ([]token, error) {
	if f.clones > maxClones || f.merges > maxMerges {
		return nil, ErrTooCostly
	}
	if len(f.loose) > 0 {
		tokens = slices.DeleteFunc(tokens, func(t token) bool { return t.kind == html.StartTagToken && f.loose[t.name] })
	}
	return tokens, nil
}

// openTag is a formatting element by its name and attributes, or a boundary that end tags do not reach across.
type openTag struct {
	name, attrs string
	boundary    bool
}

// lookBack bounds how far back in the open tags is searched. The parser refuses more than 512 open elements.
const lookBack = 1024

// start notes a start tag; rest is what follows its name.
func (f *formatting) start(name string, rest []byte) {
	switch name {
	case "td", "th", "caption", "tr", "tbody", "thead", "tfoot":
		f.endCells()
	case "html", "body":
		f.merges += f.roots
		f.roots += 1 + len(f.attrs.read(rest))
	case "svg", "math":
		f.foreign = true
		f.depth++
	}
	switch {
	case isFormatting(name):
		f.push(openTag{name: name, attrs: canonical(f.attrs.read(rest))})
	case isFormatBoundary(name):
		f.open = append(f.open, openTag{name: name, boundary: true})
	}
	f.clones += min(f.total, 512)
}

func (f *formatting) push(o openTag) {
	if f.count == nil {
		f.count = map[openTag]int{}
	}
	f.open = append(f.open, o)
	f.total++
	if f.count[o]++; f.count[o] > 3 {
		f.loosen(o.name)
	}
}

// drop takes open tags [from, to) away.
func (f *formatting) drop(from, to int) {
	for _, o := range f.open[from:to] {
		if !o.boundary {
			f.count[o]--
			f.total--
		}
	}
	f.open = slices.Delete(f.open, from, to)
}

// endCells ends the open cell of the innermost table, and returns the index of that table in open, -1 if there is
// none. What was opened in a cell is not reopened after it; what was moved out of the table is.
func (f *formatting) endCells() int {
	table := len(f.open) - 1
	for ; table >= max(0, len(f.open)-lookBack) && f.open[table].name != "table"; table-- {
	}
	if table < 0 || f.open[table].name != "table" {
		return -1
	}
	for i := table + 1; i < len(f.open); i++ {
		if n := f.open[i].name; n == "td" || n == "th" || n == "caption" {
			f.drop(i, len(f.open))
			break
		}
	}
	return table
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
	switch name {
	case "svg", "math":
		f.depth = max(f.depth-1, 0)
	case "td", "th", "caption":
		f.endCells()
		return
	case "table":
		if i := f.endCells(); i >= 0 {
			f.drop(i, i+1)
		}
		return
	}
	switch n := len(f.open); {
	case isFormatting(name):
		f.endFormat(name)
	case isFormatBoundary(name) && n > 0 && f.open[n-1].boundary:
		f.drop(n-1, n) // what was left open in a boundary may still be, so that the boundary stays then
	}
}

func (f *formatting) endFormat(name string) {
	for i := len(f.open) - 1; i >= max(0, len(f.open)-lookBack) && !f.open[i].boundary; i-- {
		if f.open[i].name == name {
			f.drop(i, i+1)
			return
		}
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

// canonical turns equal sets of attributes into equal strings.
func canonical(attrs []string) string {
	slices.Sort(attrs)
	return strings.Join(attrs, "\x00")
}

// attrReader reads the attributes of one tag after the other with a single tokenizer.
type attrReader struct {
	z   *html.Tokenizer
	tag []byte
}

// Read implements io.Reader for the tokenizer, which asks for no more than it needs to the end of a tag.
func (r *attrReader) Read(p []byte) (int, error) {
	n := copy(p, r.tag)
	r.tag = r.tag[n:]
	return n, nil
}

// read returns the attributes of a start tag, given what follows its name, as "key=value".
func (r *attrReader) read(rest []byte) (attrs []string) {
	if string(rest) == ">" {
		return nil
	}
	if r.z == nil {
		r.z = html.NewTokenizer(r)
	}
	r.tag = append([]byte("<b"), rest...)
	r.z.Next()
	for _, more := r.z.TagName(); more; {
		var key, val []byte
		key, val, more = r.z.TagAttr()
		attrs = append(attrs, string(key)+"="+string(val))
	}
	return attrs
}
