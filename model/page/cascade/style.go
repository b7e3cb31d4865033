package cascade

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// style has the computed values of an element that its children need, and what people see of it.
type style struct {
	env *environment
	// font is the size of its font in pixels, rootFont that of the root. What follows is inherited as well.
	font, rootFont, line, letter float64
	indent                       size
	ink, fill                    color
	filled                       bool
	visible, secured, dark       bool
	// ground is the colour behind the text. grounded says that the element itself sets it, pictured that a picture lies
	// on it.
	ground             color
	grounded, pictured bool
	// solid says that an element around, but the root, has a background that covers what is behind.
	solid bool
	// opacity and scale are those of all elements around, multiplied.
	opacity, scale float64
	box, text      Sight
	by             Means
	// clips says that the element cuts what is outside of its height and width, 0 for those that are not known.
	clips                   bool
	clipHeight, clipWidth   float64
	display                 string
	closed, shadow, noBasis bool
	root                    bool
	// page says that it is html or body, which everything is in.
	page bool
}

func initialStyle() style {
	return style{font: 16, rootFont: 16, ink: gray(0), ground: gray(1), opacity: 1, scale: 1, visible: true, indent: size{known: true}, root: true}
}

// child returns the style of a child before its own rules: what is inherited, and what is around it.
func (s *style) child() style {
	c := *s
	c.text, c.by, c.display, c.closed, c.shadow, c.noBasis, c.root, c.page, c.grounded = Seen, Nothing, "", false, false, false, false, false, false
	return c
}

// compute sets what is inherited from the winners.
func (s *style) compute(won *winners, m *matcher, e int, parent *style) {
	s.page = m.tree.Name(e) == "body" || e == 0
	s.scheme(won, parent)
	s.fontSize(won, parent, e == 0)
	if w := &won[visibility]; w.set {
		switch keyword(w.value) {
		case "visible", "initial":
			s.visible = true
		case "hidden", "collapse":
			s.visible = false
		}
	}
	s.display = keyword(won[display].value)
	s.inks(won)
	s.grounds(won, parent)
	if w := &won[textIndent]; w.set && !s.unset(w.value) {
		if list := items(w.value); len(list) > 0 {
			s.indent, _ = sizeOf(list[0])
		}
	}
	if w := &won[letterSpacing]; w.set && !s.unset(w.value) {
		n, _ := sizeOf(w.value)
		s.letter = n.in(s.font, s.rootFont, s.font)
	}
	if w := &won[lineHeight]; w.set && !s.unset(w.value) {
		s.line = 0
		if n, ok := sizeOf(w.value); ok {
			if s.line = n.in(s.font, s.rootFont, s.font); n.number != 0 {
				s.line = n.number * s.font
			}
			s.line = max(s.line, tiny)
		}
	}
	if w := &won[textSecurity]; w.set && !s.unset(w.value) {
		s.secured = keyword(w.value) != "none" && keyword(w.value) != "initial"
	}
}

// tiny is a length that nobody sees.
const tiny = .01

// unset reports whether a value leaves an inherited property as it is.
func (s *style) unset(value []token) bool {
	switch keyword(value) {
	case "inherit", "unset", "revert", "revert-layer":
		return true
	}
	return false
}

// keyword returns the only word of a value in lower case, or an empty string.
func keyword(value []token) string {
	if len(value) == 1 && value[0].kind == css.IdentToken {
		return strings.ToLower(value[0].text)
	}
	return ""
}

// scheme sets the colours of a page that nothing sets: those of a dark page if it has no light scheme.
func (s *style) scheme(won *winners, parent *style) {
	w := &won[colorScheme]
	if !w.set || s.unset(w.value) {
		return
	}
	list := layerName(w.value)
	if s.dark = strings.Contains(list, "dark") && !strings.Contains(list, "light"); s.dark && parent.root {
		s.ink, s.ground = gray(1), gray(.07)
	}
}

func (s *style) fontSize(won *winners, parent *style, root bool) {
	w := &won[fontSize]
	if !w.set || s.unset(w.value) {
		return
	}
	switch key := keyword(w.value); key {
	case "xx-small", "x-small":
		s.font = 10
	case "small":
		s.font = 13
	case "medium", "initial", "math":
		s.font = 16
	case "large", "x-large", "xx-large", "xxx-large":
		s.font = 24
	case "smaller":
		s.font = parent.font / 1.2
	case "larger":
		s.font = parent.font * 1.2
	default:
		if n, ok := sizeOf(w.value); ok && n.known {
			s.font = max(n.in(parent.font, parent.rootFont, parent.font), 0)
		}
	}
	if root {
		s.rootFont = s.font
	}
}

// inks sets the colours of the text.
func (s *style) inks(won *winners) {
	if w := &won[textColor]; w.set && !s.unset(w.value) {
		switch keyword(w.value) {
		case "currentcolor":
		case "initial":
			s.ink, _ = namedColor("canvastext", s.dark)
		default:
			s.ink, _ = colorOf(w.value, s.dark)
		}
	}
	if w := &won[textFill]; w.set && !s.unset(w.value) {
		key := keyword(w.value)
		if s.filled = key != "currentcolor" && key != "initial"; s.filled {
			s.fill, _ = colorOf(w.value, s.dark)
		}
	}
}

// letters is the colour of the text.
func (s *style) letters() color {
	if s.filled {
		return s.fill
	}
	return s.ink
}

// grounds sets the background. Those of html and body are that of the page.
func (s *style) grounds(won *winners, parent *style) {
	picture := won[backgroundImage].set && hasPicture(won[backgroundImage].value)
	if strings.Contains(keyword(won[backgroundClip].value), "text") {
		return
	}
	if w := &won[backgroundColor]; w.set {
		c, ok := colorOf(w.value, s.dark)
		switch keyword(w.value) {
		case "currentcolor":
			c, ok = s.ink, true
		case "inherit":
			c, ok = parent.ground, true
		}
		if ok && (!c.known || c.a > 0) {
			s.ground, s.grounded = c.over(s.ground), true
			if c.a > .9 || !c.known {
				s.pictured = false
				s.solid = s.solid || !s.page
			}
		}
	}
	if picture {
		s.pictured = true
		if stops := stopsOf(won[backgroundImage].value, s.dark); len(stops) > 0 {
			s.solid = s.solid || !s.page
			s.gradient(stops)
		}
	}
}

// gradient sets the background to the stop of a gradient that is most like the text, because it is there somewhere.
func (s *style) gradient(stops []color) {
	alike := 0
	for _, c := range stops {
		if c.known && s.letters().known && s.letters().isLike(c.over(s.ground)) {
			alike++
		}
	}
	switch {
	case alike == len(stops):
		s.ground, s.pictured = stops[0].over(s.ground), false
	case stops[0].a > .5:
		for _, c := range stops {
			if !s.letters().isLike(c.over(s.ground)) {
				s.ground, s.pictured = c.over(s.ground), false
				break
			}
		}
	}
}

// stopsOf returns the colours of gradients. It returns none if there is another picture.
func stopsOf(value []token, dark bool) (stops []color) {
	for _, one := range split(value, ",") {
		for _, v := range items(one) {
			if !isImage(v[0]) {
				continue
			}
			if v[0].kind != css.FunctionToken || !strings.Contains(v[0].text, "gradient") {
				return nil
			}
			inside, _ := brackets(v)
			for _, stop := range split(inside, ",") {
				if list := items(stop); len(list) > 0 {
					if c, ok := colorOf(list[0], dark); ok {
						stops = append(stops, c)
					}
				}
			}
		}
	}
	return stops
}

func hasPicture(value []token) bool {
	for _, t := range value {
		if isImage(t) {
			return true
		}
	}
	return false
}
