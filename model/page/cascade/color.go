package cascade

import (
	"math"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/image/colornames"
)

// color is a colour in sRGB, each part in [0,1].
type color struct {
	r, g, b, a float64
	// known is false for a colour that can't be computed here.
	known bool
}

func gray(v float64) color { return color{v, v, v, 1, true} }

// over is the colour that c makes on top of an opaque one.
func (c color) over(under color) color {
	mix := func(top, bottom float64) float64 { return top*c.a + bottom*(1-c.a) }
	return color{mix(c.r, under.r), mix(c.g, under.g), mix(c.b, under.b), 1, c.known && under.known}
}

// luminance is the relative luminance of WCAG 2.
func (c color) luminance() float64 {
	return .2126*linear(c.r) + .7152*linear(c.g) + .0722*linear(c.b)
}

func linear(v float64) float64 {
	if v <= .04045 {
		return v / 12.92
	}
	return math.Pow((v+.055)/1.055, 2.4)
}

func gamma(v float64) float64 {
	if v = min(max(v, 0), 1); v <= .0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - .055
}

// minContrast is the contrast below which nobody can read a text: 1.2 of 21. Pages set 1.3 and more for hints.
const minContrast = 1.2

// isLike reports whether a text of colour c can't be read on an opaque background. Colours of the same luminance can
// differ in hue.
func (c color) isLike(background color) bool {
	seen := c.over(background)
	a, b := seen.luminance(), background.luminance()
	if a < b {
		a, b = b, a
	}
	const sameHue = .12
	apart := math.Abs(seen.r-background.r) + math.Abs(seen.g-background.g) + math.Abs(seen.b-background.b)
	return (a+.05)/(b+.05) < minContrast && (apart < 3*sameHue)
}

// colorOf reads a colour. ok is false for what is none.
func colorOf(tokens []token, dark bool) (c color, ok bool) {
	tokens = trimmed(tokens)
	if len(tokens) == 0 {
		return c, false
	}
	t := tokens[0]
	if t.kind == css.FunctionToken {
		inside, after := brackets(tokens)
		if len(trimmed(after)) > 0 {
			return c, false
		}
		return colorFunction(t.text, inside, dark)
	}
	if len(tokens) > 1 {
		return c, false
	}
	switch t.kind {
	case css.HashToken:
		return hexColor(t.text)
	case css.IdentToken:
		return namedColor(strings.ToLower(t.text), dark)
	}
	return c, false
}

func hexColor(s string) (color, bool) {
	if len(s) == 3 || len(s) == 4 {
		var b strings.Builder
		for i := range len(s) {
			b.WriteString(s[i:i+1] + s[i:i+1])
		}
		s = b.String()
	}
	if len(s) == 6 {
		s += "ff"
	}
	n, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 8 {
		return color{}, false
	}
	part := func(shift uint) float64 { return float64(n>>shift&0xff) / 255 }
	return color{part(24), part(16), part(8), part(0), true}, true
}

func namedColor(name string, dark bool) (color, bool) {
	ink, paper := gray(0), gray(1)
	if dark {
		ink, paper = gray(1), gray(.07)
	}
	switch name {
	case "transparent":
		return color{known: true}, true
	case "rebeccapurple":
		return color{.4, .2, .6, 1, true}, true
	case "canvas", "field", "window":
		return paper, true
	case "canvastext", "fieldtext", "buttontext", "windowtext", "text":
		return ink, true
	case "buttonface", "threedface", "buttonborder":
		return gray(.94), true
	case "linktext", "visitedtext", "activetext", "-webkit-link", "highlight", "accentcolor", "selecteditem":
		return color{0, 0, .93, 1, true}, true
	case "highlighttext", "accentcolortext", "selecteditemtext":
		return gray(1), true
	case "graytext":
		return gray(.5), true
	case "mark":
		return color{1, 1, 0, 1, true}, true
	case "marktext":
		return gray(0), true
	}
	if c, ok := colornames.Map[name]; ok {
		return color{float64(c.R) / 255, float64(c.G) / 255, float64(c.B) / 255, 1, true}, true
	}
	return color{}, false
}

// colorFunction reads a colour function (CSS Color 4 and 5). One that is not known here is a colour that is not known.
func colorFunction(name string, inside []token, dark bool) (color, bool) {
	switch name {
	case "light-dark":
		args := split(inside, ",")
		if len(args) != 2 {
			return color{}, false
		}
		if dark {
			return colorOf(args[1], dark)
		}
		return colorOf(args[0], dark)
	case "color-mix":
		return mixed(inside, dark)
	case "rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color":
	case "var", "device-cmyk", "contrast-color", "if", "attr":
		return color{}, true
	default:
		return color{}, false
	}
	parts, space, ok := channels(inside)
	if !ok {
		return color{}, len(inside) > 0 && inside[0].isWord("from")
	}
	return inSpace(name, space, parts), true
}

// channel is one argument of a colour function.
type channel struct {
	n       float64
	percent bool
}

// of returns the channel where 100 % are whole.
func (c channel) of(whole float64) float64 {
	if c.percent {
		return c.n / 100 * whole
	}
	return c.n
}

// channels reads three channels and alpha, with commas or without.
func channels(inside []token) (parts []channel, space string, ok bool) {
	for _, t := range inside {
		switch {
		case t.kind == css.WhitespaceToken, t.is(","), t.is("/"):
		case t.kind == css.NumberToken:
			parts = append(parts, channel{n: t.num})
		case t.kind == css.PercentageToken:
			parts = append(parts, channel{t.num, true})
		case t.kind == css.DimensionToken:
			angle, isAngle := angleOf([]token{t})
			if !isAngle {
				return nil, "", false
			}
			parts = append(parts, channel{n: angle * 180 / math.Pi})
		case t.isWord("none"):
			parts = append(parts, channel{})
		case t.kind == css.IdentToken && len(parts) == 0 && space == "":
			space = strings.ToLower(t.text)
		default:
			return nil, "", false
		}
	}
	if len(parts) == 3 {
		parts = append(parts, channel{n: 1})
	}
	return parts, space, len(parts) == 4
}

func inSpace(name, space string, p []channel) color {
	alpha := min(max(p[3].of(1), 0), 1)
	clamped := func(r, g, b float64) color {
		return color{min(max(r, 0), 1), min(max(g, 0), 1), min(max(b, 0), 1), alpha, true}
	}
	switch name {
	case "rgb", "rgba":
		return clamped(p[0].of(255)/255, p[1].of(255)/255, p[2].of(255)/255)
	case "hsl", "hsla":
		s, l := min(p[1].n/100, 1), p[2].n/100
		f := func(n float64) float64 {
			k := math.Mod(math.Mod(n+p[0].n/30, 12)+12, 12)
			return l - s*min(l, 1-l)*max(-1, min(k-3, 9-k, 1))
		}
		return clamped(f(0), f(8), f(4))
	case "hwb":
		w, b := p[1].n/100, p[2].n/100
		if w+b >= 1 {
			return clamped(w/(w+b), w/(w+b), w/(w+b))
		}
		pure := inSpace("hsl", "", []channel{p[0], {n: 100}, {n: 50}, p[3]})
		return clamped(pure.r*(1-w-b)+w, pure.g*(1-w-b)+w, pure.b*(1-w-b)+w)
	case "color":
		switch space {
		case "srgb", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020": // near enough
			return clamped(p[0].of(1), p[1].of(1), p[2].of(1))
		case "srgb-linear":
			return clamped(gamma(p[0].of(1)), gamma(p[1].of(1)), gamma(p[2].of(1)))
		}
		return color{}
	case "lch", "oklch":
		most := map[string]float64{"lch": 150, "oklch": .4}[name]
		chroma, hue := p[1].of(most), p[2].n*math.Pi/180
		return inSpace(strings.Replace(name, "ch", "ab", 1), "", []channel{p[0], {n: chroma * math.Cos(hue)}, {n: chroma * math.Sin(hue)}, p[3]})
	case "oklab":
		return clamped(fromOklab(p[0].of(1), p[1].of(.4), p[2].of(.4)))
	case "lab":
		return clamped(fromLab(p[0].of(100), p[1].of(125), p[2].of(125)))
	}
	return color{}
}

// fromOklab and fromLab are the conversions of CSS Color 4 §18, from D65 and, about, from D50.
func fromOklab(lightness, a, b float64) (red, green, blue float64) {
	cube := func(v float64) float64 { return v * v * v }
	l := cube(lightness + .3963377774*a + .2158037573*b)
	m := cube(lightness - .1055613458*a - .0638541728*b)
	s := cube(lightness - .0894841775*a - 1.2914855480*b)
	return gamma(4.0767416621*l - 3.3077115913*m + .2309699292*s), gamma(-1.2684380046*l + 2.6097574011*m - .3413193965*s),
		gamma(-.0041960863*l - .7034186147*m + 1.7076147010*s)
}

func fromLab(lightness, a, b float64) (red, green, blue float64) {
	fy := (lightness + 16) / 116
	back := func(f float64) float64 {
		if f > 6./29 {
			return f * f * f
		}
		return 3 * 36. / 841 * (f - 4./29)
	}
	x, y, z := .9642*back(fy+a/500), back(fy), .8249*back(fy-b/200)
	return gamma(3.1339*x - 1.6169*y - .4906*z), gamma(-.9788*x + 1.9161*y + .0335*z), gamma(.0719*x - .2290*y + 1.4052*z)
}

// mixed reads color-mix(): the mean in sRGB, whatever the space, is near enough.
func mixed(inside []token, dark bool) (color, bool) {
	args := split(inside, ",")
	if len(args) != 3 {
		return color{}, true
	}
	var colors [2]color
	var weights [2]float64
	for i := range colors {
		var rest []token
		weights[i] = -1
		for _, t := range args[i+1] {
			if t.kind == css.PercentageToken {
				weights[i] = t.num / 100
			} else {
				rest = append(rest, t)
			}
		}
		colors[i], _ = colorOf(rest, dark)
	}
	switch {
	case weights[0] < 0 && weights[1] < 0:
		weights = [2]float64{.5, .5}
	case weights[0] < 0:
		weights[0] = 1 - weights[1]
	case weights[1] < 0:
		weights[1] = 1 - weights[0]
	}
	a, b := colors[0], colors[1]
	alpha := a.a*weights[0] + b.a*weights[1]
	if !a.known || !b.known || alpha <= 0 {
		return color{known: a.known && b.known}, true
	}
	mix := func(x, y float64) float64 { return (x*a.a*weights[0] + y*b.a*weights[1]) / alpha }
	return color{mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), min(alpha, 1), true}, true
}
