// Package charset finds the encoding of a page, and turns its bytes into UTF-8 and back.
package charset

import (
	"bytes"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// Encoding is a character encoding by its WHATWG name; Enc is nil for UTF-8.
type Encoding struct {
	Name string
	Enc  encoding.Encoding
}

// Decode returns src in UTF-8 without a byte order mark. If src is UTF-8 already, the result is a part of src. Bytes
// that the encoding does not know become U+FFFD, but those in UTF-8 what they are in windows-1252.
func (t Encoding) Decode(src []byte) (text []byte, err error) {
	text = src
	switch {
	case t.Enc != nil:
		if text, err = t.Enc.NewDecoder().Bytes(src); err != nil {
			return nil, err
		}
	case !utf8.Valid(src):
		text = mendUTF8(src)
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), nil
}

// mendUTF8 returns src with the bytes that are not UTF-8 decoded as windows-1252: many pages have a part from
// elsewhere. A character that was cut after its second byte becomes U+FFFD.
func mendUTF8(src []byte) []byte {
	text := make([]byte, 0, len(src)+len(src)/16)
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			r = charmap.Windows1252.DecodeByte(src[i])
			for src[i] >= 0xe0 && i+size < len(src) && src[i+size]&0xc0 == 0x80 && size < 3 {
				r = utf8.RuneError
				size++
			}
		}
		text = utf8.AppendRune(text, r)
		i += size
	}
	return text
}

// Encode is the inverse of Decode; characters that the encoding lacks become character references.
func (t Encoding) Encode(text []byte) ([]byte, error) {
	if t.Enc == nil {
		return text, nil
	}
	return encoding.HTMLEscapeUnsupported(t.Enc.NewEncoder()).Bytes(text)
}

// Lookup returns the encoding that a page means by a label.
func Lookup(label string) (Encoding, bool) {
	enc, name := htmlcharset.Lookup(label)
	switch {
	case enc == nil:
		return Encoding{}, false
	case name == "utf-8":
		enc = nil
	}
	return Encoding{name, enc}, true
}

// surelyUTF8 is the number of characters beyond ASCII from which on what is valid as UTF-8 is UTF-8, whatever the page
// declares: a few bytes in another encoding may be valid by chance.
const surelyUTF8 = 3

// Detect finds the encoding by byte order mark, Content-Type header, meta element, validity as UTF-8, and last
// by a guess (HTML §13.2.3.2). It searches the whole head if the standard's first 1,024 bytes declare nothing. Unlike
// the standard, it does not believe in another encoding of what is UTF-8.
func Detect(src []byte, contentType string) Encoding {
	t, declared := declared(src, contentType)
	switch {
	case declared && (t.Enc == nil || strings.HasPrefix(t.Name, "utf-16") || !isSurelyUTF8(src)):
		return t
	case declared || utf8.Valid(src):
		return Encoding{Name: "utf-8"}
	}
	return guess(src)
}

func isSurelyUTF8(src []byte) bool {
	if !utf8.Valid(src) {
		return false
	}
	n := 0
	for _, c := range src {
		if c >= 0xc0 {
			n++
		}
	}
	return n >= surelyUTF8
}

// declared returns the encoding by byte order mark, Content-Type header or meta element.
func declared(src []byte, contentType string) (Encoding, bool) {
	for label, mark := range map[string]string{"utf-8": "\xef\xbb\xbf", "utf-16le": "\xff\xfe", "utf-16be": "\xfe\xff"} {
		if bytes.HasPrefix(src, []byte(mark)) {
			return Lookup(label)
		}
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		if t, ok := Lookup(params["charset"]); ok {
			return t, true
		}
	}
	return inMeta(src)
}

// inMeta reads the first meta element that declares an encoding, anywhere in the head.
func inMeta(src []byte) (t Encoding, ok bool) {
	const headLimit = 256 << 10
	head := string(src[:min(len(src), headLimit)])
	htmltree.Tags(head, func(tag htmltree.Tag) bool {
		if tag.Name == "meta" && !tag.End && strings.Contains(strings.ToLower(tag.Source), "charset") {
			t, ok = declaredIn([]byte(tag.Source))
		}
		return !ok && (tag.Name != "body" || tag.End)
	})
	return t, ok
}

// declaredIn returns the encoding that one meta start tag declares. A declared UTF-16 is UTF-8, because the declaration
// itself was readable (HTML §13.2.3.2).
func declaredIn(meta []byte) (Encoding, bool) {
	// DetermineEncoding knows the attribute rules, but does not say whether it found something or fell back. So we ask
	// it twice: after bytes that make it fall back to UTF-8, and without these.
	_, plain, _ := htmlcharset.DetermineEncoding(meta, "")
	_, afterText, _ := htmlcharset.DetermineEncoding(append([]byte("\u00e9"), meta...), "")
	if plain != afterText {
		return Encoding{}, false
	}
	return Lookup(plain)
}

// ByName returns the encoding of a page by Page.Charset.
func ByName(name string) (Encoding, error) {
	t, ok := Lookup(name)
	if !ok {
		return t, fmt.Errorf("charset %q is not known", name)
	}
	return t, nil
}
