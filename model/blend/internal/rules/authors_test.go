package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// A field for copying is not part of a page's text, unless the page is one large field.
func TestFieldsGo(t *testing.T) {
	article := strings.Repeat("<p>In the first week of spring the bell was rung by hand again, and the whole town came to listen to it.</p>", 5)
	v := viewtest.ViewOf(t, "<html><body><h1>The bell</h1>"+article+"<textarea>Copy this code to show the story of the bell on your own site, with all its pictures</textarea></body></html>")
	odds := make([]float32, len(v.Blocks))
	dropFields(v, odds)
	if last := len(odds) - 1; odds[last] < detailOdds || odds[last-1] != 0 {
		t.Errorf("log-odds of the article and the field: %v", odds)
	}
}

// Comments below an article are removed. If the page says that it is a topic of a forum, they are its replies and stay.
func TestRepliesOfAForumStay(t *testing.T) {
	story := strings.Repeat("<p>In the first week of spring the bell was rung by hand again, and the whole town came to listen to it.</p>", 6)
	src := `<html><head><title>The bell rings</title></head><body><div id="main"><h1>The bell rings</h1><div class="node">` + story +
		`%s</div><div id="comments"><div class="comment"><h3>Re: The bell rings</h3><p>I heard it from the other side of the river, and my dog did too.</p></div></div></div></body></html>`
	for part, want := range map[string]bool{"": false, `<div class="forum-topic-navigation"><a href="/t/4">Older topic</a></div>`: true} {
		v := viewtest.ViewOf(t, fmt.Sprintf(src, part))
		odds := make([]float32, len(v.Blocks))
		for b := range odds {
			odds[b] = -1
		}
		if dropped := dropComments(parts.NewOutline(v), odds); dropped == want {
			t.Errorf("with %q the comments go: %v", part, dropped)
		}
	}
}
