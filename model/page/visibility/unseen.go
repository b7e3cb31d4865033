package visibility

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// Unseen says for each element whether a browser without scripts would not show it: by its own style attribute, the
// hidden attribute, or a rule with a simple selector in the page's own style sheets. Everything in such an element is
// not shown either. Style sheets in other files are not known here, so an element that is not reported may still be
// hidden.
func Unseen(p *page.Page) []bool {
	unseen := make([]bool, len(p.Elements))
	rules := hidingRules(p)
	for e := range p.Elements {
		id := page.ElementID(e)
		if up := p.Elements[e].Parent; up != page.None && unseen[up] {
			unseen[e] = true
			continue
		}
		if id > p.Body {
			unseen[e] = isHidden(p, id, rules)
		}
	}
	return unseen
}

// isHidden reports whether e itself is hidden.
func isHidden(p *page.Page, e page.ElementID, rules []simpleSelector) bool {
	var id, class string
	for _, a := range p.Attrs(e) {
		switch a.Key {
		case "id":
			id = a.Val
		case "class":
			class = a.Val
		case "hidden":
			return true
		case "style":
			if hides(a.Val) {
				return true
			}
		}
	}
	for i := range rules {
		if rules[i].matches(p.Elements[e].Name, id, class) {
			return true
		}
	}
	return false
}

// hides reports whether CSS declarations make an element invisible: not displayed, hidden, fully transparent, cut to
// nothing, moved off the screen or without size. The last declaration of a property wins.
func hides(declarations string) bool {
	var style ownLook
	for decl := range strings.SplitSeq(strings.ToLower(declarations), ";") {
		name, value, _ := strings.Cut(decl, ":")
		if property := style.property(strings.TrimSpace(name)); property != nil {
			value, _, _ = strings.Cut(value, "!")
			*property = strings.TrimSpace(value)
		}
	}
	return style.isHidden()
}

// ownLook has the values of the properties that can make an element invisible.
type ownLook struct {
	display, visibility, contentVisibility, opacity, fontSize, height, width, maxHeight, overflow, position, clip, left, top, textIndent, color,
	background string
}

// property returns the value of a property, or nil if it makes nothing invisible.
func (s *ownLook) property(name string) *string {
	switch name {
	case "display":
		return &s.display
	case "visibility":
		return &s.visibility
	case "content-visibility":
		return &s.contentVisibility
	case "opacity":
		return &s.opacity
	case "font-size":
		return &s.fontSize
	case "height":
		return &s.height
	case "width":
		return &s.width
	case "max-height":
		return &s.maxHeight
	case "overflow":
		return &s.overflow
	case "position":
		return &s.position
	case "clip":
		return &s.clip
	case "left":
		return &s.left
	case "top":
		return &s.top
	case "text-indent":
		return &s.textIndent
	case "color":
		return &s.color
	case "background-color":
		return &s.background
	}
	return nil
}

func (s *ownLook) isHidden() bool {
	switch {
	case s.display == "none", s.visibility == "hidden", s.visibility == "collapse", s.contentVisibility == "hidden":
		return true
	case isZero(s.opacity), isZero(s.fontSize):
		return true
	case s.overflow == "hidden" && (isZero(s.height) || isZero(s.width) || isZero(s.maxHeight)):
		return true
	case s.position == "absolute" || s.position == "fixed":
		clip := strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(s.clip, "px", ""), " ", ""), ",", "")
		return isFarOff(s.left) || isFarOff(s.top) || clip == "rect(0000)" || clip == "rect(1111)"
	}
	return isFarOff(s.textIndent) || s.color == "transparent" || s.color != "" && s.color == s.background
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

// matches reports whether the selector matches an element by its name, id and classes.
func (s *simpleSelector) matches(name, id, class string) bool {
	if s.tag != "" && s.tag != name || s.id != "" && s.id != id {
		return false
	}
	for _, want := range s.classes {
		if !hasClass(class, want) {
			return false
		}
	}
	return true
}

func hasClass(list, word string) bool {
	if !strings.Contains(list, word) { // as in most
		return false
	}
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
func hidingRules(p *page.Page) (rules []simpleSelector) {
	hidden := map[string]bool{}
	var hiding []string
	left := maxStyleBytes
	for i := range p.Elements {
		el := &p.Elements[i]
		if el.Tag != atom.Style {
			continue
		}
		if media, _ := p.Attr(page.ElementID(i), "media"); media != "" && !strings.Contains(media, "screen") && !strings.Contains(media, "all") {
			continue
		}
		for _, t := range p.Texts[el.TextStart:el.TextEnd] {
			if left -= len(t.Data); left < 0 {
				break
			}
			readSheet(t.Data, func(selectors, declarations string) {
				low := strings.ToLower(declarations)
				hides := hides(low)
				if !hides && (len(hiding) == 0 || !strings.Contains(low, "display") && !strings.Contains(low, "visibility") && !strings.Contains(low, "opacity")) {
					return
				}
				for s := range strings.SplitSeq(selectors, ",") {
					s = strings.TrimSpace(s)
					hidden[s] = hides
					if hides {
						hiding = append(hiding, s)
					}
				}
			})
		}
	}
	for _, s := range hiding {
		if r, ok := parseSimple(s); ok && hidden[s] && len(rules) < maxHidingRules {
			rules = append(rules, r)
		}
	}
	return rules
}

// readSheet calls rule for each rule that applies to every screen, in order.
func readSheet(css string, rule func(selectors, declarations string)) {
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
		rule(prelude, css[open+1:open+end])
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
