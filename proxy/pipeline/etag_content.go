package pipeline

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// digest is a hash of a page's content; 0 stands for none.
type digest uint64

// followsContent reports whether the entity tag of a mode depends on the content alone. The other modes have the
// template too, and JSON describes it.
func followsContent(mode page.Mode) bool {
	switch mode {
	case page.ModeRemove, page.ModeReader, page.ModeLite, page.ModeVintage, page.ModeText, page.ModeMarkdown:
		return true
	}
	return false
}

// contentOf hashes the content of a page that was written in a mode. Where the mode writes the content alone, that is
// all of it; where it writes the origin's bytes, which have scripts and numbers of one visit among them, it is the text
// that stays, with the addresses of its links and pictures.
func contentOf(mode page.Mode, p *page.Page, m *page.Marking, body []byte) digest {
	if !followsContent(mode) {
		return 0
	}
	h := sha256.New()
	if !mode.Original() {
		hashAll(h, body)
	} else if !hashContent(h, p, m) {
		return 0
	}
	return max(1, digest(binary.BigEndian.Uint64(h.Sum(nil))))
}

// hashContent hashes the text that stays, and its addresses. It reports whether there is any.
func hashContent(h hash.Hash, p *page.Page, m *page.Marking) (found bool) {
	var buf []byte
	for b, v := range m.Verdicts {
		if !v.Noise {
			buf = append(p.BlockText(buf[:0], page.BlockID(b)), '\n')
			hashAll(h, buf)
			found = true
		}
	}
	gone := map[page.ElementID]bool{}
	for _, mark := range m.Marks {
		gone[mark.Element] = mark.Element != page.None
	}
	for e := max(p.Body, 0); int(e) < len(p.Elements); e++ {
		el := &p.Elements[e]
		if gone[e] {
			e = el.Sub - 1
			continue
		}
		var key string
		switch el.Tag {
		case atom.A:
			key = "href"
		case atom.Img:
			key = "src"
		default:
			continue
		}
		if el.BlockStart < el.BlockEnd && m.Verdicts[el.BlockStart].Noise {
			continue
		}
		if val, ok := p.Attr(e, key); ok {
			h.Write([]byte(val + "\n"))
		}
	}
	return found
}
