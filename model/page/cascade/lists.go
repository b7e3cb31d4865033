package cascade

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// layerName joins the tokens of a layer's name.
func layerName(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.text)
	}
	return b.String()
}

// trimmed returns tokens without white space at the ends.
func trimmed(tokens []token) []token {
	for len(tokens) > 0 && tokens[0].kind == css.WhitespaceToken {
		tokens = tokens[1:]
	}
	for n := len(tokens); n > 0 && tokens[n-1].kind == css.WhitespaceToken; n-- {
		tokens = tokens[:n-1]
	}
	return tokens
}

// split cuts tokens at a separator outside of brackets.
func split(tokens []token, at string) (parts [][]token) {
	depth, from := 0, 0
	for i, t := range tokens {
		switch {
		case t.opens() != 0:
			depth++
		case t.closes() != 0:
			depth--
		case depth == 0 && t.is(at):
			parts = append(parts, tokens[from:i])
			from = i + 1
		}
	}
	return append(parts, tokens[from:])
}

// brackets returns what is in the brackets that the first token opens, and what comes after them.
func brackets(tokens []token) (inside, after []token) {
	depth := 0
	for i, t := range tokens {
		if t.opens() != 0 {
			depth++
		} else if t.closes() != 0 {
			if depth--; depth == 0 {
				return tokens[1:i], tokens[i+1:]
			}
		}
	}
	return tokens[1:], nil
}
