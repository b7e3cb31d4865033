package cascade

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// selector is a complex selector (Selectors 4): compounds from left to right, with a combinator between each two.
type selector struct {
	compounds   []compound
	combinators []byte // ' ', '>', '+', '~'
	specificity specificity
	// tried is the last element that it was a candidate for, see [computer.matched].
	tried int
	// part says that it selects the first line or letter of its element.
	part bool
	// above are the names that the compounds before the last ask for in the elements around.
	above names
}

// specificity has the number of ids, classes and tags in its bytes.
type specificity uint32

const (
	oneTag   specificity = 1
	oneClass specificity = 1 << 10
	oneID    specificity = 1 << 20
)

// compound are the conditions on one element.
type compound struct {
	tag, id string
	classes []string
	attrs   []attrTest
	pseudos []pseudo
}

// attrTest is a condition on an attribute: op is 0 for its presence, otherwise that of [a op= v].
type attrTest struct {
	key, value string
	op         byte
	fold       bool
}

// pseudo is a pseudo-class. Where name is "&", its arguments are the selectors of the rule around; where it is
// "anchor", it is the element that :has stands on.
type pseudo struct {
	name string
	args []*selector
	a, b int    // of :nth-child(an+b)
	word string // of :lang and :dir
}

// selectorParser reads selectors.
type selectorParser struct {
	sheet  *sheet
	parent []*selector
	// nested says that a selector without & is relative to parent, scoped that it is to the scope.
	nested, scoped bool
	// forgiving lists leave out what is not valid (Selectors 4 §18.1).
	forgiving bool
	// anchored lists may begin with a combinator, after the element that :has stands on.
	anchored bool
	depth    int
}

// maxNested bounds selectors in selectors.
const maxNested = 16

func (p selectorParser) list(tokens []token) (list []*selector, ok bool) {
	if p.depth > maxNested {
		return nil, false
	}
	for _, one := range split(tokens, ",") {
		if s, ok := p.complex(trimmed(one)); ok {
			list = append(list, s)
		} else if !p.forgiving {
			return nil, false
		}
	}
	return list, p.forgiving || len(list) > 0
}

// complex reads one complex selector.
func (p selectorParser) complex(tokens []token) (*selector, bool) {
	s := &selector{}
	comb, ampersand := byte(0), false
	start := func(name string, by byte) {
		s.compounds = append(s.compounds, compound{pseudos: []pseudo{{name: name, args: p.parent}}})
		comb = by
	}
	if p.anchored {
		start("anchor", ' ')
	}
	for len(tokens) > 0 {
		t := tokens[0]
		if t.kind == css.WhitespaceToken || t.kind == css.DelimToken && strings.Contains(">+~", t.text) {
			by := byte(' ')
			for len(tokens) > 0 {
				if t = tokens[0]; t.kind == css.DelimToken && len(t.text) == 1 && strings.Contains(">+~", t.text) {
					if by != ' ' {
						return nil, false
					}
					by = t.text[0]
				} else if t.kind != css.WhitespaceToken {
					break
				}
				tokens = tokens[1:]
			}
			if len(s.compounds) == 0 && p.nested {
				start("&", by)
				ampersand = true
			} else if len(s.compounds) == 0 || comb != 0 && !(p.anchored && len(s.compounds) == 1) {
				return nil, false
			}
			comb = by
			continue
		}
		c, rest, ok := p.compound(tokens, s)
		if !ok || len(rest) == len(tokens) {
			return nil, false
		}
		if len(s.compounds) > 0 {
			if comb == 0 {
				return nil, false
			}
			s.combinators = append(s.combinators, comb)
		}
		s.compounds = append(s.compounds, c)
		comb, tokens = 0, rest
		ampersand = ampersand || c.has("&")
	}
	if len(s.compounds) == 0 || comb != 0 {
		return nil, false
	}
	if p.nested && !ampersand && !p.anchored {
		s.compounds = append([]compound{{pseudos: []pseudo{{name: "&", args: p.parent}}}}, s.compounds...)
		s.combinators = append([]byte{' '}, s.combinators...)
	}
	for i := range s.compounds {
		c := &s.compounds[i]
		s.specificity += c.specificity()
		// What is around an element is around its siblings too.
		if i < len(s.combinators) && (s.combinators[i] == ' ' || s.combinators[i] == '>') {
			s.above.add(c.tag, c.id)
			for _, class := range c.classes {
				s.above.addClass(class)
			}
		}
	}
	return s, true
}

func (c *compound) has(name string) bool {
	for _, ps := range c.pseudos {
		if ps.name == name {
			return true
		}
		if ps.name == "is" || ps.name == "where" || ps.name == "not" || ps.name == "has" {
			for _, s := range ps.args {
				for i := range s.compounds {
					if s.compounds[i].has(name) {
						return true
					}
				}
			}
		}
	}
	return false
}

func (c *compound) specificity() specificity {
	n := oneClass * specificity(len(c.classes)+len(c.attrs))
	if c.tag != "" {
		n += oneTag
	}
	if c.id != "" {
		n += oneID
	}
	for _, ps := range c.pseudos {
		most := specificity(0)
		for _, s := range ps.args {
			most = max(most, s.specificity)
		}
		switch ps.name {
		case "where", "anchor":
		case "is", "not", "has", "&":
			n += most
		default:
			n += oneClass + most
		}
	}
	return n
}

// compound reads one compound selector, and returns the tokens after it.
func (p selectorParser) compound(tokens []token, s *selector) (c compound, rest []token, ok bool) {
	for first := true; len(tokens) > 0; first = false {
		t := tokens[0]
		switch {
		case t.kind == css.IdentToken && first:
			c.tag = strings.ToLower(t.text)
			tokens = namespaced(tokens[1:], &c)
		case t.is("*") && first:
			tokens = namespaced(tokens[1:], &c)
		case t.is("|") && first:
			tokens = namespaced(tokens, &c)
		case t.is("&"):
			c.pseudos = append(c.pseudos, p.around())
			tokens = tokens[1:]
		case t.kind == css.HashToken:
			if c.id != "" && c.id != t.text {
				c.pseudos = append(c.pseudos, pseudo{name: "never"})
			}
			c.id, tokens = t.text, tokens[1:]
		case t.is(".") && len(tokens) > 1 && tokens[1].kind == css.IdentToken:
			c.classes, tokens = append(c.classes, tokens[1].text), tokens[2:]
		case t.kind == css.LeftBracketToken:
			inside, after := brackets(tokens)
			a, valid := attribute(trimmed(inside))
			if !valid {
				return c, nil, false
			}
			c.attrs, tokens = append(c.attrs, a), after
		case t.kind == css.ColonToken:
			var ps pseudo
			if ps, tokens, ok = p.pseudo(tokens[1:], s); !ok {
				return c, nil, false
			}
			if ps.name != "" {
				c.pseudos = append(c.pseudos, ps)
			}
		default:
			return c, tokens, true
		}
	}
	return c, tokens, true
}

// around is &: the rule around, or the scope.
func (p selectorParser) around() pseudo {
	if p.parent == nil {
		return pseudo{name: "scope"}
	}
	return pseudo{name: "&", args: p.parent}
}

// namespaced reads the rest of ns|name: winnow knows no namespaces, so that all match.
func namespaced(tokens []token, c *compound) []token {
	if len(tokens) > 1 && tokens[0].is("|") {
		c.tag = ""
		if tokens[1].kind == css.IdentToken {
			c.tag = strings.ToLower(tokens[1].text)
		}
		return tokens[2:]
	}
	return tokens
}

// attribute reads what is in the brackets of [key op= value i].
func attribute(tokens []token) (a attrTest, ok bool) {
	for len(tokens) > 1 && (tokens[0].is("*") || tokens[0].is("|") || tokens[1].is("|")) {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 || tokens[0].kind != css.IdentToken {
		return a, false
	}
	a.key = strings.ToLower(tokens[0].text)
	if tokens = trimmed(tokens[1:]); len(tokens) == 0 {
		return a, true
	}
	switch t := tokens[0]; t.kind {
	case css.IncludeMatchToken, css.DashMatchToken, css.PrefixMatchToken, css.SuffixMatchToken, css.SubstringMatchToken:
		a.op = t.text[0]
	default:
		if !t.is("=") {
			return a, false
		}
		a.op = '='
	}
	if tokens = trimmed(tokens[1:]); len(tokens) == 0 || tokens[0].kind != css.IdentToken && tokens[0].kind != css.StringToken {
		return a, false
	}
	a.value = tokens[0].text
	switch tokens = trimmed(tokens[1:]); {
	case len(tokens) == 0:
		a.fold = isFoldedAttr(a.key)
	case len(tokens) == 1 && tokens[0].isWord("i"):
		a.fold = true
	case len(tokens) != 1 || !tokens[0].isWord("s"):
		return a, false
	}
	return a, true
}

// isFoldedAttr reports whether HTML compares the values of an attribute without regard to case (HTML §4.16.2).
func isFoldedAttr(key string) bool {
	switch key {
	case "accept", "accept-charset", "align", "alink", "axis", "bgcolor", "charset", "checked", "clear", "codetype", "color", "compact", "declare",
		"defer", "dir", "direction", "disabled", "enctype", "face", "frame", "hreflang", "http-equiv", "lang", "language", "link", "media", "method",
		"multiple", "nohref", "noresize", "noshade", "nowrap", "readonly", "rel", "rev", "rules", "scope", "scrolling", "selected", "shape",
		"target", "text", "type", "valign", "valuetype", "vlink":
		return true
	}
	return false
}
