package pipeline

import (
	"net/http"

	"github.com/winnow-proxy/winnow/model/page/write/vintage"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// charsetField names the charsets that a client knows (RFC 9110 §12.5.2). Browsers of today send none.
const charsetField = "Accept-Charset"

// chooseVintage says how a page in mode vintage is written for a client: in which charset, and whether it reaches HTTPS
// over plain HTTP. It removes the field for the charset, since the pipeline reads all that origins write.
func (x *Job) chooseVintage(h http.Header, plain bool) {
	x.form.Charset = acceptedCharset(h)
	h.Del(charsetField)
	if x.pl.opts.Pictures != nil {
		x.form.PictureWidth = x.pl.opts.Pictures.Width
	}
	if plain {
		x.form.Plain = func(host string) bool {
			host, err := hostname.Canonical(host)
			if err != nil {
				return false
			}
			_, plain := x.pl.opts.Vintage(x.ctx, host)
			return plain
		}
	}
}

// acceptedCharset returns the charset that a client likes best of those that are written, empty where it names none. Of
// two that it likes the same, the one for all languages is better, then the first.
func acceptedCharset(h http.Header) (best string) {
	weight := 0.0
	for _, w := range parseWeighted(h[charsetField]) {
		if name, ok := vintage.CharsetFor(w.name); ok && w.q > 0 && (w.q > weight || w.q == weight && name == "utf-8") {
			best, weight = name, w.q
		}
	}
	return best
}
