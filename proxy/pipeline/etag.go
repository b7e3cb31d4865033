package pipeline

import (
	"math/bits"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
)

// A cleaned page is another representation than the origin's, so it needs another entity tag (RFC 9110 §8.8.3). The tag
// is weak, because bytes may differ where the meaning does not (another coding, another detector version). It contains
// the origin's validator, so that the pipeline can translate a conditional request for the origin without any memory of
// the response:
//
//	W/"<origin's opaque tag>-wnw<s|w><mode><generation>.<judge>"    the origin's tag, strong or weak
//	W/"<Last-Modified, unix, hex>-wnwd<mode><generation>.<judge>"   the origin has only a date
//
// The judge is hexadecimal; it is omitted if 0.
//
// A date gets a tag for the same reason: a bare date says nothing about mode and model.

// etagMark separates the origin's validator from our part.
const etagMark = "-wnw"

// variant describes how a page was cleaned, as far as it decides whether a stored copy is current.
type variant struct {
	mode page.Mode
	gen  generation
	// judge is a fingerprint of everything else that judged the page, beside the pages of the model.
	judge uint32
}

// String returns the variant as written in a tag.
func (v variant) String() string {
	s := string(modeLetters[v.mode]) + strconv.FormatUint(uint64(v.gen), 16)
	if v.judge != 0 {
		s += "." + strconv.FormatUint(uint64(v.judge), 16)
	}
	return s
}

// parseVariant reads a variant. It also accepts spellings that String does not produce.
func parseVariant(s string) (v variant, ok bool) {
	if len(s) < 2 {
		return v, false
	}
	mode := strings.IndexByte(modeLetters, s[0])
	seen, by, judged := strings.Cut(s[1:], ".")
	gen, err := strconv.ParseUint(seen, 16, 8)
	if mode < 0 || err != nil {
		return v, false
	}
	judge := uint64(0)
	if judged {
		judge, err = strconv.ParseUint(by, 16, 32)
	}
	return variant{page.Mode(mode), generation(gen), uint32(judge)}, err == nil
}

// generation measures what a host's model knows: the binary length of its number of pages. A stored copy is current
// until the model has seen twice as many pages. Finer steps would make every revalidation a miss.
type generation uint8

// generationOf returns the generation of a model that has learned so many pages.
func generationOf(pages int) generation { return generation(bits.Len(uint(max(pages, 0)))) }

// The kinds of origin validators, by their letter in our tags.
const (
	validatorStrong = 's'
	validatorWeak   = 'w'
	validatorDate   = 'd'
)

// ownTag is one of our tags, parsed.
type ownTag struct {
	kind    byte   // a validator constant
	opaque  string // the origin's opaque tag, or the date in hexadecimal
	variant variant
}

// modeLetters has the letter of each mode, in the order of the mode constants.
const modeLetters = "ortexmjahl"

// String returns the tag as it stands in ETag.
func (t ownTag) String() string {
	return `W/"` + t.opaque + etagMark + string(t.kind) + t.variant.String() + `"`
}

// origin returns the origin's entity tag, empty if it had only a date.
func (t ownTag) origin() string {
	switch t.kind {
	case validatorStrong:
		return `"` + t.opaque + `"`
	case validatorWeak:
		return `W/"` + t.opaque + `"`
	}
	return ""
}

// date returns the origin's Last-Modified, empty if it had a tag.
func (t ownTag) date() string {
	sec, err := strconv.ParseInt(t.opaque, 16, 64)
	if t.kind != validatorDate || err != nil {
		return ""
	}
	return time.Unix(sec, 0).UTC().Format(http.TimeFormat)
}

// makeTag returns our tag for a response with the origin's header, or false if the origin sent no validator.
func makeTag(h http.Header, v variant) (ownTag, bool) {
	if opaque, weak, ok := parseTag(h.Get("Etag")); ok {
		kind := byte(validatorStrong)
		if weak {
			kind = validatorWeak
		}
		return ownTag{kind, opaque, v}, true
	}
	if t, err := http.ParseTime(h.Get("Last-Modified")); err == nil {
		return ownTag{validatorDate, strconv.FormatInt(t.Unix(), 16), v}, true
	}
	return ownTag{}, false
}

// parseOwnTag parses one of our tags; false means that s is a foreign tag.
func parseOwnTag(s string) (ownTag, bool) {
	opaque, weak, ok := parseTag(s)
	i := strings.LastIndex(opaque, etagMark)
	if !ok || !weak || i < 0 {
		return ownTag{}, false
	}
	t := ownTag{opaque: opaque[:i]}
	rest := opaque[i+len(etagMark):]
	if rest == "" {
		return ownTag{}, false
	}
	t.kind = rest[0]
	t.variant, ok = parseVariant(rest[1:])
	known := strings.IndexByte("swd", t.kind) >= 0 && (t.kind != validatorDate || t.date() != "")
	// Only the spelling of String is ours: another spelling would not compare equal.
	if !ok || !known || t.String() != strings.TrimSpace(s) {
		return ownTag{}, false
	}
	return t, true
}

// parseTag reads an entity tag (RFC 9110 §8.8.3).
func parseTag(s string) (opaque string, weak, ok bool) {
	s, weak = strings.CutPrefix(strings.TrimSpace(s), "W/")
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return "", false, false
	}
	opaque = s[1 : len(s)-1]
	return opaque, weak, !strings.ContainsAny(opaque, "\"\x7f") && !strings.ContainsFunc(opaque, func(r rune) bool { return r <= ' ' })
}

// sameTag compares two entity tags weakly (RFC 9110 §8.8.3.2).
func sameTag(a, b string) bool {
	x, _, okX := parseTag(a)
	y, _, okY := parseTag(b)
	return okX && okY && x == y
}
