package cascade

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// token is one token of CSS (CSS Syntax §4), with escapes resolved.
type token struct {
	kind css.TokenType
	// text is the name of an identifier, function, at-rule or hash, the contents of a string or address, the unit of a
	// dimension, and the character of all others. Names of functions, at-rules and units are in lower case.
	text string
	// num is the value of a number, percentage or dimension.
	num float64
}

func (t token) is(c string) bool {
	return t.text == c && t.kind != css.StringToken && t.kind != css.IdentToken
}

// isWord reports whether t is the identifier, in any case.
func (t token) isWord(word string) bool {
	return t.kind == css.IdentToken && strings.EqualFold(t.text, word)
}

// opens returns what closes the bracket that t opens, or 0.
func (t token) opens() byte {
	switch t.kind {
	case css.FunctionToken, css.LeftParenthesisToken:
		return ')'
	case css.LeftBracketToken:
		return ']'
	case css.LeftBraceToken:
		return '}'
	}
	return 0
}

// closes returns the bracket that t closes, or 0.
func (t token) closes() byte {
	switch t.kind {
	case css.RightParenthesisToken, css.RightBracketToken, css.RightBraceToken:
		return t.text[0]
	}
	return 0
}

// tokenizer reads tokens one after the other.
type tokenizer struct {
	text  string
	in    *parse.Input
	lexer *css.Lexer
}

func newTokenizer(text string) *tokenizer {
	in := parse.NewInputString(text)
	return &tokenizer{text: text, in: in, lexer: css.NewLexer(in)}
}

// lexeme returns the part of the text that was read last, without a copy.
func (z *tokenizer) lexeme(data []byte) string {
	end := z.in.Offset()
	return z.text[end-len(data) : end]
}

// next returns the next token that is not a comment. ok is false at the end.
func (z *tokenizer) next() (t token, ok bool) {
	for {
		kind, data := z.lexer.Next()
		switch kind {
		case css.ErrorToken:
			return token{}, false
		case css.CommentToken:
			continue
		case css.WhitespaceToken:
			return token{kind: kind, text: " "}, true
		case css.UnicodeRangeToken: // there are none any more (CSS Syntax §4.3.4): u+a is a selector
			first := z.lexeme(data)[:1]
			z.in.Move(1 - len(data))
			z.in.Skip()
			return token{kind: css.IdentToken, text: first}, true
		case css.URLToken, css.BadURLToken, css.FunctionToken:
			return z.function(data), true
		}
		return tokenOf(kind, z.lexeme(data)), true
	}
}

// function returns a function's beginning, or the whole of an address without quotes. The library takes a function url
// with anything but one string in it for an address, and does not know it by an escaped name.
func (z *tokenizer) function(data []byte) token {
	read := z.lexeme(data)
	open := strings.IndexByte(read, '(')
	name := strings.ToLower(unescaped(read[:open]))
	z.in.Move(open + 1 - len(data))
	z.in.Skip()
	if name != "url" {
		return token{kind: css.FunctionToken, text: name}
	}
	n := 0
	for c := z.in.Peek(n); c == ' ' || '\t' <= c && c <= '\r'; c = z.in.Peek(n) {
		n++
	}
	if c := z.in.Peek(n); c == '"' || c == '\'' {
		return token{kind: css.FunctionToken, text: name}
	}
	from := n
	for z.in.Peek(n) != ')' && !z.atEnd(n) {
		if z.in.Peek(n) == '\\' && !z.atEnd(n+1) {
			n++
		}
		n++
	}
	z.in.Move(n)
	address := strings.TrimSpace(string(z.in.Lexeme()[from:]))
	if !z.atEnd(0) {
		z.in.Move(1)
	}
	z.in.Skip()
	return token{kind: css.URLToken, text: unescaped(address)}
}

// atEnd reports whether the input ends n bytes ahead.
func (z *tokenizer) atEnd(n int) bool { return z.in.Peek(n) == 0 && z.in.PeekErr(n) != nil }

func tokenOf(kind css.TokenType, s string) token {
	switch kind {
	case css.IdentToken, css.CustomPropertyNameToken:
		return token{kind: css.IdentToken, text: unescaped(s)}
	case css.AtKeywordToken:
		return token{kind: kind, text: strings.ToLower(unescaped(s[1:]))}
	case css.HashToken:
		return token{kind: kind, text: unescaped(s[1:])}
	case css.StringToken:
		end := len(s)
		if end > 1 && s[end-1] == s[0] {
			end--
		}
		return token{kind: kind, text: unescaped(s[1:end])}
	case css.NumberToken:
		return token{kind: kind, num: number(s)}
	case css.PercentageToken:
		return token{kind: kind, text: "%", num: number(s[:len(s)-1])}
	case css.DimensionToken:
		end := numberLen(s)
		return token{kind: kind, text: strings.ToLower(unescaped(s[end:])), num: number(s[:end])}
	}
	return token{kind: kind, text: s}
}

// number reads a number of CSS. What is too large for the arithmetic is a large number.
func number(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64)
	if math.IsInf(n, 0) || math.IsNaN(n) {
		return math.Copysign(math.MaxInt32, n)
	}
	return n
}

// numberLen returns the length of the number at the start of a dimension.
func numberLen(s string) int {
	digits := func(i int) int {
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i
	}
	i := 0
	if s[0] == '+' || s[0] == '-' {
		i++
	}
	if i = digits(i); i < len(s) && s[i] == '.' {
		i = digits(i + 1)
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if end := digits(j); end > j {
			return end
		}
	}
	return i
}

// unescaped resolves the escapes of CSS (CSS Syntax §4.3.7).
func unescaped(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		i++
		start := i
		for i < len(s) && i < start+6 && isHex(s[i]) {
			i++
		}
		switch {
		case i > start:
			n, _ := strconv.ParseUint(s[start:i], 16, 32)
			if n == 0 || n > utf8.MaxRune || 0xD800 <= n && n < 0xE000 {
				n = utf8.RuneError
			}
			b.WriteRune(rune(n))
			if strings.HasPrefix(s[i:], "\r\n") {
				i++
			}
			if i < len(s) && (s[i] == ' ' || '\t' <= s[i] && s[i] <= '\r') {
				i++
			}
		case s[i] == '\n' || s[i] == '\f' || s[i] == '\r': // a string goes on in the next line
			if i++; s[i-1] == '\r' && i < len(s) && s[i] == '\n' {
				i++
			}
		default:
			_, n := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+n])
			i += n
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}
