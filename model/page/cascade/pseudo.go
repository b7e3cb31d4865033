package cascade

import (
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// pseudo reads a pseudo-class or pseudo-element after its first colon. The name is empty for one that is always true.
func (p selectorParser) pseudo(tokens []token, s *selector) (ps pseudo, rest []token, ok bool) {
	element := len(tokens) > 0 && tokens[0].kind == css.ColonToken
	if element {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 || tokens[0].kind != css.IdentToken && tokens[0].kind != css.FunctionToken {
		return ps, nil, false
	}
	ps.name = strings.ToLower(tokens[0].text)
	var inside []token
	function := tokens[0].kind == css.FunctionToken
	if function {
		inside, rest = brackets(tokens)
	} else {
		rest = tokens[1:]
	}
	switch ps.name {
	case "first-line", "first-letter":
		s.part = true
		return pseudo{}, rest, !function
	case "before", "after", "marker", "placeholder", "selection", "backdrop", "cue", "file-selector-button", "details-content", "part", "slotted":
		return pseudo{name: "never"}, rest, true
	}
	if element {
		return pseudo{name: "never"}, rest, strings.HasPrefix(ps.name, "-webkit-") || ps.name == "highlight" || ps.name == "view-transition"
	}
	if function {
		ok = p.function(&ps, trimmed(inside))
	} else {
		ok = p.word(&ps)
	}
	return ps, rest, ok
}

// word reads a pseudo-class without arguments. Those of a state that a page at rest does not have match nothing.
func (p selectorParser) word(ps *pseudo) bool {
	switch ps.name {
	case "root", "empty", "link", "any-link", "first-child", "last-child", "only-child", "first-of-type", "last-of-type", "only-of-type", "scope",
		"checked", "disabled", "enabled", "open":
		return true
	case "hover", "active", "focus", "focus-within", "focus-visible", "visited", "target", "target-within", "fullscreen", "-webkit-full-screen",
		"modal", "popover-open", "host", "autofill", "-webkit-autofill", "user-invalid", "user-valid", "picture-in-picture", "past", "current", "future":
		ps.name = "never"
		return true
	case "defined":
		ps.name = ""
		return true
	case "required", "optional", "read-only", "read-write", "valid", "invalid", "in-range", "out-of-range", "indeterminate", "default",
		"placeholder-shown", "playing", "paused", "muted", "buffering", "stalled", "seeking", "volume-locked", "-webkit-any-link":
		ps.name, p.sheet.doubtful = "maybe", true
		return true
	}
	return false
}

// function reads a pseudo-class with arguments.
func (p selectorParser) function(ps *pseudo, tokens []token) (ok bool) {
	inner := p
	inner.nested, inner.scoped, inner.anchored = false, false, false
	inner.depth++
	switch ps.name {
	case "is", "where", "matches", "-webkit-any", "-moz-any":
		if ps.name != "where" {
			ps.name = "is"
		}
		inner.forgiving = true
		ps.args, ok = inner.list(tokens)
		return ok
	case "not":
		inner.forgiving = false
		ps.args, ok = inner.list(tokens)
		return ok
	case "has":
		inner.forgiving, inner.anchored = false, true
		ps.args, ok = inner.list(tokens)
		return ok
	case "nth-child", "nth-last-child":
		for i, t := range tokens {
			if t.isWord("of") {
				inner.forgiving = false
				if ps.args, ok = inner.list(trimmed(tokens[i+1:])); !ok {
					return false
				}
				tokens = trimmed(tokens[:i])
				break
			}
		}
		ps.a, ps.b, ok = nth(tokens)
		return ok
	case "nth-of-type", "nth-last-of-type":
		ps.a, ps.b, ok = nth(tokens)
		return ok
	case "lang", "dir":
		if len(tokens) > 0 {
			ps.word = strings.ToLower(strings.TrimPrefix(layerName(tokens), "*-"))
		}
		return ps.word != ""
	case "host", "host-context", "state", "active-view-transition-type":
		ps.name = "never"
		return true
	}
	return false
}

// nth reads an+b (CSS Syntax §9).
func nth(tokens []token) (a, b int, ok bool) {
	var text strings.Builder
	for _, t := range tokens {
		switch t.kind {
		case css.WhitespaceToken:
		case css.NumberToken, css.DimensionToken:
			if s := text.String(); t.num >= 0 && s != "" && s[len(s)-1] != '+' && s[len(s)-1] != '-' {
				text.WriteByte('+')
			}
			text.WriteString(strconv.FormatFloat(t.num, 'f', -1, 64) + t.text)
		default:
			text.WriteString(strings.ToLower(t.text))
		}
	}
	s := text.String()
	switch s {
	case "odd":
		return 2, 1, true
	case "even":
		return 2, 0, true
	}
	before, after, hasN := strings.Cut(s, "n")
	if !hasN {
		b, err := strconv.Atoi(s)
		return 0, b, err == nil
	}
	switch before {
	case "", "+":
		a = 1
	case "-":
		a = -1
	default:
		var err error
		if a, err = strconv.Atoi(before); err != nil {
			return 0, 0, false
		}
	}
	if after == "" {
		return a, 0, true
	}
	b, err := strconv.Atoi(after)
	return a, b, err == nil
}
