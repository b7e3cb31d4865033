package cascade

import (
	"math"

	"github.com/tdewolff/parse/v2/css"
)

// The nominal screen: what a fetched page is shown on where nobody says. A desktop shows more than a phone, and the
// styles of pages hide more on a phone, often what stands elsewhere already.
const (
	screenWidth  = 1280
	screenHeight = 800
)

// size is a length, a percentage or a number, or a sum of them.
type size struct {
	px, em, rem, percent, number float64
	// known is false for what can't be computed here.
	known bool
}

func (s size) times(n float64) size {
	return size{s.px * n, s.em * n, s.rem * n, s.percent * n, s.number * n, s.known}
}

func (s size) plus(t size) size {
	return size{s.px + t.px, s.em + t.em, s.rem + t.rem, s.percent + t.percent, s.number + t.number, s.known && t.known}
}

// in returns the size in pixels, where 100 % are base pixels.
func (s size) in(font, rootFont, base float64) float64 {
	return s.px + s.em*font + s.rem*rootFont + s.percent/100*base + s.number
}

// roughly is the size in pixels for comparisons inside of functions.
func (s size) roughly() float64 { return s.in(16, 16, screenWidth) }

// unit returns one of a unit.
func unit(name string) (size, bool) {
	var px float64
	switch name {
	case "px":
		px = 1
	case "em":
		return size{em: 1, known: true}, true
	case "ex", "ch", "ic", "cap":
		return size{em: .5, known: true}, true
	case "lh":
		return size{em: 1.2, known: true}, true
	case "rem":
		return size{rem: 1, known: true}, true
	case "rex", "rch", "ric", "rcap":
		return size{rem: .5, known: true}, true
	case "rlh":
		return size{rem: 1.2, known: true}, true
	case "in":
		px = 96
	case "cm":
		px = 96 / 2.54
	case "mm":
		px = 96 / 25.4
	case "q":
		px = 96 / 101.6
	case "pt":
		px = 96. / 72
	case "pc":
		px = 16
	case "vw", "svw", "lvw", "dvw", "vi", "svi", "lvi", "dvi", "vmax", "svmax", "lvmax", "dvmax", "cqw", "cqi", "cqmax":
		px = screenWidth / 100.
	case "vh", "svh", "lvh", "dvh", "vb", "svb", "lvb", "dvb", "vmin", "svmin", "lvmin", "dvmin", "cqh", "cqb", "cqmin":
		px = screenHeight / 100.
	default:
		return size{}, false
	}
	return size{px: px, known: true}, true
}

// sizeOf reads one size.
func sizeOf(tokens []token) (size, bool) {
	tokens = trimmed(tokens)
	if len(tokens) == 0 {
		return size{}, false
	}
	t := tokens[0]
	if t.opens() != 0 {
		inside, after := brackets(tokens)
		if len(trimmed(after)) > 0 || t.kind != css.FunctionToken {
			return size{}, false
		}
		return mathFunction(t.text, inside, 0)
	}
	if len(tokens) > 1 {
		return size{}, false
	}
	return plainSize(t)
}

func plainSize(t token) (size, bool) {
	switch t.kind {
	case css.NumberToken:
		return size{number: t.num, known: true}, true
	case css.PercentageToken:
		return size{percent: t.num, known: true}, true
	case css.DimensionToken:
		u, ok := unit(t.text)
		return u.times(t.num), ok
	}
	return size{}, false
}

// mathFunction computes calc() and its like (CSS Values §10). What it does not know is a size that is not known.
func mathFunction(name string, inside []token, depth int) (size, bool) {
	if depth > maxNested {
		return size{}, true
	}
	switch name {
	case "calc", "-webkit-calc", "-moz-calc":
		return sum(inside, depth+1)
	case "min", "max", "clamp":
		var args []size
		for _, a := range split(inside, ",") {
			s, ok := sum(a, depth+1)
			if !ok {
				return size{}, false
			}
			args = append(args, s)
		}
		return extreme(name, args), true
	case "env":
		args := split(inside, ",")
		if len(args) < 2 {
			return size{known: true}, true
		}
		return sum(args[1], depth+1)
	case "rgb", "rgba", "hsl", "hsla", "url", "var":
		return size{}, false
	}
	return size{}, true
}

func extreme(name string, args []size) size {
	if name == "clamp" {
		if len(args) != 3 {
			return size{}
		}
		return extreme("max", []size{args[0], extreme("min", args[1:])})
	}
	best := size{}
	for i, a := range args {
		if !a.known {
			return size{}
		}
		if i == 0 || (name == "min") == (a.roughly() < best.roughly()) {
			best = a
		}
	}
	return best
}

// sum computes a sum of products.
func sum(tokens []token, depth int) (size, bool) {
	total, sign := size{known: true}, 1.0
	from := 0
	level := 0
	add := func(to int) bool {
		s, ok := product(trimmed(tokens[from:to]), depth)
		total = total.plus(s.times(sign))
		return ok
	}
	for i, t := range tokens {
		switch {
		case t.opens() != 0:
			level++
		case t.closes() != 0:
			level--
		case level == 0 && t.kind == css.DelimToken && (t.text == "+" || t.text == "-"):
			if !add(i) {
				return size{}, false
			}
			from, sign = i+1, 1
			if t.text == "-" {
				sign = -1
			}
		}
	}
	return total, add(len(tokens))
}

// product computes a product of one size and numbers.
func product(tokens []token, depth int) (size, bool) {
	result, by := size{number: 1, known: true}, byte('*')
	for len(tokens) > 0 {
		t := tokens[0]
		var s size
		ok := true
		switch {
		case t.kind == css.WhitespaceToken:
			tokens = tokens[1:]
			continue
		case t.is("*") || t.is("/"):
			by, tokens = t.text[0], tokens[1:]
			continue
		case t.kind == css.LeftParenthesisToken:
			var inside []token
			inside, tokens = brackets(tokens)
			s, ok = mathFunction("calc", inside, depth)
		case t.kind == css.FunctionToken:
			var inside []token
			inside, tokens = brackets(tokens)
			s, ok = mathFunction(t.text, inside, depth)
		case t.isWord("infinity"):
			s, tokens = size{number: math.MaxInt32, known: true}, tokens[1:]
		case t.isWord("-infinity"):
			s, tokens = size{number: math.MinInt32, known: true}, tokens[1:]
		case t.isWord("pi"):
			s, tokens = size{number: math.Pi, known: true}, tokens[1:]
		default:
			s, ok = plainSize(t)
			tokens = tokens[1:]
		}
		if !ok {
			return size{}, false
		}
		result = combine(result, s, by)
	}
	return result, true
}

func combine(a, b size, by byte) size {
	if by == '/' {
		if b.number == 0 {
			return size{px: math.MaxInt32, known: a.known && b.known}
		}
		r := a.times(1 / b.number)
		r.known = a.known && b.known
		return r
	}
	if a.px == 0 && a.em == 0 && a.rem == 0 && a.percent == 0 {
		a, b = b, a
	}
	r := a.times(b.number)
	r.known = a.known && b.known
	return r
}

// angleOf reads an angle, in radians.
func angleOf(tokens []token) (float64, bool) {
	tokens = trimmed(tokens)
	if len(tokens) != 1 {
		return 0, false
	}
	switch t := tokens[0]; {
	case t.kind == css.NumberToken && t.num == 0:
		return 0, true
	case t.kind != css.DimensionToken:
		return 0, false
	case t.text == "deg":
		return t.num * math.Pi / 180, true
	case t.text == "rad":
		return t.num, true
	case t.text == "grad":
		return t.num * math.Pi / 200, true
	case t.text == "turn":
		return t.num * 2 * math.Pi, true
	}
	return 0, false
}
