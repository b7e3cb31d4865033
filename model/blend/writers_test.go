package blend

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
)

// thread is a topic of a forum. Each post has a box with details of its author.
func thread(box string, posts int) string {
	var b strings.Builder
	b.WriteString(`<html><head><title>Which rope for the bell?</title></head><body><h2>Which rope for the bell?</h2>`)
	for i := range posts {
		fmt.Fprintf(&b, `<div class="post">%s<div class="body"><p>The %s rope that we have used since autumn frays where it runs over the wheel, so
			I would rather splice a new one of hemp than mend it once more before winter.</p></div></div>`,
			fmt.Sprintf(box, fmt.Sprint("Keeper", i), i*7+3), []string{"old", "thin", "long", "wet"}[i%4])
	}
	return b.String() + "</body></html>"
}

// Beside a post is its author, and details that readers do not ask for.
func TestWritersDetailsGo(t *testing.T) {
	for name, box := range map[string]string{
		"phpBB":     `<dl class="postprofile"><dt><a href="/u">%s</a></dt><dd>Posts: %d</dd><dd>Joined: 3 May 2019</dd></dl>`,
		"SMF":       `<div class="poster"><h4><a href="/u">%s</a></h4><ul><li>Newbie</li><li>Posts: %d</li></ul></div>`,
		"old phpBB": `<div><b>%s</b><p class="postdetails">Newbie<br>Posts: %d</p></div>`,
		"MyBB":      `<div class="author_statistics"><a href="/u">%s</a><div>Posts: %d</div><div>Threads: 4</div></div>`,
	} {
		h := detector(t).newHost(model.Key{})
		m, p := h.Mark(viewtest.Parse(t, thread(box, 5)), visit(0)), viewtest.Parse(t, thread(box, 5))
		var kept []string
		for b, v := range m.Verdicts {
			if !v.Noise {
				kept = append(kept, string(p.BlockText(nil, page.BlockID(b))))
			}
		}
		text := strings.Join(kept, "\n")
		if strings.Contains(text, "Posts: ") || strings.Contains(text, "Newbie") {
			t.Errorf("%s: details of writers stay:\n%s", name, text)
		}
		if strings.Count(text, "frays where it runs") != 5 {
			t.Errorf("%s: posts are missing:\n%s", name, text)
		}
	}
}
