package view_test

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// A link without a target names a part of the page, and one around an article is no link text, so that both leave
// running text as it is.
func TestWhatIsLinkText(t *testing.T) {
	const text = "The bell was rung by hand again this week, and the whole town came to listen to it."
	for _, c := range []struct {
		name, src string
		linked    bool
	}{
		{"a link", `<p><a href="/bell">` + text + `</a></p>`, true},
		{"a card", `<a href="/bell"><h3>Bell</h3><p>` + text + `</p></a>`, true},
		{"a name that nobody has closed", `<p><a name="bell">` + text + `</p>`, false},
		{"around an article", `<a href="/video">` + strings.Repeat("<p>"+text+"</p>", 7) + `</a>`, false},
	} {
		v := viewtest.ViewOf(t, "<body>"+c.src)
		last := &v.Blocks[len(v.Blocks)-1]
		if linked := last.LinkChars > 0 && last.Links > 0; linked != c.linked {
			t.Errorf("%s: the text is linked: %v", c.name, linked)
		}
		if last.IsProse() == c.linked {
			t.Errorf("%s: the text is prose: %v", c.name, last.IsProse())
		}
	}
}
