package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// Lists of other articles below an article are noise as a whole, with their heading. Where the page is the list, where
// links stand within sentences, or where the list is certainly content, they stay.
func TestTeasersBesideAnArticle(t *testing.T) {
	const title = "<title>The bell rings again</title><body><h1>The bell rings again</h1>"
	story := strings.Repeat("<p>The bell was rung by hand again this week, and the whole town came to listen to it.</p>", 5)
	list := func(entry string) string {
		var b strings.Builder
		for n := range 4 {
			fmt.Fprintf(&b, `<div class="entry">`+entry+"</div>", n)
		}
		return "<div><h3>More of this week</h3>" + b.String() + "</div>"
	}
	const headline = `<h4><a href="/story/%d">Ferry stays in the harbour</a></h4>`
	const summary = "<p>The ferry to the island stays in the harbour until the storm is over, says its captain.</p>"
	for _, c := range []struct {
		name, src string
		odds      float32
		dropped   bool
	}{
		{"headlines", title + story + list(headline), -.5, true},
		{"headlines and texts", title + story + list(headline+summary), -.5, true},
		{"a date first", title + story + list("<i>5 March</i>"+headline+summary), -.5, true},
		{"one block", title + story + list(`<a href="/story/%d">Ferry stays in the harbour</a> The ferry to the island stays there.`), -.5, true},
		{"surely content", title + story + list(headline+summary), -2, false},
		{"a list of stories", title + list(headline+summary) + story, -.5, false},
		{"no title", "<body>" + story + list(headline+summary), -.5, false},
		{"links in sentences", title + story + list(`<p>The captain of the <a href="/ship/%d">ferry to the island</a> waits.</p>`), -.5, false},
		{"one target", title + story + list(`<h4><a href="/story">Ferry stays in the %d harbour</a></h4>`), -.5, false},
		{"short links", title + story + list(`<a href="/tag/%d">Harbour</a>`), -.5, false},
	} {
		v := viewtest.ViewAt(t, c.src, "https://news.example/bell")
		odds := make([]float32, len(v.Blocks))
		for i := range odds {
			odds[i] = c.odds
		}
		if got := dropTeasers(v, odds); got != c.dropped {
			t.Errorf("%s: teasers dropped: %v", c.name, got)
		}
		for i, o := range odds {
			teaser := strings.Contains(v.Texts[i].Text, "erry") || strings.Contains(v.Texts[i].Text, "March") ||
				strings.HasPrefix(v.Texts[i].Text, "More of")
			if (o > 0) != (c.dropped && teaser) {
				t.Errorf("%s: the log-odds of %q are %v", c.name, v.Texts[i].Text, o)
			}
		}
	}
}
