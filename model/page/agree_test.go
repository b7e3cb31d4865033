package page

import (
	"errors"
	"testing"
)

// checksAgree reports whether out passes the check of tags, and fails if it passes only that.
func checksAgree(t *testing.T, p *Page, out string) bool {
	t.Helper()
	c := newLiveCheck(p)
	if !c.passesPlain(out) {
		return false
	}
	if err := c.parsed(out); err != nil && !errors.Is(err, ErrTooDeep) && !errors.Is(err, ErrTooMany) {
		t.Errorf("%q of %q passes the check of tags only: %v", out, p.UTF8(), err)
	}
	return true
}

// passesTags reports whether out passes the check of tags.
func passesTags(p *Page, out string) bool { return newLiveCheck(p).passesPlain(out) }
