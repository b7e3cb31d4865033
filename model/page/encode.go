package page

import (
	"bytes"
	"strings"

	"github.com/winnow-proxy/winnow/model/page/charset"
	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// UTF8 returns Source in UTF-8, without a byte order mark. It is the same slice if Source is UTF-8. The caller must not
// change it.
func (p *Page) UTF8() []byte { return p.text }

// Fragile says why nothing may be cut from the page, and is 0 if everything may.
func (p *Page) Fragile() htmltree.Fragility { return p.fragile }

// Decode returns body, which is Source with edits, in UTF-8.
func (p *Page) Decode(body []byte) ([]byte, error) {
	if p.recode {
		return body, nil
	}
	enc, err := charset.ByName(p.Charset)
	if err != nil {
		return nil, err
	}
	return enc.Decode(body)
}

// Sent returns body, which is Source with edits, in the charset of the origin. own reports whether the edits are also
// those of the bytes that the origin sent.
func (p *Page) Sent(body []byte) (sent []byte, own bool, err error) {
	if !p.recode {
		return body, !p.filled, nil
	}
	sent, err = p.encodeAgain(body)
	return sent, false, err
}

// encodeAgain returns body in the encoding of the page, with its byte order mark.
func (p *Page) encodeAgain(body []byte) ([]byte, error) {
	if p.origin != nil && bytes.Equal(body, p.Source) {
		return p.origin, nil // encoding again would repair broken sequences
	}
	enc, err := charset.ByName(p.Charset)
	if err != nil {
		return nil, err
	}
	encoded, err := enc.Encode(body)
	if err != nil {
		return nil, err
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if strings.HasPrefix(p.Charset, "utf-16") && bytes.HasPrefix(p.origin, []byte(mark)) && !bytes.HasPrefix(encoded, []byte(mark)) {
			return append([]byte(mark), encoded...), nil
		}
	}
	return encoded, nil
}
