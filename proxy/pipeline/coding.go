package pipeline

import (
	"net/http"
	"strings"
)

// The content codings that can be decoded and encoded (RFC 9110 §8.4.1, RFC 7932, RFC 8878).
const (
	codingIdentity = "identity"
	codingGzip     = "gzip"
	codingDeflate  = "deflate"
	codingBrotli   = "br"
	codingZstd     = "zstd"
)

// maxCodings is the most codings of one body. More codings serve decompression bombs only.
const maxCodings = 3

// knownCodings lists the codings in order of preference.
func knownCodings() []string { return []string{codingBrotli, codingZstd, codingGzip, codingDeflate} }

// canonicalCoding returns the coding that a name in a header means, and whether it can be decoded. x-gzip is gzip (RFC
// 9110 §8.4.1.3).
func canonicalCoding(name string) (string, bool) {
	switch name = strings.ToLower(name); name {
	case "x-gzip":
		return codingGzip, true
	case codingGzip, codingDeflate, codingBrotli, codingZstd, codingIdentity:
		return name, true
	}
	return name, false
}

// contentCodings returns the codings of a response in the order in which they were applied, without identity. It
// returns false if one is unknown or there are too many.
func contentCodings(h http.Header) ([]string, bool) {
	var list []string
	for _, e := range elements(h["Content-Encoding"]) {
		c, ok := canonicalCoding(e)
		if !ok {
			return nil, false
		}
		if c != codingIdentity {
			list = append(list, c)
		}
	}
	return list, len(list) <= maxCodings
}

// acceptedCodings is the content of a client's Accept-Encoding.
type acceptedCodings []weighted

// readAcceptEncoding reads the field. RFC 9110 §12.5.3 permits any coding for a client without the field. In practice
// such clients can't decode, so it assumes identity only.
func readAcceptEncoding(h http.Header) acceptedCodings { return parseWeighted(h["Accept-Encoding"]) }

// quality returns the client's weight for a coding; 0 means not acceptable. Identity is acceptable unless excluded by
// name or by "*;q=0".
func (a acceptedCodings) quality(coding string) float64 {
	star := -1.0
	for _, w := range a {
		name, _ := canonicalCoding(w.name)
		if name == coding {
			return w.q
		}
		if w.name == "*" && star < 0 {
			star = w.q
		}
	}
	switch {
	case star >= 0:
		return star
	case coding == codingIdentity:
		return 1
	}
	return 0
}

// offer returns the Accept-Encoding for the origin: codings that the client accepts and the pipeline can decode, with
// the client's weights. It offers nothing else, because a response that passes goes out as it came. If the client
// accepts no known coding and refuses identity, its own lines go out unchanged.
func (a acceptedCodings) offer(original []string) []string {
	if len(a) > 0 && !a.acceptsKnown() {
		return original
	}
	var parts []string
	said := map[string]bool{}
	for _, w := range a {
		name, known := canonicalCoding(w.name)
		if said[name] { // the first word counts, as in quality
			continue
		}
		said[name] = true
		switch {
		case w.name == "*" && w.q > 0:
			parts = append(parts, a.expand(w.q)...)
		case w.name == "*", known:
			parts = append(parts, withWeight(w.name, w.q))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, codingIdentity)
	}
	return []string{strings.Join(parts, ", ")}
}

// expand replaces "*" by the known codings that the client does not name.
func (a acceptedCodings) expand(q float64) []string {
	named := map[string]bool{}
	for _, w := range a {
		c, _ := canonicalCoding(w.name)
		named[c] = true
	}
	var parts []string
	for _, c := range append(knownCodings(), codingIdentity) {
		if !named[c] {
			parts = append(parts, withWeight(c, q))
		}
	}
	return parts
}

// acceptsKnown reports whether the client accepts any coding that can be decoded.
func (a acceptedCodings) acceptsKnown() bool {
	for _, c := range append(knownCodings(), codingIdentity) {
		if a.quality(c) > 0 {
			return true
		}
	}
	return false
}

// smallBody is the size below which coding costs more than it saves.
const smallBody = 512

// choose returns the coding for a cleaned page: the origin's own if the client accepts it, which respects an origin
// that does not compress because of BREACH; zstd instead of brotli if the client likes it as much; otherwise identity;
// otherwise the client's favourite.
func (a acceptedCodings) choose(origin []string, size int) string {
	plain := a.quality(codingIdentity) > 0
	if len(origin) == 0 || size < smallBody {
		if plain {
			return codingIdentity
		}
	}
	if len(origin) > 0 {
		switch c := origin[len(origin)-1]; {
		case c == codingBrotli && a.quality(c) > 0 && a.quality(codingZstd) >= a.quality(c):
			// At its fastest level, brotli takes twice the time of zstd and saves less than a tenth of the bytes.
			return codingZstd
		case a.quality(c) > 0:
			return c
		}
	}
	if plain {
		return codingIdentity
	}
	best, bestQ := codingIdentity, 0.0
	for _, c := range knownCodings() {
		if q := a.quality(c); q > bestQ {
			best, bestQ = c, q
		}
	}
	return best
}

// withWeight writes one element of Accept-Encoding.
func withWeight(name string, q float64) string {
	if q == 1 {
		return name
	}
	return name + ";q=" + formatWeight(q)
}
