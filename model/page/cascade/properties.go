package cascade

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// property is a longhand that can hide text.
type property uint8

const (
	display property = iota
	visibility
	opacity
	position
	top
	right
	bottom
	left
	width
	height
	minWidth
	minHeight
	maxWidth
	maxHeight
	overflowX
	overflowY
	marginTop
	marginRight
	marginBottom
	marginLeft
	paddingTop
	paddingRight
	paddingBottom
	paddingLeft
	clip
	clipPath
	transform
	scale
	rotate
	translate
	offsetPath
	fontSize
	fontSizeAdjust
	lineHeight
	letterSpacing
	textIndent
	textColor
	textFill
	textShadow
	textSecurity
	textStroke
	backgroundColor
	backgroundImage
	backgroundClip
	contentVisibility
	content
	filter
	maskImage
	zoom
	zIndex
	contain
	gridTemplateRows
	flexGrow
	flexBasis
	verticalAlign
	colorScheme
	animationName
	animationDuration
	animationDelay
	animationFill
	animationCount
	animationState
	properties // the number of them
)

// kind says which values a property takes.
type kind uint8

const (
	words  kind = iota // one word of a list, or several
	sizes              // a size, or a word
	counts             // a size that is not negative, or a word
	colors
	anything
)

type definition struct {
	id    property
	kind  kind
	words string
}

// definitions has the longhands by name.
//
//nolint:gochecknoglobals // a constant table
var definitions = map[string]definition{
	"display": {display, words, "none block inline inline-block flex inline-flex grid inline-grid table inline-table table-row table-cell " +
		"table-caption table-row-group table-header-group table-footer-group table-column table-column-group list-item contents flow flow-root " +
		"ruby ruby-text math -webkit-box -webkit-inline-box -webkit-flex -webkit-inline-flex grid-lanes inline-grid-lanes"},
	"visibility": {visibility, words, "visible hidden collapse"},
	"opacity":    {opacity, sizes, ""},
	"position":   {position, words, "static relative absolute fixed sticky -webkit-sticky"},
	"top":        {top, sizes, "auto"}, "right": {right, sizes, "auto"}, "bottom": {bottom, sizes, "auto"}, "left": {left, sizes, "auto"},
	"width": {width, counts, sizeWords}, "height": {height, counts, sizeWords},
	"min-width": {minWidth, counts, sizeWords}, "min-height": {minHeight, counts, sizeWords},
	"max-width": {maxWidth, counts, sizeWords}, "max-height": {maxHeight, counts, sizeWords},
	"overflow-x": {overflowX, words, overflowWords}, "overflow-y": {overflowY, words, overflowWords},
	"margin-top": {marginTop, sizes, "auto"}, "margin-right": {marginRight, sizes, "auto"},
	"margin-bottom": {marginBottom, sizes, "auto"}, "margin-left": {marginLeft, sizes, "auto"},
	"padding-top": {paddingTop, counts, ""}, "padding-right": {paddingRight, counts, ""},
	"padding-bottom": {paddingBottom, counts, ""}, "padding-left": {paddingLeft, counts, ""},
	"clip": {clip, anything, ""}, "clip-path": {clipPath, anything, ""}, "transform": {transform, anything, ""},
	"scale": {scale, anything, ""}, "rotate": {rotate, anything, ""}, "translate": {translate, anything, ""}, "offset-path": {offsetPath, anything, ""},
	"font-size": {fontSize, counts, fontWords}, "font-size-adjust": {fontSizeAdjust, anything, ""},
	"line-height": {lineHeight, counts, "normal"}, "letter-spacing": {letterSpacing, sizes, "normal"}, "text-indent": {textIndent, anything, ""},
	"color": {textColor, colors, ""}, "-webkit-text-fill-color": {textFill, colors, ""}, "text-shadow": {textShadow, anything, ""},
	"-webkit-text-security": {textSecurity, words, "none disc circle square"}, "-webkit-text-stroke": {textStroke, anything, ""},
	"-webkit-text-stroke-width": {textStroke, anything, ""},
	"background-color":          {backgroundColor, colors, ""}, "background-image": {backgroundImage, anything, ""},
	"background-clip":    {backgroundClip, anything, ""},
	"content-visibility": {contentVisibility, words, "visible auto hidden"}, "content": {content, anything, ""},
	"filter": {filter, anything, ""}, "mask-image": {maskImage, anything, ""}, "zoom": {zoom, counts, "normal reset"},
	"z-index": {zIndex, sizes, "auto"}, "contain": {contain, words, "none strict content size inline-size layout style paint"},
	"grid-template-rows": {gridTemplateRows, anything, ""}, "flex-grow": {flexGrow, counts, ""}, "flex-basis": {flexBasis, counts, sizeWords},
	"vertical-align": {verticalAlign, sizes, "baseline sub super top text-top middle bottom text-bottom -webkit-baseline-middle"},
	"color-scheme":   {colorScheme, anything, ""},
	"animation-name": {animationName, anything, ""}, "animation-duration": {animationDuration, anything, ""},
	"animation-delay": {animationDelay, anything, ""}, "animation-fill-mode": {animationFill, anything, ""},
	"animation-iteration-count": {animationCount, anything, ""}, "animation-play-state": {animationState, anything, ""},
}

const (
	sizeWords     = "auto none content min-content max-content fit-content stretch -webkit-fill-available -webkit-min-content -webkit-max-content -webkit-fit-content"
	overflowWords = "visible hidden clip scroll auto overlay"
	fontWords     = "xx-small x-small small medium large x-large xx-large xxx-large smaller larger math"
	wideWords     = "inherit initial unset revert revert-layer"
)

// aliases are the other names of properties. Writing runs from left to right and down.
//
//nolint:gochecknoglobals // a constant table
var aliases = map[string]string{
	"inline-size": "width", "block-size": "height", "min-inline-size": "min-width", "min-block-size": "min-height", "max-inline-size": "max-width",
	"max-block-size": "max-height", "overflow-inline": "overflow-x", "overflow-block": "overflow-y",
	"inset-inline-start": "left", "inset-inline-end": "right", "inset-block-start": "top", "inset-block-end": "bottom",
	"margin-inline-start": "margin-left", "margin-inline-end": "margin-right", "margin-block-start": "margin-top", "margin-block-end": "margin-bottom",
	"padding-inline-start": "padding-left", "padding-inline-end": "padding-right", "padding-block-start": "padding-top", "padding-block-end": "padding-bottom",
	"-webkit-margin-start": "margin-left", "-webkit-padding-start": "padding-left", "offset": "offset-path",
}

// setting is a value of a longhand.
type setting struct {
	id    property
	value []token
}

// declaration sets longhands, or a custom property.
type declaration struct {
	name string
	set  []setting
	// value is that of a custom property, or one with var() in it, whose longhands follow when the properties are known.
	value     []token
	important bool
	custom    bool
}

// appendDeclaration reads a declaration. It leaves out what browsers ignore, and what can hide nothing.
func appendDeclaration(list []declaration, tokens []token) []declaration {
	tokens = trimmed(tokens)
	if len(tokens) < 2 || tokens[0].kind != css.IdentToken {
		return list
	}
	d := declaration{name: tokens[0].text}
	if tokens = trimmed(tokens[1:]); len(tokens) == 0 || tokens[0].kind != css.ColonToken {
		return list
	}
	value := trimmed(tokens[1:])
	if n := len(value); n > 1 && value[n-1].isWord("important") {
		if bang := trimmed(value[:n-1]); bang[len(bang)-1].is("!") {
			d.important, value = true, trimmed(bang[:len(bang)-1])
		}
	}
	if strings.HasPrefix(d.name, "--") {
		d.custom, d.value = true, slices.Clone(value)
		return append(list, d)
	}
	d.name = strings.ToLower(d.name)
	if d.name = withoutPrefix(d.name); !isKnown(d.name) {
		return list
	}
	if slices.ContainsFunc(value, func(t token) bool { return t.kind == css.FunctionToken && isSubstituted(t.text) }) {
		d.value = slices.Clone(value)
		return append(list, d)
	}
	set, _ := expand(d.name, slices.Clone(value))
	if len(set) == 0 {
		return list
	}
	d.set = set
	return append(list, d)
}

// isSubstituted reports whether a function stands for tokens that are known only at an element.
func isSubstituted(name string) bool { return name == "var" || name == "attr" || name == "if" }

func withoutPrefix(name string) string {
	if rest, ok := strings.CutPrefix(name, "-webkit-"); ok && !strings.HasPrefix(rest, "text-") && isKnown(rest) {
		return rest
	}
	return name
}

// isKnown reports whether a property can hide something.
func isKnown(name string) bool {
	_, long := definitions[name]
	_, alias := aliases[name]
	return long || alias || isShorthand(name)
}

// expand returns the longhands that a declaration sets, none if it is not valid. known is false for a property that can
// hide nothing.
func expand(name string, value []token) (set []setting, known bool) {
	if alias, ok := aliases[name]; ok {
		name = alias
	}
	if len(value) == 0 {
		return nil, isKnown(name)
	}
	if isShorthand(name) {
		return expandShorthand(name, value), true
	}
	d, ok := definitions[name]
	if !ok {
		return nil, false
	}
	if isWide(value) || d.allows(value) {
		return []setting{{d.id, value}}, true
	}
	return nil, true
}

// isWide reports whether a value is one that all properties take.
func isWide(value []token) bool {
	return len(value) == 1 && value[0].kind == css.IdentToken && hasWord(wideWords, value[0].text)
}

func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// allows reports whether a value is valid.
func (d definition) allows(value []token) bool {
	isWord := len(value) == 1 && value[0].kind == css.IdentToken && hasWord(d.words, value[0].text)
	switch d.kind {
	case words:
		for _, t := range value {
			if t.kind != css.WhitespaceToken && !(t.kind == css.IdentToken && hasWord(d.words, t.text)) {
				return false
			}
		}
		return true
	case sizes, counts:
		if isWord || value[0].kind == css.FunctionToken && (value[0].text == "fit-content" || strings.HasPrefix(value[0].text, "anchor")) {
			return true
		}
		s, ok := sizeOf(value)
		return ok && (d.kind == sizes || value[0].kind == css.FunctionToken || s.px+s.em+s.rem+s.percent+s.number >= 0)
	case colors:
		if value[0].isWord("currentcolor") && len(value) == 1 {
			return true
		}
		_, ok := colorOf(value, false)
		return ok
	}
	return true
}
