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
//	W/"<origin's opaque tag>-wnw<s|w><mode><generation>.<judge>_<basis>"    the origin's tag, strong or weak
//	W/"<Last-Modified, unix, hex>-wnwd<mode><generation>.<judge>_<basis>"   the origin has only a date
//	W/"-wnwn<mode>0_<basis>~<content>"                                      the origin has neither
//
// Judge and basis are hexadecimal; each is omitted if 0. In modes that leave the template out, ~ and a hash of the
// content end the tag: if the origin sends the page again and only its template has changed, the client's copy is still
// good.
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
	// basis is what was known of the page's scripts, where the form of the page rests on that.
	basis basis
}

// String returns the variant as written in a tag.
func (v variant) String() string {
	s := string(modeLetters[v.mode]) + strconv.FormatUint(uint64(v.gen), 16)
	if v.judge != 0 {
		s += "." + strconv.FormatUint(uint64(v.judge), 16)
	}
	if v.basis != 0 {
		s += "_" + strconv.FormatUint(uint64(v.basis), 16)
	}
	return s
}

// parseVariant reads a variant. It also accepts spellings that String does not produce.
func parseVariant(s string) (v variant, ok bool) {
	if len(s) < 2 {
		return v, false
	}
	mode := strings.IndexByte(modeLetters, s[0])
	rest, on, rests := strings.Cut(s[1:], "_")
	seen, by, judged := strings.Cut(rest, ".")
	gen, err := strconv.ParseUint(seen, 16, 8)
	if mode < 0 || err != nil {
		return v, false
	}
	var judge, b uint64
	if judged {
		judge, err = strconv.ParseUint(by, 16, 32)
	}
	if rests && err == nil {
		b, err = strconv.ParseUint(on, 16, 64)
	}
	return variant{page.Mode(mode), generation(gen), uint32(judge), basis(b)}, err == nil
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
	validatorNone   = 'n'
)

// ownTag is one of our tags, parsed.
type ownTag struct {
	kind    byte   // a validator constant
	opaque  string // the origin's opaque tag, or the date in hexadecimal
	variant variant
	// content is a hash of the page's content, 0 where there is none.
	content digest
}

// modeLetters has the letter of each mode, in the order of the mode constants.
const modeLetters = "ortexmjahlv"

// String returns the tag as it stands in ETag.
func (t ownTag) String() string {
	content := ""
	if t.content != 0 {
		content = "~" + strconv.FormatUint(uint64(t.content), 16)
	}
	return `W/"` + t.opaque + etagMark + string(t.kind) + t.variant.String() + content + `"`
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

// makeTag returns our tag for a response with the origin's header, false where there is nothing to tell the page by: no
// validator of the origin's, and no hash of the content.
func makeTag(h http.Header, v variant, content digest) (ownTag, bool) {
	if opaque, weak, ok := parseTag(h.Get("Etag")); ok {
		kind := byte(validatorStrong)
		if weak {
			kind = validatorWeak
		}
		return ownTag{kind, opaque, v, content}, true
	}
	if t, err := http.ParseTime(h.Get("Last-Modified")); err == nil {
		return ownTag{validatorDate, strconv.FormatInt(t.Unix(), 16), v, content}, true
	}
	// The origin is not asked with this tag, so that it does not matter who has judged the page.
	return ownTag{validatorNone, "", variant{mode: v.mode, basis: v.basis}, content}, content != 0
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
	judged, content, hashed := strings.Cut(rest[1:], "~")
	if hashed {
		n, err := strconv.ParseUint(content, 16, 64)
		if err != nil {
			return ownTag{}, false
		}
		t.content = digest(n)
	}
	t.variant, ok = parseVariant(judged)
	known := strings.IndexByte("swdn", t.kind) >= 0 && (t.kind != validatorDate || t.date() != "") && (t.kind != validatorNone || t.content != 0)
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
