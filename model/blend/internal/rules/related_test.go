package rules

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// Links go with the heading above them, if that is certainly noise.
func TestLinksGoWithTheirHeading(t *testing.T) {
	const title = "<title>The bell rings again</title><body><div><h1>The bell rings again</h1>" +
		"<p>The bell was rung by hand again this week, and the whole town came to listen to it.</p></div>"
	entries := strings.Repeat(`<li><a href="/story/1">The bell rings again</a> [5 March 2024]</li>`, 4)
	box := func(heading, below string) string {
		return title + "<div><div>" + heading + "</div><ul>" + below + "</ul></div><p>The mill stands still.</p>"
	}
	for _, c := range []struct {
		name, src     string
		heading, odds float32
		dropped       int
	}{
		{"entries with a date", box("Related news", entries), 4, -2, 4},
		{"another language", box("相关新闻", entries), 4, -2, 4},
		{"a heading by its tag", box("<h3>What the ringers say</h3>", entries), 4, -2, 4},
		{"a heading that may be content", box("Related news", entries), 2, -2, 0},
		{"a text that announces nothing", box("What the ringers say", entries), 4, -2, 0},
		{"texts", box("Related work", strings.Repeat("<li>"+strings.Repeat("Bells are cast in one piece. ", 8)+"</li>", 3)), 4, -2, 0},
		{"no link", box("Related places", "<li>Harbour</li><li>Mill</li>"), 4, -2, 0},
		{"nothing", box("Related news", ""), 4, -2, 0},
	} {
		v := viewtest.ViewAt(t, c.src, "http://a.example/story/1")
		odds := make([]float32, len(v.Blocks))
		for i := range odds {
			odds[i] = c.odds
		}
		heading := -1
		for i := range v.Blocks {
			if text := v.Texts[i].Folded; strings.HasPrefix(text, "related") || strings.HasPrefix(text, "what") || strings.HasPrefix(text, "相关") {
				heading, odds[i] = i, c.heading
			}
		}
		found, dropped := dropRelated(v, odds), 0
		for i := range odds {
			if i != heading && odds[i] != c.odds {
				dropped++
			}
		}
		if dropped != c.dropped || found != (c.dropped > 0) {
			t.Errorf("%s: %d blocks dropped, found is %t, want %d", c.name, dropped, found, c.dropped)
		}
	}
}
