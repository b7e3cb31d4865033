package htmltree

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// class is the rule of the "in body" insertion mode that applies to a tag (HTML §13.2.6.4.7).
type class uint8

const (
	classOther class = iota
	classHTML
	classHead // what belongs into head: meta, title, script, template
	classBody
	classFrameset
	classBlock
	classP
	classHeading
	classPre
	classForm
	classLi
	classDd
	classPlaintext
	classButton
	classA
	classFormat
	classNobr
	classObject
	classTable
	classVoid
	classInput
	classParam
	classHr
	classImage
	classTextarea
	classXmp
	classIframe
	classRaw
	classSelect
	classOption
	classOptgroup
	classRb
	classRt
	classForeign
	classStray // tags that mean something elsewhere: td, head, frame
)

// props are properties of an element that the rules ask for.
type props uint8

const (
	// special elements stop the search for the element that an end tag ends (§13.2.4.2).
	special props = 1 << iota
	// scopeStop elements bound a scope (§13.2.4.2).
	scopeStop
	// impliedEnd elements end without an end tag (§13.2.6.3).
	impliedEnd
	// tablePart elements have no content directly: such content moves before the table (§13.2.6.1).
	tablePart
	// rawText elements contain no markup (§13.2.5.2 to 5).
	rawText
	// breakout start tags end svg and math (§13.2.6.5).
	breakout
)

// name is what the rules know about the elements of one name.
type name struct {
	id    nameID
	tag   atom.Atom
	class class
	props props
}

// nameID is the index of a name: in the table of known names or, after these, in the names of the page.
type nameID uint16

// maxNames bounds the unknown names of a page.
const maxNames = 1 << 15

// names is a hash table of the names that have rules.
type names struct {
	slots [1024]uint8 // 0, or 1 + the index in list and texts
	list  []name
	texts []string
	// svgTags, svgAttrs and mathAttrs map names in lower case to those of svg and math.
	svgTags, svgAttrs, mathAttrs map[string]string
}

//nolint:gochecknoglobals // a constant table
var known = newNames()

// The names by what the rules say of them.
const (
	specialNames = `address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup
		dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup
		hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param
		plaintext pre script section select source style summary table tbody td template textarea tfoot th thead title tr track
		ul wbr xmp`
	scopeNames    = "applet caption html table td th marquee object template select"
	impliedNames  = "dd dt li optgroup option p rb rp rt rtc"
	tableNames    = "table tbody tfoot thead tr"
	rawNames      = "iframe noembed noframes noscript plaintext script style textarea title xmp"
	breakoutNames = `b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta
		nobr ol p pre ruby s small span strong strike sub sup table tt u ul var`
)

func newNames() *names {
	n := &names{svgTags: adjustments(svgTagNames), svgAttrs: adjustments(svgAttrNames), mathAttrs: adjustments(mathAttrNames)}
	for c, list := range map[class]string{
		classHTML: "html", classBody: "body", classFrameset: "frameset", classP: "p", classPlaintext: "plaintext",
		classHead: "base basefont bgsound link meta noframes script style template title",
		classBlock: `address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup
			main menu nav ol search section summary ul`,
		classHeading: "h1 h2 h3 h4 h5 h6", classPre: "pre listing", classForm: "form", classLi: "li", classDd: "dd dt",
		classButton: "button", classA: "a", classFormat: "b big code em font i s small strike strong tt u", classNobr: "nobr",
		classObject: "applet marquee object", classTable: "table", classVoid: "area br embed img keygen wbr", classInput: "input",
		classParam: "param source track", classHr: "hr", classImage: "image", classTextarea: "textarea", classXmp: "xmp",
		classIframe: "iframe", classRaw: "noembed noscript", classSelect: "select", classOption: "option", classOptgroup: "optgroup",
		classRb: "rb rtc", classRt: "rp rt", classForeign: "math svg",
		classStray: "caption col colgroup frame head tbody td tfoot th thead tr",
		classOther: "ruby span sub sup var label abbr cite time picture canvas video audio",
	} {
		for _, text := range strings.Fields(list) {
			n.add(text).class |= c
		}
	}
	for p, list := range map[props]string{special: specialNames, scopeStop: scopeNames, impliedEnd: impliedNames,
		tablePart: tableNames, rawText: rawNames, breakout: breakoutNames} {
		for _, text := range strings.Fields(list) {
			n.add(text).props |= p
		}
	}
	return n
}

// add returns the entry of a name, a new one where there is none.
func (n *names) add(text string) *name {
	if id, ok := n.find(text); ok {
		return &n.list[id]
	}
	id := nameID(len(n.list))
	n.list = append(n.list, name{id: id, tag: atom.Lookup([]byte(text))})
	n.texts = append(n.texts, text)
	at := slot(text)
	for n.slots[at] != 0 {
		at = (at + 1) % uint32(len(n.slots))
	}
	n.slots[at] = uint8(id + 1)
	return &n.list[id]
}

// slot is where the search for a name starts. It is the same for upper and lower case.
func slot(text string) uint32 {
	last := len(text) - 1
	h := uint32(text[0]|0x20)*31 + uint32(text[last]|0x20)*7 + uint32(text[last/2]|0x20)*101 + uint32(len(text))*17
	return h % 1024
}

// find returns the index of a name in any case, and whether there is one. text is not empty.
func (n *names) find(text string) (nameID, bool) {
	for at := slot(text); n.slots[at] != 0; at = (at + 1) % uint32(len(n.slots)) {
		if id := nameID(n.slots[at] - 1); equalFold(text, n.texts[id]) {
			return id, true
		}
	}
	return 0, false
}

// equalFold reports whether text is lower but for the case of ASCII letters.
func equalFold(text, lower string) bool {
	if len(text) != len(lower) {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c != lower[i] && (lower[i] < 'a' || c|0x20 != lower[i]) {
			return false
		}
	}
	return true
}

// pageNames are the names of a page that have no rules.
type pageNames struct {
	texts []string
	found map[string]name
}

func (p *pageNames) reset() {
	clear(p.texts)
	p.texts = p.texts[:0]
	clear(p.found)
}

// lookup returns the entry for the name in a tag.
func (p *pageNames) lookup(text string) name {
	if id, ok := known.find(text); ok {
		return known.list[id]
	}
	return p.add(lowerName(text))
}

// add returns the entry of a name that is not among the known ones.
func (p *pageNames) add(text string) name {
	n, ok := p.found[text]
	if ok {
		return n
	}
	n.tag = atom.Lookup([]byte(text))
	if len(p.texts) > maxNames {
		return n
	}
	if p.found == nil {
		p.found = make(map[string]name)
	}
	n.id = nameID(len(known.list) + len(p.texts))
	p.found[text] = n
	p.texts = append(p.texts, text)
	return n
}

// text returns a name by its index.
func (p *pageNames) text(id nameID) string {
	if int(id) < len(known.texts) {
		return known.texts[id]
	}
	return p.texts[int(id)-len(known.texts)]
}

// lowerName returns a name in lower case, with replacement characters for zero bytes (§13.2.5.8).
func lowerName(text string) string {
	all := byteClass(0)
	for i := range len(text) {
		all |= byteClasses[text[i]]
	}
	if all&notLower == 0 {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return strings.ReplaceAll(string(b), "\x00", "\uFFFD")
}
