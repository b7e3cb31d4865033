package pipeline

import (
	"math/bits"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
)

// A cleaned page is another representation than the origin's, so it needs another entity tag (RFC 9110 §8.8.3); a weak
// one, as bytes may differ where the meaning does not (another coding, another detector version). The tag carries the
// origin's validator inside, so that a conditional request can be given back to the origin without any memory of the
// response:
//
//	W/"<origin's opaque tag>-wnw<s|w><mode><generation>.<judge>"    the origin's tag, strong or weak
//	W/"<Last-Modified, unix, hex>-wnwd<mode><generation>.<judge>"   the origin has only a date
//
// The judge, in hexadecimal, is left out where it is 0.
//
// The date gets a tag for the same reason: a bare date says nothing of mode and model.

// etagMark separates the origin's validator from what is ours.
const etagMark = "-wnw"

// variant says how a page was cleaned, as far as a stored copy can be told from a fresh one by it.
type variant struct {
	mode page.Mode
	gen  generation
	// judge is a fingerprint of what judged the page, beside what its host's model had seen.
	judge uint32
}

// String returns the variant as it stands in a tag.
func (v variant) String() string {
	s := string(modeLetters[v.mode]) + strconv.FormatUint(uint64(v.gen), 16)
	if v.judge != 0 {
		s += "." + strconv.FormatUint(uint64(v.judge), 16)
	}
	return s
}

// parseVariant reads a variant; it takes other spellings than String's too.
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

// generation is a coarse measure of what a host's model knew: the binary length of its number of pages. A stored copy
// is good until the model has seen twice the pages; finer steps would make every revalidation a miss.
type generation uint8

// generationOf returns the generation of a model that has seen so many pages.
func generationOf(pages int) generation { return generation(bits.Len(uint(max(pages, 0)))) }

// origin validators, by the letter that stands for them in our tags.
const (
	validatorStrong = 's'
	validatorWeak   = 'w'
	validatorDate   = 'd'
)

// ownTag is one of our tags taken apart.
type ownTag struct {
	kind    byte   // a validator constant
	opaque  string // the origin's opaque tag, or the date in hexadecimal
	variant variant
}

// modeLetters has the letter of each mode in a tag, in the order of the mode constants.
const modeLetters = "ortexmjahl"

// String returns the tag as it stands in ETag.
func (t ownTag) String() string {
	return `W/"` + t.opaque + etagMark + string(t.kind) + t.variant.String() + `"`
}

// origin returns the origin's entity tag, empty where it had only a date.
func (t ownTag) origin() string {
	switch t.kind {
	case validatorStrong:
		return `"` + t.opaque + `"`
	case validatorWeak:
		return `W/"` + t.opaque + `"`
	}
	return ""
}

// date returns the origin's Last-Modified, empty where it had a tag.
func (t ownTag) date() string {
	sec, err := strconv.ParseInt(t.opaque, 16, 64)
	if t.kind != validatorDate || err != nil {
		return ""
	}
	return time.Unix(sec, 0).UTC().Format(http.TimeFormat)
}

// makeTag returns our tag for a response with the origin's header, false where the origin gave no validator.
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

// parseOwnTag takes one of our tags apart; false says that s is a foreign tag.
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
	// Only what String would write is ours: a second spelling of a tag would not compare equal to the first.
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
