package feed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// Namespaces of feeds.
const (
	atomSpace    = "http://www.w3.org/2005/Atom"
	contentSpace = "http://purl.org/rss/1.0/modules/content/"
	xmlSpace     = "http://www.w3.org/XML/1998/namespace"
)

// scanner walks over a feed in XML and notes where its entries stand.
type scanner struct {
	decoder *xml.Decoder
	source  []byte
	doc     *document
	open    []*element
	// entry is the open entry, nil outside of entries.
	entry *xmlEntry
}

// element is an open element.
type element struct {
	name  xml.Name
	attrs []xml.Attr
	base  *url.URL
	text  strings.Builder
	// start is where the element begins in the source.
	start int
}

// xmlEntry is an entry of which a part has been read.
type xmlEntry struct {
	depth int // of the entry's own element
	atom  bool
	// prefix is the namespace prefix of the entry's name, with its colon.
	prefix                        string
	link, guid, content, abstract string
	base                          *url.URL
	// from and to are where the element of the content stands.
	from, to int
}

// parseXML reads RSS (0.9 to 2.0) and Atom. It refuses a document type with declarations of its own: entities that
// expand are the usual XML bomb, and whoever reads the feed would get them.
func parseXML(source []byte, base *url.URL) (*document, error) {
	s := &scanner{decoder: xml.NewDecoder(bytes.NewReader(source)), source: source, doc: &document{source: source}}
	s.decoder.Strict = false // feeds are written by hand, too
	s.decoder.Entity = xml.HTMLEntity
	s.decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is in UTF-8
	for {
		start := int(s.decoder.InputOffset())
		token, err := s.decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if s.doc.contentType == "" {
				return nil, errNoFeed
			}
			return nil, fmt.Errorf("the feed is no XML that can be read: %w", err)
		}
		if err := s.take(token, start, base); err != nil {
			return nil, err
		}
	}
	if s.doc.contentType == "" {
		return nil, errNoFeed
	}
	return s.doc, nil
}

// take looks at one token, which begins at start.
func (s *scanner) take(token xml.Token, start int, base *url.URL) error {
	switch t := token.(type) {
	case xml.Directive:
		if bytes.ContainsRune(t, '[') {
			return errors.New("the feed declares entities of its own, which can be a trap and is not read")
		}
	case xml.StartElement:
		if len(s.open) == maxDepth {
			return fmt.Errorf("the feed has elements more than %d deep", maxDepth)
		}
		if len(s.open) == 0 {
			if s.doc.contentType = typeOf(t.Name); s.doc.contentType == "" {
				return errNoFeed
			}
		}
		s.begin(t, start, base)
	case xml.CharData:
		if s.entry != nil && len(s.open) > s.entry.depth {
			s.open[s.entry.depth].text.Write(t) // the text of an entry's child, with all that is in it
		}
	case xml.EndElement:
		return s.end(start)
	}
	return nil
}

// typeOf returns the media type of the feed whose outermost element has this name.
func typeOf(name xml.Name) string {
	switch strings.ToLower(name.Local) {
	case "rss", "rdf":
		return "application/rss+xml; charset=utf-8"
	case "feed":
		return "application/atom+xml; charset=utf-8"
	}
	return ""
}

// begin notes that an element begins.
func (s *scanner) begin(t xml.StartElement, start int, base *url.URL) {
	if len(s.open) > 0 {
		base = s.open[len(s.open)-1].base
	}
	if own := attr(t.Attr, xmlSpace, "base"); own != "" {
		if u, err := base.Parse(own); err == nil {
			base = u
		}
	}
	s.open = append(s.open, &element{name: t.Name, attrs: t.Attr, base: base, start: start})
	if s.entry == nil && isOwn(t.Name.Space) && (t.Name.Local == "item" || t.Name.Local == "entry") {
		s.entry = &xmlEntry{depth: len(s.open), atom: t.Name.Local == "entry", base: base, prefix: prefixAt(s.source[start:])}
	}
}

// prefixAt returns the namespace prefix, with its colon, of the start tag that b begins with.
func prefixAt(b []byte) string {
	name := b[1:]
	if i := bytes.IndexAny(name, " \t\r\n/>"); i >= 0 {
		name = name[:i]
	}
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return string(name[:i+1])
	}
	return ""
}

// end notes that the innermost element ends, with an end tag at start or, where the tag is empty or missing, without.
func (s *scanner) end(start int) error {
	last := len(s.open) - 1
	e := s.open[last]
	switch {
	case s.entry == nil:
	case last == s.entry.depth:
		s.entry.child(e, int(s.decoder.InputOffset()))
	case last == s.entry.depth-1:
		// An empty element has no end tag, and one that was left open ends with that of another.
		tag := []byte("</" + s.entry.prefix + e.name.Local)
		if bytes.HasPrefix(s.source[start:], tag) && int(s.decoder.InputOffset()) > start {
			if len(s.doc.entries) == maxEntries {
				return fmt.Errorf("the feed has more than %d entries", maxEntries)
			}
			s.doc.entries = append(s.doc.entries, s.entry.finish(start))
		}
		s.entry = nil
	}
	s.open = s.open[:last]
	return nil
}

// child reads a child of the entry, which ends at end.
func (x *xmlEntry) child(c *element, end int) {
	text, space := c.text.String(), c.name.Space
	switch {
	case (space == contentSpace || space == "content") && c.name.Local == "encoded", // the prefix may be undeclared
		x.atom && isOwn(space) && c.name.Local == "content":
		if attr(c.attrs, "", "src") == "" && (x.content == "" || len(text) > len(x.content)) {
			x.content, x.from, x.to = text, c.start, end
		}
	case !isOwn(space):
	case x.atom && c.name.Local == "link":
		if rel := attr(c.attrs, "", "rel"); (rel == "" || rel == "alternate") && x.link == "" {
			x.link = resolve(c.base, attr(c.attrs, "", "href"))
		}
	case c.name.Local == "link" && !x.atom && space != atomSpace:
		x.link = resolve(c.base, text)
	case c.name.Local == "guid" && attr(c.attrs, "", "isPermaLink") != "false":
		x.guid = resolve(c.base, text)
	case c.name.Local == "description", c.name.Local == "summary":
		x.abstract = text
	}
}

// isOwn reports whether a namespace is one of RSS or Atom themselves, not of an extension.
func isOwn(space string) bool {
	return slices.Contains([]string{"", atomSpace, "http://purl.org/atom/ns#", "http://purl.org/rss/1.0/",
		"http://my.netscape.com/rdf/simple/0.9/"}, space)
}

// resolve returns an absolute address, or nothing.
func resolve(base *url.URL, address string) string {
	address = strings.TrimSpace(address)
	u, err := base.Parse(address)
	if address == "" || err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}

// finish makes the entry whose end tag begins at end.
func (x *xmlEntry) finish(end int) *entry {
	link := x.link
	if link == "" {
		link = x.guid
	}
	e := &entry{text: plainText(longer(x.content, x.abstract)), from: x.from, to: x.to, render: x.render}
	if e.to == 0 {
		e.from, e.to = end, end
	}
	if u, err := url.Parse(link); err == nil && link != "" {
		e.link = u
	}
	return e
}

// render writes the element of the content.
func (x *xmlEntry) render(html string) ([]byte, error) {
	before, after := `<content:encoded xmlns:content="`+contentSpace+`">`, "</content:encoded>"
	if x.atom {
		before, after = "<"+x.prefix+`content type="html">`, "</"+x.prefix+"content>"
	}
	var b bytes.Buffer
	b.WriteString(before)
	if err := xml.EscapeText(&b, []byte(html)); err != nil {
		return nil, err
	}
	b.WriteString(after)
	return b.Bytes(), nil
}

func longer(a, b string) string {
	if len(a) >= len(b) {
		return a
	}
	return b
}

// attr returns the value of an attribute.
func attr(attrs []xml.Attr, space, name string) string {
	for _, a := range attrs {
		if a.Name.Local == name && (a.Name.Space == space || space == xmlSpace && a.Name.Space == "xml") {
			return a.Value
		}
	}
	return ""
}
