package page

import "errors"

// offsets maps positions in the UTF-8 text to positions in the source.
type offsets struct{}

// ErrTooDeep says that the page has more open elements than the parser allows (512, golang/go#76279).
var ErrTooDeep = errors.New("more than 512 elements are open at once")

// Parse reads one HTML document. src is kept, not copied. contentType is the value of the Content-Type header, empty
// where there is none.
func Parse(src []byte, contentType string) (*Page, error) {
	return nil, errors.New("not written yet")
}
