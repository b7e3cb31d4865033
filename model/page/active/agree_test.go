package active

import (
	"errors"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
)

// ChecksAgree reports whether out passes the check of tags, and fails if it passes only that.
func ChecksAgree(t *testing.T, p *page.Page, out string) bool {
	t.Helper()
	c := newCheck(p)
	if !c.passesPlain(out) {
		return false
	}
	if err := c.parsed(out); err != nil && !errors.Is(err, page.ErrTooDeep) && !errors.Is(err, page.ErrTooMany) {
		t.Errorf("%q of %q passes the check of tags only: %v", out, p.UTF8(), err)
	}
	return true
}

// PassesTags reports whether out passes the check of tags.
func PassesTags(p *page.Page, out string) bool { return newCheck(p).passesPlain(out) }
