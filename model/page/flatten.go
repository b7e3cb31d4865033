package page

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// flattener turns the parser's tree into the flat form and finds where its parts stand in the source.
type flattener struct {
	p      *Page
	tokens []token
	// owner is the element that a start tag token made, or the parent of the text that a text token made; None for
	// tokens that the parser dropped.
	owner []ElementID
	// tagToken is the start tag token of each element, None for those that the parser made up.
	tagToken []int32
	// textToken is the token of each text.
	textToken []int32
}

func (f *flattener) document(doc *html.Node) {
	f.reserve()
	for n := doc.FirstChild; n != nil; n = n.NextSibling {
		if n.Type == html.ElementNode {
			f.element(n, None, 0)
		}
	}
}

// reserve makes room for what the tokens will make, but for a little that the parser makes up.
func (f *flattener) reserve() {
	f.owner = make([]ElementID, len(f.tokens))
	elements, texts := 8, 8
	for i, t := range f.tokens {
		f.owner[i] = None
		switch t.kind {
		case html.StartTagToken:
			elements++
			texts++ // white space before a tag has no token
		case html.TextToken:
			texts++
		}
	}
	f.p.Elements, f.tagToken = make([]Element, 0, elements), make([]int32, 0, elements)
	f.p.attrs = make([]Attr, 0, elements)
	f.p.Texts, f.textToken = make([]Text, 0, texts), make([]int32, 0, texts)
}

// element appends n and its subtree. The parser allows 512 open elements, which bounds the recursion.
func (f *flattener) element(n *html.Node, parent ElementID, depth int32) {
	p := f.p
	id := ElementID(len(p.Elements))
	p.Elements = append(p.Elements, Element{Tag: n.DataAtom, Name: n.Data, Parent: parent, Depth: depth,
		TextStart: int32(len(p.Texts)), attrStart: int32(len(p.attrs))})
	f.attributes(n, id)
	if (n.DataAtom == atom.Body || n.DataAtom == atom.Frameset) && p.Body == None {
		p.Body = id
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.ElementNode:
			f.element(c, id, depth+1)
		case html.TextNode:
			f.text(c.Data, id)
		}
	}
	e := &p.Elements[id]
	e.Sub = ElementID(len(p.Elements))
	e.TextEnd = int32(len(p.Texts))
}

func (f *flattener) attributes(n *html.Node, id ElementID) {
	tok := int32(None)
	for _, a := range n.Attr {
		if tok == None && len(f.tokens) > 0 && a.Key == markAttr {
			if i, err := strconv.Atoi(a.Val); err == nil && i < len(f.tokens) {
				tok = int32(i)
				continue
			}
		}
		key := a.Key
		if a.Namespace != "" {
			key = a.Namespace + ":" + key
		}
		f.p.attrs = append(f.p.attrs, Attr{Key: key, Val: a.Val})
	}
	f.p.Elements[id].attrEnd = int32(len(f.p.attrs))
	// A second element with the same mark is a clone that the parser made (adoption agency, active formatting).
	if tok != None && f.owner[tok] == None && f.tokens[tok].kind != html.TextToken {
		f.owner[tok] = id
	} else {
		tok = None
	}
	f.tagToken = append(f.tagToken, tok)
}

// text appends one text node, which may be made of several texts of the source that the parser joined.
func (f *flattener) text(data string, parent ElementID) {
	data = f.unmark(data)
	for data != "" {
		tok, rest := int32(None), ""
		if before, after, found := strings.Cut(data, markOpen); found && len(f.tokens) > 0 {
			var num string
			if num, after, found = strings.Cut(after, markClose); found {
				if i, err := strconv.Atoi(num); err == nil && i < len(f.tokens) && f.owner[i] == None {
					tok = int32(i)
					f.owner[i] = parent
				}
			}
			// White space before the mark belongs to the marked text, up to the mark of the next one.
			body := after
			if next := strings.Index(after, markOpen); next >= 0 {
				body, rest = after[:next], after[next:]
			}
			data = before + body
		}
		f.p.Texts = append(f.p.Texts, Text{Parent: parent, Block: None, Data: data})
		f.textToken = append(f.textToken, tok)
		data = rest
	}
}

// unmark takes start tag marks out of a text: what the tokenizer alone reads as a tag is text in a CDATA section.
func (f *flattener) unmark(data string) string {
	const mark = " " + markAttr + `="`
	if len(f.tokens) == 0 || !strings.Contains(data, mark) {
		return data
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(data, mark)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, data, _ = strings.Cut(after, `"`)
	}
}

// checkRawTexts takes all places away where the tokenizer alone read as raw text (a style, a title) what the parser
// did not: in svg the two can differ, and tokens after that would be missing.
func (f *flattener) checkRawTexts() {
	foreign := slices.ContainsFunc(f.p.Elements, func(e Element) bool { return e.Name == "svg" || e.Name == "math" })
	if !foreign {
		return
	}
	for i, t := range f.tokens {
		if t.raw != 0 && !f.isRaw(f.owner[i], string(f.p.text[t.end:t.raw])) {
			f.forget()
			return
		}
	}
}

// isRaw reports whether element e has the source text raw for its content, and nothing else.
func (f *flattener) isRaw(e ElementID, raw string) bool {
	if e == None || f.p.Elements[e].Sub != e+1 {
		return false
	}
	got := ""
	for _, t := range f.p.Texts[f.p.Elements[e].TextStart:f.p.Elements[e].TextEnd] {
		got += t.Data
	}
	if got == raw {
		return true
	}
	canonical := func(s string) string {
		s = html.UnescapeString(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
		return strings.TrimLeft(strings.NewReplacer("\x00", "", "\uFFFD", "").Replace(s), "\n")
	}
	return canonical(got) == canonical(raw)
}

// forget leaves everything without a place.
func (f *flattener) forget() {
	for i := range f.owner {
		f.owner[i] = None
	}
	for i := range f.tagToken {
		f.tagToken[i] = None
	}
	for i := range f.textToken {
		f.textToken[i] = None
	}
}
