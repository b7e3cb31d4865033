package vintage

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"

	"github.com/winnow-proxy/winnow/model/page/charset"
)

// latin1 is what every browser of the web has (RFC 2068 §3.7.1).
const latin1 = "ISO-8859-1"

// CharsetFor returns the charset of mode vintage for one that a client names (RFC 9110 §12.5.2): its name as it stands
// in Content-Type, or false where it is unknown or not written. Encodings in which ASCII is not ASCII are not written.
func CharsetFor(name string) (string, bool) {
	c, ok := lookupVintage(name)
	return c.name, ok
}

// codepage encodes text for old browsers.
type codepage struct {
	name string
	// most is the last character of the encoding, where its characters are the first of Unicode.
	most rune
	// encoder is for the other encodings, nil elsewhere.
	encoder *encoding.Encoder
}

func lookupVintage(name string) (codepage, bool) {
	switch strings.ToLower(name) {
	case "us-ascii", "ascii":
		return codepage{name: "US-ASCII", most: unicode.MaxASCII}, true
	case "iso-8859-1", "iso_8859-1", "latin1": // of which browsers have since made windows-1252
		return codepage{name: latin1, most: unicode.MaxLatin1}, true
	}
	t, ok := charset.Lookup(name)
	switch {
	case !ok, t.Name == "replacement", t.Name == "x-user-defined", t.Name == "iso-2022-jp", strings.HasPrefix(t.Name, "utf-16"):
		return codepage{}, false
	case t.Enc == nil:
		return codepage{name: t.Name, most: unicode.MaxRune}, true
	}
	return codepage{name: t.Name, encoder: t.Enc.NewEncoder()}, true
}

// encode returns markup in the encoding. Of what the encoding lacks, punctuation becomes similar characters of ASCII,
// which every browser shows, and letters become character references.
func (c codepage) encode(markup string) []byte {
	out := make([]byte, 0, len(markup)+len(markup)/8)
	for _, r := range markup {
		switch {
		case r < ' ' && r != '\n' && r != '\t', 0x7f <= r && r < 0xa0: // controls, of which some browsers make letters
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case c.most == unicode.MaxRune:
			out = utf8.AppendRune(out, r)
		case r == '\u00ad': // old browsers show it within words
		case r <= c.most:
			out = append(out, byte(r))
		default:
			out = c.appendRune(out, r)
		}
	}
	return out
}

// appendRune appends a character that is not ASCII.
func (c codepage) appendRune(out []byte, r rune) []byte {
	if c.encoder != nil {
		c.encoder.Reset()
		if b, err := c.encoder.Bytes(utf8.AppendRune(nil, r)); err == nil && b[0] != '&' { // else a reference
			return append(out, b...)
		}
	}
	for _, s := range similarInASCII() {
		if strings.ContainsRune(s.characters, r) {
			return append(out, s.ascii...)
		}
	}
	return append(strconv.AppendInt(append(out, "&#"...), int64(r), 10), ';')
}

// similar are characters with what stands for them in ASCII, as it is written in markup.
type similar struct{ characters, ascii string }

func similarInASCII() []similar {
	return []similar{
		{"\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u02bc", "&#39;"},
		{"\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", "&#34;"},
		{"\u2010\u2011\u2012\u2013\u2212", "-"},
		{"\u2014\u2015", "--"},
		{"\u2026", "..."},
		{"\u2022\u2023\u25aa\u25cf\u00b7", "*"},
		{"\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\u2028\u2029", " "},
		{"\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f", ""},
		{"\u00d7", "x"},
		{"\u2190", "&lt;-"}, {"\u2192", "-&gt;"},
		{"\u2264", "&lt;="}, {"\u2265", "&gt;="},
		{"\u20ac", "EUR"}, {"\u2122", "(TM)"}, {"\u00a9", "(c)"}, {"\u00ae", "(R)"},
		{"\u2713\u2714", "[x]"},
		{"\ufffd", "?"},
	}
}
