package page

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// Unseen says for each element whether a browser without scripts would not show it: by its own style attribute, the
// hidden attribute, or a rule with a simple selector in the page's own style sheets. Everything in such an element is
// not shown either. Style sheets in other files are not known here, so an element that is not reported may still be
// hidden.
func (p *Page) Unseen() []bool {
	unseen := make([]bool, len(p.Elements))
	rules := p.hidingRules()
	for e := range p.Elements {
		id := ElementID(e)
		if up := p.Elements[e].Parent; up != None && unseen[up] {
			unseen[e] = true
			continue
		}
		if id > p.Body {
			unseen[e] = p.isHidden(id, rules)
		}
	}
	return unseen
}

// isHidden reports whether e itself is hidden.
func (p *Page) isHidden(e ElementID, rules []simpleSelector) bool {
	if _, hidden := p.Attr(e, "hidden"); hidden {
		return true
	}
	if style, ok := p.Attr(e, "style"); ok && hides(style) {
		return true
	}
	for _, r := range rules {
		if r.matches(p, e) {
			return true
		}
	}
	return false
}

// hides reports whether CSS declarations make an element invisible: not displayed, hidden, fully transparent, cut to
// nothing, moved off the screen or without size. The last declaration of a property wins.
func hides(declarations string) bool {
	d := map[string]string{}
	for decl := range strings.SplitSeq(strings.ToLower(declarations), ";") {
		name, value, _ := strings.Cut(decl, ":")
		value, _, _ = strings.Cut(value, "!")
		d[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	switch {
	case d["display"] == "none", d["visibility"] == "hidden", d["visibility"] == "collapse", d["content-visibility"] == "hidden":
		return true
	case isZero(d["opacity"]), isZero(d["font-size"]), isZero(d["height"]) && d["overflow"] == "hidden", isZero(d["width"]) && d["overflow"] == "hidden":
		return true
	case isZero(d["max-height"]) && d["overflow"] == "hidden":
		return true
	case d["position"] == "absolute" || d["position"] == "fixed":
		clip := strings.NewReplacer(" ", "", ",", "", "px", "").Replace(d["clip"])
		return isFarOff(d["left"]) || isFarOff(d["top"]) || clip == "rect(0000)" || clip == "rect(1111)"
	}
	return isFarOff(d["text-indent"]) || d["color"] == "transparent" || d["color"] != "" && d["color"] == d["background-color"]
}

// isZero reports whether a length or number is zero.
func isZero(value string) bool {
	n, ok := leadingNumber(value)
	return ok && n == 0
}

// isFarOff reports whether an offset moves an element off every screen.
func isFarOff(value string) bool {
	const far = -900
	n, ok := leadingNumber(value)
	return ok && (n <= far || n <= -90 && strings.HasSuffix(value, "em"))
}

func leadingNumber(value string) (float64, bool) {
	end := 0
	for end < len(value) && strings.IndexByte("+-.0123456789", value[end]) >= 0 {
		end++
	}
	if end == 0 {
		return 0, false
	}
	n, err := strconv.ParseFloat(value[:end], 64)
	return n, err == nil
}

// simpleSelector is a selector of CSS without combinators: a tag, an id and classes, each optional.
type simpleSelector struct {
	tag, id string
	classes []string
}

func (s *simpleSelector) matches(p *Page, e ElementID) bool {
	if s.tag != "" && s.tag != p.Elements[e].Name {
		return false
	}
	if s.id != "" {
		if id, _ := p.Attr(e, "id"); id != s.id {
			return false
		}
	}
	if len(s.classes) == 0 {
		return true
	}
	class, _ := p.Attr(e, "class")
	for _, want := range s.classes {
		if !hasClass(class, want) {
			return false
		}
	}
	return true
}

func hasClass(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// The most bytes of style sheets that are read, and the most hiding rules that are kept.
const (
	maxStyleBytes  = 256 << 10
	maxHidingRules = 200
)

// hidingRules reads the page's own style sheets. It drops a rule that a later one with the same selector cancels.
func (p *Page) hidingRules() (rules []simpleSelector) {
	shown := map[string]bool{}
	var hiding []string
	left := maxStyleBytes
	for i := range p.Elements {
		el := &p.Elements[i]
		if el.Tag != atom.Style {
			continue
		}
		if media, _ := p.Attr(ElementID(i), "media"); media != "" && !strings.Contains(media, "screen") && !strings.Contains(media, "all") {
			continue
		}
		for _, t := range p.Texts[el.TextStart:el.TextEnd] {
			if left -= len(t.Data); left < 0 {
				break
			}
			readSheet(t.Data, func(selector, declarations string) {
				switch low := strings.ToLower(declarations); {
				case hides(low):
					shown[selector] = false
					hiding = append(hiding, selector)
				case strings.Contains(low, "display") || strings.Contains(low, "visibility") || strings.Contains(low, "opacity"):
					shown[selector] = true
				}
			})
		}
	}
	for _, s := range hiding {
		if r, ok := parseSimple(s); ok && !shown[s] && len(rules) < maxHidingRules {
			rules = append(rules, r)
		}
	}
	return rules
}

// readSheet calls rule for each selector of each rule that applies to every screen, in order.
func readSheet(css string, rule func(selector, declarations string)) {
	css = withoutComments(css)
	for css != "" {
		open := strings.IndexByte(css, '{')
		if open < 0 {
			return
		}
		prelude := strings.TrimSpace(css[:open])
		if strings.HasPrefix(prelude, "@") {
			css = css[open+1+blockLen(css[open+1:]):]
			continue
		}
		end := strings.IndexByte(css[open:], '}')
		if end < 0 {
			return
		}
		for s := range strings.SplitSeq(prelude, ",") {
			rule(strings.TrimSpace(s), css[open+1:open+end])
		}
		css = css[open+end+1:]
	}
}

// blockLen returns the length of a block, including its closing brace. css starts after the opening brace.
func blockLen(css string) int {
	depth := 1
	for i := range len(css) {
		switch css[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(css)
}

func withoutComments(css string) string {
	if !strings.Contains(css, "/*") {
		return css
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(css, "/*")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, css, _ = strings.Cut(rest, "*/")
	}
}

// parseSimple reads a selector; ok is false for one with combinators, pseudo-classes or attributes, and for one that
// matches everything.
func parseSimple(s string) (r simpleSelector, ok bool) {
	if s == "" || strings.ContainsAny(s, " >+~:[*()\\@%") {
		return r, false
	}
	for s != "" {
		end := len(s)
		if i := strings.IndexAny(s[1:], ".#"); i >= 0 {
			end = i + 1
		}
		part := s[:end]
		switch {
		case len(part) > 1 && part[0] == '.':
			r.classes = append(r.classes, part[1:])
		case len(part) > 1 && part[0] == '#':
			r.id = part[1:]
		case part[0] != '.' && part[0] != '#':
			r.tag = strings.ToLower(part)
		default:
			return r, false
		}
		s = s[end:]
	}
	return r, true
}
