package htmltree

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// StartTag is a start tag of the source. It is valid during one call of the function that gets it.
type StartTag struct {
	// Tag and Name are the atom and the name of the element.
	Tag  atom.Atom
	Name string
	// Text is the text of a script, as [Parse] reads it.
	Text string
	// Foreign says that the tag is in svg.
	Foreign bool
	scan    *scanner
}

// Attrs appends to dst the attributes for which wanted reports true. key and value are as they stand in the source: in
// any case, and with character references.
func (t *StartTag) Attrs(dst []Attr, wanted func(key, value string) bool) []Attr {
	s := t.scan
	for _, a := range s.attrs {
		if wanted(s.src[a.keyStart:a.keyEnd], s.src[a.valStart:a.valEnd]) {
			dst = append(dst, s.attr(a))
		}
	}
	return dst
}

// Plain calls visit with each start tag of src, until visit returns false, and reports whether src is plain. If it is,
// and its tree is within the bounds of [Parse], then the tree has no [Fragility], and each of its elements is one of
// these tags, a copy of one, or has no attributes.
//
// It builds no tree. So it takes a page for plain only if nothing in it depends on the tree: each svg, select and
// template has its own end tag, and contains only what can't end it or change how its contents are read. Most pages
// are plain.
func Plain(src string, visit func(*StartTag) bool) bool {
	p := plainReader{scan: scanners.Get().(*scanner)}
	defer p.release()
	p.scan.reset(src)
	p.scan.tagsOnly = true
	return p.read(visit)
}

// plainReader reads the tags of a page.
type plainReader struct {
	scan *scanner
	tok  token
	tag  StartTag
	// open are the elements from the outermost open svg, select or template on, which is the root; it is empty outside.
	open []name
}

func (p *plainReader) release() {
	p.scan.reset("")
	scanners.Put(p.scan)
}

func (p *plainReader) read(visit func(*StartTag) bool) bool {
	s, t := p.scan, &p.tok
	for {
		s.cdata = p.in(atom.Svg)
		s.next(t)
		switch t.kind {
		case endOfPage:
			return len(p.open) == 0 && !s.escaped
		case startTag:
			p.tag = StartTag{Tag: t.name.tag, Name: s.names.text(t.name.id), Foreign: p.in(atom.Svg), scan: s}
			raw := s.raw
			if !p.start() || raw != "" && !p.rawText() || !visit(&p.tag) {
				return false
			}
			if raw != "" && !p.endsNext() {
				return false
			}
		case endTag:
			if !p.end() {
				return false
			}
		}
	}
}

// in reports whether the root is of this tag.
func (p *plainReader) in(tag atom.Atom) bool { return len(p.open) > 0 && p.open[0].tag == tag }

// start opens the element of the current tag, and reports whether it may be there.
func (p *plainReader) start() bool {
	n := p.tok.name
	switch {
	case n.tag == atom.Math || n.tag == atom.Frameset || n.tag == atom.Plaintext:
		return false
	case p.in(atom.Svg):
		if !staysInSVG(n) || n.props&rawText != 0 && p.tok.selfClosing {
			return false
		}
	case p.in(atom.Select):
		return n.tag == atom.Option || n.tag == atom.Optgroup
	case p.in(atom.Template):
		if !p.staysInTemplate(n) {
			return false
		}
	case n.tag != atom.Svg && n.tag != atom.Select && n.tag != atom.Template:
		return true
	}
	if !p.tok.selfClosing || n.tag != atom.Svg && !p.in(atom.Svg) {
		p.open = append(p.open, n)
	}
	return true
}

// staysInSVG reports whether the element is one of svg, and contains only such elements or text (HTML §13.2.6.5).
func staysInSVG(n name) bool {
	switch n.tag {
	case atom.Svg, atom.Image, atom.Style, atom.Title:
		return true
	}
	return draws(n)
}

// staysInTemplate reports whether the element stays open in a template up to its own end tag.
func (p *plainReader) staysInTemplate(n name) bool {
	switch n.tag {
	case atom.Div, atom.Style:
		return true
	case atom.A:
		return !slices.Contains(p.open, n)
	}
	return n.class == classOther && n.props == 0
}

// end closes the element of the current tag, and reports whether it may end there.
func (p *plainReader) end() bool {
	last, n := len(p.open)-1, p.tok.name
	switch {
	case last < 0 || p.in(atom.Select) && (n.tag == atom.Option || n.tag == atom.Optgroup):
		return true
	case p.open[last] != n:
		return false
	}
	p.open = p.open[:last]
	return true
}

// rawText reads the text of the current tag's element, which is raw text in HTML, and reports whether it has the same
// effect in svg and without scripting.
func (p *plainReader) rawText() bool {
	s, t := p.scan, &p.tok
	if t.start = int32(s.pos); !s.rawText(t) {
		return true
	}
	switch {
	case p.tag.Foreign:
		return strings.IndexByte(s.src[t.start:t.end], '<') < 0
	case p.tag.Tag == atom.Script:
		p.tag.Text = t.data
	case p.tag.Tag == atom.Noscript:
		return standsAlone(s.src[t.start:], int(t.end-t.start))
	}
	return true
}

// endsNext reads the end tag that follows raw text, and reports whether there is one.
func (p *plainReader) endsNext() bool {
	p.scan.next(&p.tok)
	return p.tok.kind == endTag && p.end()
}
