package page

import (
	"bytes"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// textEncoding is a character encoding by its WHATWG name; enc is nil for UTF-8.
type textEncoding struct {
	name string
	enc  encoding.Encoding
}

// decode returns src in UTF-8 without a byte order mark. If src is UTF-8 already, the result is a part of src. Bytes
// that the encoding does not know become U+FFFD.
func (t textEncoding) decode(src []byte) (text []byte, err error) {
	text = src
	if t.enc != nil {
		if text, err = t.enc.NewDecoder().Bytes(src); err != nil {
			return nil, err
		}
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), nil
}

// encode is the inverse of decode; characters that the encoding lacks become character references.
func (t textEncoding) encode(text []byte) ([]byte, error) {
	if t.enc == nil {
		return text, nil
	}
	return encoding.HTMLEscapeUnsupported(t.enc.NewEncoder()).Bytes(text)
}

func lookupEncoding(label string) (textEncoding, bool) {
	enc, name := charset.Lookup(label)
	switch {
	case enc == nil:
		return textEncoding{}, false
	case name == "utf-8":
		enc = nil
	}
	return textEncoding{name, enc}, true
}

// detectCharset finds the encoding by byte order mark, Content-Type header, meta element, validity as UTF-8, and last
// by a guess (HTML §13.2.3.2). It searches the whole head if the standard's first 1,024 bytes declare nothing.
func detectCharset(src []byte, contentType string) textEncoding {
	for label, mark := range map[string]string{"utf-8": "\xef\xbb\xbf", "utf-16le": "\xff\xfe", "utf-16be": "\xfe\xff"} {
		if bytes.HasPrefix(src, []byte(mark)) {
			t, _ := lookupEncoding(label)
			return t
		}
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		if t, ok := lookupEncoding(params["charset"]); ok {
			return t
		}
	}
	if t, ok := metaCharset(src); ok {
		return t
	}
	if utf8.Valid(src) {
		return textEncoding{name: "utf-8"}
	}
	return guessCharset(src)
}

// metaCharset reads the first meta element that declares an encoding, anywhere in the head.
func metaCharset(src []byte) (t textEncoding, ok bool) {
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
func declaredIn(meta []byte) (textEncoding, bool) {
	// DetermineEncoding knows the attribute rules, but does not say whether it found something or fell back. So we ask
	// it twice: after bytes that make it fall back to UTF-8, and without these.
	_, plain, _ := charset.DetermineEncoding(meta, "")
	_, afterText, _ := charset.DetermineEncoding(append([]byte("\u00e9"), meta...), "")
	if plain != afterText {
		return textEncoding{}, false
	}
	return lookupEncoding(plain)
}

// encodingByName returns the encoding of a page by Page.Charset.
func encodingByName(name string) (textEncoding, error) {
	t, ok := lookupEncoding(name)
	if !ok {
		return t, fmt.Errorf("charset %q is not known", name)
	}
	return t, nil
}
