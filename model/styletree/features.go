package styletree

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/runes"
)

// featureReader finds the content features of a page's elements: the words of their own text in lower case, the file
// names of images and other embedded files, and the targets of links.
type featureReader struct {
	p    *page.Page
	hash model.Hasher
	// texts lists the visible texts by their parents: first[parent], then next[text].
	first, next []int32
	hashes      []uint32
	features    []feature
	buf         []byte
}

func newFeatureReader(p *page.Page, h model.Hasher) *featureReader {
	lists := make([]int32, len(p.Elements)+len(p.Texts))
	r := &featureReader{p: p, hash: h, first: lists[:len(p.Elements)], next: lists[len(p.Elements):]}
	for i := range r.first {
		r.first[i] = none
	}
	for i, t := range slices.Backward(p.Texts) {
		if t.Block != page.None && t.Parent >= 0 {
			r.next[i], r.first[t.Parent] = r.first[t.Parent], int32(i)
		}
	}
	return r
}

// read returns the features of e's own content on this page, in order of hash. The slice is valid until the next call.
func (r *featureReader) read(e page.ElementID) []feature {
	r.hashes = r.hashes[:0]
	for t := r.first[e]; t != none; t = r.next[t] {
		for w := range page.Words(r.p.Texts[t].Data) {
			r.add('w', w)
		}
	}
	r.addReference(e)
	slices.Sort(r.hashes)
	r.features = r.features[:0]
	for i := 0; i < len(r.hashes); {
		j := i + 1
		for j < len(r.hashes) && r.hashes[j] == r.hashes[i] {
			j++
		}
		r.features = append(r.features, occurrences(r.hashes[i], uint32(j-i)))
		i = j
	}
	return r.features
}

// addReference adds what e links to or embeds.
func (r *featureReader) addReference(e page.ElementID) {
	switch r.p.Elements[e].Tag {
	case atom.A, atom.Area:
		if target, ok := r.p.Attr(e, "href"); ok {
			r.add('a', linkTarget(target))
		}
	case atom.Img, atom.Iframe, atom.Frame, atom.Embed, atom.Video, atom.Audio, atom.Input:
		if src, ok := r.p.Attr(e, "src"); ok {
			r.add('i', fileName(src))
		}
	}
}

// add adds one occurrence of a feature. class keeps the word "news" and a link to news distinct.
func (r *featureReader) add(class byte, s string) {
	r.buf = append(r.buf[:0], class)
	for _, c := range s {
		if c >= utf8.RuneSelf {
			r.buf = utf8.AppendRune(r.buf, runes.Lower(c))
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		r.buf = append(r.buf, byte(c))
	}
	r.hashes = append(r.hashes, uint32(r.hash.Bytes(r.buf)))
}

// linkTarget returns a link without its fragment. A link that is only a fragment keeps it.
func linkTarget(href string) string {
	href = strings.TrimSpace(href)
	if path, _, _ := strings.Cut(href, "#"); path != "" {
		return path
	}
	return href
}

// fileName is the last part of an image's path, as in the paper: the same banner on two hosts is one feature. A data
// URL, shortened, is its own name.
func fileName(src string) string {
	src = strings.TrimSpace(src)
	if strings.HasPrefix(src, "data:") {
		return src[:min(len(src), 512)]
	}
	src, _, _ = strings.Cut(src, "#")
	src, _, _ = strings.Cut(src, "?")
	return src[strings.LastIndexByte(src, '/')+1:]
}
