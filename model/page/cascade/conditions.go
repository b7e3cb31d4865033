package cascade

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// truth is a value of the logic of conditions (Media Queries 4 §3.1).
type truth int8

const (
	no    truth = -1
	maybe truth = 0
	yes   truth = 1
)

func is(b bool) truth {
	if b {
		return yes
	}
	return no
}

// mediaQueries evaluates a list of media queries for the nominal screen. An empty list is true.
func mediaQueries(tokens []token) truth {
	if len(trimmed(tokens)) == 0 {
		return yes
	}
	best := no
	for _, q := range split(tokens, ",") {
		best = max(best, mediaQuery(trimmed(q)))
	}
	return best
}

func mediaQuery(tokens []token) truth {
	negative := len(tokens) > 0 && tokens[0].isWord("not")
	if negative && len(tokens) > 1 && trimmed(tokens[1:])[0].kind != css.IdentToken {
		return condition(tokens, mediaFeature, 0)
	}
	if negative || len(tokens) > 0 && tokens[0].isWord("only") {
		tokens = trimmed(tokens[1:])
	}
	if len(tokens) == 0 {
		return no
	}
	result := yes
	if t := tokens[0]; t.kind == css.IdentToken {
		result = is(t.isWord("screen") || t.isWord("all"))
		if tokens = trimmed(tokens[1:]); len(tokens) > 0 {
			if !tokens[0].isWord("and") {
				return no
			}
			tokens = trimmed(tokens[1:])
		}
	}
	if len(tokens) > 0 {
		result = min(result, condition(tokens, mediaFeature, 0))
	}
	if negative {
		return -result
	}
	return result
}

// condition evaluates features with not, and, or.
func condition(tokens []token, feature func([]token) truth, depth int) truth {
	if tokens = trimmed(tokens); depth > maxNested || len(tokens) == 0 {
		return maybe
	}
	if tokens[0].isWord("not") {
		return -condition(tokens[1:], feature, depth+1)
	}
	result, word := yes, ""
	for first := true; len(tokens) > 0; first = false {
		if !first {
			word = strings.ToLower(tokens[0].text)
			tokens = trimmed(tokens[1:])
		}
		if len(tokens) == 0 || tokens[0].opens() == 0 {
			return maybe
		}
		var one truth
		inside, after := brackets(tokens)
		switch inside = trimmed(inside); {
		case tokens[0].kind == css.FunctionToken:
			one = feature(tokens[:len(tokens)-len(after)])
		case len(inside) > 0 && (inside[0].opens() == ')' || inside[0].isWord("not")):
			one = condition(inside, feature, depth+1)
		default:
			one = feature(inside)
		}
		switch word {
		case "or":
			result = max(result, one)
		case "and":
			result = min(result, one)
		default:
			result = one
		}
		tokens = trimmed(after)
	}
	return result
}

// mediaFeature evaluates what is in the brackets of a media feature.
func mediaFeature(tokens []token) truth {
	if i := indexOf(tokens, ":"); i >= 0 {
		name := strings.ToLower(layerName(trimmed(tokens[:i])))
		value := trimmed(tokens[i+1:])
		switch {
		case strings.HasPrefix(name, "min-"):
			return compare(name[4:], ">=", value)
		case strings.HasPrefix(name, "max-"):
			return compare(name[4:], "<=", value)
		}
		return compare(name, "=", value)
	}
	return mediaRange(tokens)
}

// mediaRange evaluates a feature by itself, or in the form 400px <= width < 1000px.
func mediaRange(tokens []token) truth {
	var sides [][]token
	var ops []string
	from := 0
	for i := 0; i < len(tokens); i++ {
		if t := tokens[i]; t.is("<") || t.is(">") || t.is("=") {
			op, end := t.text, i+1
			if end < len(tokens) && tokens[end].is("=") {
				op, end = op+"=", end+1
			}
			sides, ops = append(sides, trimmed(tokens[from:i])), append(ops, op)
			from, i = end, end-1
		}
	}
	sides = append(sides, trimmed(tokens[from:]))
	turned := map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
	switch {
	case len(sides) == 1:
		return compare(strings.ToLower(layerName(sides[0])), "", nil)
	case len(sides) == 2 && len(sides[0]) == 1 && sides[0][0].kind == css.IdentToken:
		return compare(strings.ToLower(sides[0][0].text), ops[0], sides[1])
	case len(sides) == 2 && len(sides[1]) == 1:
		return compare(strings.ToLower(sides[1][0].text), turned[ops[0]], sides[0])
	case len(sides) == 3 && len(sides[1]) == 1:
		name := strings.ToLower(sides[1][0].text)
		return min(compare(name, turned[ops[0]], sides[0]), compare(name, ops[1], sides[2]))
	}
	return maybe
}

// compare evaluates a feature of the nominal screen. An empty op asks whether it has it at all.
func compare(name, op string, value []token) truth {
	have := 0.0
	switch strings.TrimPrefix(name, "device-") {
	case "width":
		have = screenWidth
	case "height":
		have = screenHeight
	case "aspect-ratio":
		have = screenWidth / float64(screenHeight)
	case "resolution", "-webkit-device-pixel-ratio":
		have = 1
	case "color":
		have = 8
	case "monochrome", "color-index", "grid":
	default:
		return discrete(name, op, value)
	}
	if op == "" {
		return is(have != 0)
	}
	want, ok := featureValue(value)
	if !ok {
		return maybe
	}
	switch op {
	case "<":
		return is(have < want)
	case "<=":
		return is(have <= want)
	case ">":
		return is(have > want)
	case ">=":
		return is(have >= want)
	}
	return is(have == want)
}

// featureValue reads a length, a ratio, a resolution or a number.
func featureValue(value []token) (float64, bool) {
	if parts := split(value, "/"); len(parts) == 2 {
		a, okA := sizeOf(parts[0])
		b, okB := sizeOf(parts[1])
		return a.number / b.number, okA && okB && a.known && b.known && b.number != 0
	}
	if len(value) == 1 && value[0].kind == css.DimensionToken {
		switch value[0].text {
		case "dppx", "x":
			return value[0].num, true
		case "dpi":
			return value[0].num / 96, true
		case "dpcm":
			return value[0].num * 2.54 / 96, true
		}
	}
	s, ok := sizeOf(value)
	return s.in(16, 16, 0), ok && s.known
}

// discrete evaluates a feature with words as values. Those of a reader's wishes are as nobody has set them.
func discrete(name, op string, value []token) truth {
	var have string
	switch name {
	case "orientation":
		have = "landscape"
	case "hover", "any-hover":
		have = "hover"
	case "pointer", "any-pointer":
		have = "fine"
	case "prefers-color-scheme":
		have = "light"
	case "prefers-reduced-motion", "prefers-contrast", "prefers-reduced-transparency", "prefers-reduced-data":
		have = "no-preference"
	case "forced-colors", "inverted-colors":
		have = "none"
	case "display-mode":
		have = "browser"
	case "scan":
		have = "progressive"
	case "update":
		have = "fast"
	case "overflow-block", "overflow-inline":
		have = "scroll"
	case "scripting":
		have = "enabled"
	case "dynamic-range", "video-dynamic-range":
		have = "standard"
	case "-webkit-transform-3d", "-webkit-transition", "-webkit-animation":
		return yes
	default:
		if strings.HasPrefix(name, "-ms-") || strings.HasPrefix(name, "-moz-") || strings.HasPrefix(name, "-o-") {
			return no
		}
		return maybe
	}
	if op == "" {
		return is(have != "none" && have != "no-preference")
	}
	return is(len(value) == 1 && value[0].isWord(have))
}

// indexOf is the place of a token outside of brackets, or -1.
func indexOf(tokens []token, c string) int {
	if parts := split(tokens, c); len(parts) > 1 {
		return len(parts[0])
	}
	return -1
}

// supports evaluates @supports. What is a matter of the browser's version is not decided.
func (s *sheet) supports(tokens []token) truth {
	return condition(tokens, func(tokens []token) truth {
		if len(tokens) > 0 && tokens[0].kind == css.FunctionToken {
			inside, _ := brackets(tokens)
			if tokens[0].text == "selector" {
				p := selectorParser{sheet: s}
				if _, ok := p.list(trimmed(inside)); ok {
					return yes
				}
			}
			return maybe
		}
		i := indexOf(tokens, ":")
		if i < 0 {
			return maybe
		}
		return supported(strings.ToLower(layerName(trimmed(tokens[:i]))), trimmed(tokens[i+1:]))
	}, 0)
}

// supported reports whether browsers know a declaration.
func supported(name string, value []token) truth {
	switch {
	case strings.HasPrefix(name, "--"):
		return yes
	case strings.HasPrefix(name, "-moz-"), strings.HasPrefix(name, "-ms-"), strings.HasPrefix(name, "-o-"), strings.HasPrefix(name, "-khtml-"):
		return no
	}
	set, known := expand(name, value)
	switch {
	case !known:
		return maybe
	case len(set) == 0:
		return no
	}
	return yes
}
