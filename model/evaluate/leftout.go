package evaluate

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/winnow-proxy/winnow/model"
)

// ErrNotAPage says that a file of the corpus is not a page.
var ErrNotAPage = errors.New("not HTML")

// errPanic says that a detector panicked on a page.
var errPanic = errors.New("the detector panicked")

// readPage reads a page's bytes. It refuses what can't be a page: pictures, archives and the like.
func readPage(file string) ([]byte, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if isBinary(b) {
		return nil, fmt.Errorf("%s: %w, it is a binary file", file, ErrNotAPage)
	}
	return b, nil
}

// sniffed is the number of bytes that are examined, as in the MIME Sniffing standard (section 5.1).
const sniffed = 1445

// isBinary reports whether there is a binary data byte of that standard (section 3). It does not look at UTF-16, which
// has many such bytes, if its byte order mark is there.
func isBinary(b []byte) bool {
	if bytes.HasPrefix(b, []byte("\xfe\xff")) || bytes.HasPrefix(b, []byte("\xff\xfe")) {
		return false
	}
	return slices.ContainsFunc(b[:min(len(b), sniffed)], func(c byte) bool {
		return c <= 0x08 || c == 0x0b || 0x0e <= c && c <= 0x1a || 0x1c <= c && c <= 0x1f
	})
}

// leave reports a page that can't be measured. Without LeftOut it returns the error, which ends the run.
func (r *Runner) leave(site, page string, err error) error {
	if r.LeftOut == nil {
		return fmt.Errorf("%s, page %s: %w", site, page, err)
	}
	r.LeftOut(site, page, err)
	return nil
}

// contained turns a panic of a detector into an error, so that one page can't end the measurement of all others.
func contained(detector string, work func()) error {
	if err := model.Contain(func() error { work(); return nil }); err != nil {
		return fmt.Errorf("%s: %w: %w", detector, errPanic, err)
	}
	return nil
}
