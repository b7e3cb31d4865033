package evaluate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// shingleLen is the number of tokens in a shingle, as in the published evaluations of boilerplate removal.
const shingleLen = 4

// vocabulary numbers tokens from 1 on, so that shingles are small comparable arrays instead of strings. It serves one
// page and the texts that the page is compared with.
type vocabulary map[string]uint32

// tokens are the matches of Python's \w+: runs of letters, numbers and underscores, with their case.
func (v vocabulary) tokens(text string) []uint32 {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	ids := make([]uint32, len(words))
	for i, w := range words {
		id, ok := v[w]
		if !ok {
			id = uint32(len(v)) + 1
			v[w] = id
		}
		ids[i] = id
	}
	return ids
}

// shingle is a tuple of tokens. Where the whole text is shorter, zeros fill it up.
type shingle [shingleLen]uint32

// shingles counts the shingles of a text. A text of fewer than shingleLen tokens is one shingle, an empty one has none.
func shingles(tokens []uint32) map[shingle]int {
	m := make(map[shingle]int, len(tokens))
	if n := len(tokens); n > 0 && n < shingleLen {
		var s shingle
		copy(s[:], tokens)
		m[s] = 1
		return m
	}
	for i := 0; i+shingleLen <= len(tokens); i++ {
		m[shingle(tokens[i:i+shingleLen])]++
	}
	return m
}

// multiset counts the members of a list.
func multiset[K comparable](list []K) map[K]int {
	m := make(map[K]int, len(list))
	for _, k := range list {
		m[k]++
	}
	return m
}

// overlap compares two multisets: what both have, what only out has, what only gold has.
func overlap[K comparable](gold, out map[K]int) (both, onlyOut, onlyGold int) {
	for k, g := range gold {
		both += min(g, out[k])
		onlyGold += max(0, g-out[k])
	}
	for k, o := range out {
		onlyOut += max(0, o-gold[k])
	}
	return both, onlyOut, onlyGold
}

// lengths returns a function from a token's number to its number of characters.
func (v vocabulary) lengths() func(uint32) int {
	chars := make([]int, len(v)+1)
	for w, id := range v {
		chars[id] = utf8.RuneCountInString(w)
	}
	return func(id uint32) int { return chars[id] }
}

// charsIn is overlap weighted by the characters of each token: what out has of the gold, and what it has besides.
func charsIn[K comparable](gold, out map[K]int, chars func(K) int) (both, onlyOut int) {
	for k, n := range out {
		g := min(n, gold[k])
		both += g * chars(k)
		onlyOut += (n - g) * chars(k)
	}
	return both, onlyOut
}
