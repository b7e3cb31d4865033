package cascade

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// isShorthand reports whether a property sets several longhands that can hide something.
func isShorthand(name string) bool {
	switch name {
	case "all", "margin", "padding", "inset", "overflow", "font", "background", "mask", "flex", "animation", "grid", "grid-template",
		"inset-inline", "inset-block", "margin-inline", "margin-block", "padding-inline", "padding-block":
		return true
	}
	return false
}

func expandShorthand(name string, value []token) []setting {
	switch name {
	case "all":
		if !isWide(value) {
			return nil
		}
		var set []setting
		for id := range properties {
			set = append(set, setting{id, value})
		}
		return set
	case "margin":
		return sides(value, [4]string{"margin-top", "margin-right", "margin-bottom", "margin-left"})
	case "padding":
		return sides(value, [4]string{"padding-top", "padding-right", "padding-bottom", "padding-left"})
	case "inset":
		return sides(value, [4]string{"top", "right", "bottom", "left"})
	case "overflow":
		return pair(value, "overflow-x", "overflow-y")
	case "inset-inline":
		return pair(value, "left", "right")
	case "inset-block":
		return pair(value, "top", "bottom")
	case "margin-inline":
		return pair(value, "margin-left", "margin-right")
	case "margin-block":
		return pair(value, "margin-top", "margin-bottom")
	case "padding-inline":
		return pair(value, "padding-left", "padding-right")
	case "padding-block":
		return pair(value, "padding-top", "padding-bottom")
	case "font":
		return fontShorthand(value)
	case "background":
		return backgroundShorthand(value)
	case "mask":
		return []setting{{maskImage, value}}
	case "flex":
		return flexShorthand(value)
	case "animation":
		return animationShorthand(value)
	}
	rows := split(value, "/")[0] // grid and grid-template
	return []setting{{gridTemplateRows, trimmed(rows)}}
}

// items are the values of a list that white space separates.
func items(value []token) (list [][]token) {
	for value = trimmed(value); len(value) > 0; value = trimmed(value) {
		n := 1
		if value[0].opens() != 0 {
			_, after := brackets(value)
			n = len(value) - len(after)
		}
		list, value = append(list, value[:n]), value[n:]
	}
	return list
}

// sides expands one to four values.
func sides(value []token, names [4]string) (set []setting) {
	v := items(value)
	if len(v) == 0 || len(v) > 4 {
		return nil
	}
	for i, from := range [][4]int{{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 2, 1}, {0, 1, 2, 3}}[len(v)-1] {
		one, _ := expand(names[i], v[from])
		if len(one) == 0 {
			return nil
		}
		set = append(set, one...)
	}
	return set
}

// pair expands one or two values.
func pair(value []token, first, second string) []setting {
	v := items(value)
	if len(v) == 0 || len(v) > 2 {
		return nil
	}
	a, _ := expand(first, v[0])
	b, _ := expand(second, v[len(v)-1])
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	return append(a, b...)
}

func word(s string) []token { return []token{{kind: css.IdentToken, text: s}} }

// fontShorthand reads the size and the height of lines. What is before the size are words and a weight.
func fontShorthand(value []token) []setting {
	if isWide(value) {
		return []setting{{fontSize, value}, {lineHeight, value}}
	}
	list := items(value)
	if len(list) == 1 && list[0][0].kind == css.IdentToken {
		return []setting{{fontSize, word("medium")}, {lineHeight, word("normal")}} // caption, menu …
	}
	size := definitions["font-size"]
	for i, v := range list {
		isWeight := v[0].kind == css.NumberToken && v[0].num >= 1
		if isWeight || !size.allows(v) {
			if v[0].kind == css.IdentToken || isWeight || v[0].kind == css.DimensionToken && v[0].text == "deg" {
				continue
			}
			return nil
		}
		set := []setting{{fontSize, v}, {lineHeight, word("normal")}}
		rest := list[i+1:]
		if len(rest) > 1 && rest[0][0].is("/") {
			if !definitions["line-height"].allows(rest[1]) {
				return nil
			}
			set[1].value, rest = rest[1], rest[2:]
		}
		if len(rest) == 0 { // a family is needed
			return nil
		}
		return set
	}
	return nil
}

const backgroundWords = "repeat no-repeat repeat-x repeat-y space round scroll fixed local center top left right bottom x-start x-end cover contain auto " +
	"border-box padding-box content-box text none"

// isImage reports whether a value is a picture.
func isImage(t token) bool {
	return t.kind == css.URLToken || t.kind == css.FunctionToken && (t.text == "url" || strings.Contains(t.text, "gradient") || strings.Contains(t.text, "image") ||
		t.text == "cross-fade" || t.text == "element" || t.text == "paint")
}

func backgroundShorthand(value []token) []setting {
	if isWide(value) {
		return []setting{{backgroundColor, value}, {backgroundImage, value}, {backgroundClip, value}}
	}
	set := []setting{{backgroundColor, word("transparent")}, {backgroundImage, word("none")}, {backgroundClip, word("border-box")}}
	for _, one := range split(value, ",") {
		for _, v := range items(one) {
			switch {
			case isImage(v[0]):
				set[1].value = value
			case v[0].isWord("text"):
				set[2].value = v
			case v[0].kind == css.IdentToken && hasWord(backgroundWords, v[0].text), v[0].is("/"):
			case definitions["background-color"].allows(v):
				set[0].value = v
			default:
				if _, ok := sizeOf(v); !ok {
					return nil
				}
			}
		}
	}
	return set
}

func flexShorthand(value []token) []setting {
	if isWide(value) {
		return []setting{{flexGrow, value}, {flexBasis, value}}
	}
	zero := []token{{kind: css.NumberToken}}
	set := []setting{{flexGrow, []token{{kind: css.NumberToken, num: 1}}}, {flexBasis, zero}}
	numbers := 0
	for _, v := range items(value) {
		switch {
		case v[0].isWord("none"):
			set[0].value, set[1].value = zero, word("auto")
		case v[0].kind == css.NumberToken && numbers < 2:
			if numbers++; numbers == 1 {
				set[0].value = v
			}
		case definitions["flex-basis"].allows(v):
			set[1].value = v
		default:
			return nil
		}
	}
	return set
}

// animationShorthand reads the animations, each longhand as a list.
func animationShorthand(value []token) []setting {
	set := []setting{{animationName, nil}, {animationDuration, nil}, {animationDelay, nil}, {animationFill, nil}, {animationCount, nil}, {animationState, nil}}
	if isWide(value) {
		for i := range set {
			set[i].value = value
		}
		return set
	}
	for i, one := range split(value, ",") {
		v := [6][]token{word("none"), {{kind: css.DimensionToken, text: "s"}}, {{kind: css.DimensionToken, text: "s"}}, word("none"), {{kind: css.NumberToken, num: 1}}, word("running")}
		times := 0
		for _, it := range items(one) {
			switch t := it[0]; {
			case t.kind == css.DimensionToken:
				v[min(1+times, 2)] = it
				times++
			case t.kind == css.NumberToken || t.isWord("infinite"):
				v[4] = it
			case t.isWord("forwards") || t.isWord("backwards") || t.isWord("both"):
				v[3] = it
			case t.isWord("paused") || t.isWord("running"):
				v[5] = it
			case t.kind == css.FunctionToken, t.kind == css.IdentToken && hasWord("linear ease ease-in ease-out ease-in-out step-start step-end normal reverse alternate alternate-reverse auto", t.text):
			case t.kind == css.IdentToken || t.kind == css.StringToken:
				v[0] = it
			}
		}
		for j := range set {
			if i > 0 {
				set[j].value = append(set[j].value, token{kind: css.CommaToken, text: ","})
			}
			set[j].value = append(set[j].value, v[j]...)
		}
	}
	return set
}
