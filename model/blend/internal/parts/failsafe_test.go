package parts

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
)

// A page of which almost nothing would be left passes.
func TestNextToNothingPasses(t *testing.T) {
	v := viewtest.ViewOf(t, `<body><nav>Start News Travel History Contact Imprint Privacy</nav><p c>Hm</p><p>and so on for a while</p>`)
	if NewOutline(v).HasEnough(viewtest.GoldVerdicts(v), page.None) {
		t.Error("a word of thirteen is enough")
	}
	v = viewtest.ViewOf(t, `<body><nav>Start News Travel History Contact Imprint Privacy</nav><div><img src=boat.jpg><p c>Hm</p></div><p>and so on for a while</p>`)
	if !NewOutline(v).HasEnough(viewtest.GoldVerdicts(v), page.None) {
		t.Error("a picture with its title is not enough")
	}
}
