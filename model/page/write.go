package page

import "errors"

// Output is a page written in one mode.
type Output struct {
	Body []byte
	// ContentType is the value for the Content-Type header.
	ContentType string
	// Removed is the share of the page's visible text, in characters, that the output leaves out, in [0,1].
	Removed float64
}

// Write writes the page without its noise, or with it tagged, in the given mode. It returns an error where the page
// can't be written safely in that mode; the origin's bytes should go out then.
func Write(p *Page, m *Marking, mode Mode) (*Output, error) {
	return nil, errors.New("not written yet")
}
