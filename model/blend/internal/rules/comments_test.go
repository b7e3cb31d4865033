package rules

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// Comments are recognised by names in other languages too, and by a heading or a label that announces them. A link to
// the comments above the article announces nothing, and in a manual only the section goes.
func TestCommentsWithoutTheWord(t *testing.T) {
	story := strings.Repeat("<p>The bell was rung by hand again this week, and the whole town came to listen to it.</p>", 8)
	const comment = "<p>I heard it from the other side of the river.</p>"
	for name, c := range map[string]struct {
		src  string
		gone []string
	}{
		"Polish names":  {story + `<div class="opOpinia">` + comment + `</div>`, []string{"I heard"}},
		"a heading":     {`<div>` + story + `<h3>Komentarze (2)</h3>` + comment + `</div><p>Footer</p>`, []string{"Komentarze", "I heard"}},
		"a label":       {`<div>` + story + `<div>| 13 Comment(s)</div>` + comment + `</div><p>Footer</p>`, []string{"| 13", "I heard"}},
		"a link above":  {`<div><p><a href="#c">3 comments</a></p>` + story + `</div>`, nil},
		"a section":     {story + `<h3>Comments</h3>` + comment + `<h2>Grammar</h2><p>Bell rings.</p>`, []string{"Comments", "I heard"}},
		"entries":       {strings.Repeat(`<div>`+story+`<p>2 comments</p><p>Read more</p></div>`, 3), nil},
		"a short story": {`<p>Rung.</p><h3>Comments</h3>` + comment, nil},
	} {
		v := viewtest.ViewOf(t, `<title>The bell rings again</title><body><h1>The bell rings again</h1>`+c.src)
		in, _ := parts.CommentBlocks(v)
		var gone []string
		for i := range in {
			if in[i] {
				gone = append(gone, v.Texts[i].Text)
			}
		}
		if len(gone) != len(c.gone) {
			t.Errorf("%s: comments are %q, want %q", name, gone, c.gone)
			continue
		}
		for i := range gone {
			if !strings.HasPrefix(gone[i], c.gone[i]) {
				t.Errorf("%s: comments are %q, want %q", name, gone, c.gone)
			}
		}
	}
}

// The running text of an article counts as such where it looks rather like noise, because the comments below it are
// most of the page. Where it is certainly noise, the comments are the content.
func TestCommentsThatAreMostOfThePage(t *testing.T) {
	story := strings.Repeat("<p>The bell was rung by hand again this week, and the whole town came to listen to it.</p>", 8)
	comments := strings.Repeat(`<div class="comment"><p>I heard it from the other side of the river, on the way to the mill.</p></div>`, 20)
	for _, c := range []struct {
		story float32
		drop  bool
	}{{-1, true}, {1.5, true}, {3, false}} {
		v := viewtest.ViewOf(t, `<title>The bell rings again</title><body><h1>The bell rings again</h1>`+story+comments)
		odds := make([]float32, len(v.Blocks))
		for i := range odds {
			odds[i] = -1
			if strings.HasPrefix(v.Texts[i].Text, "The bell was") {
				odds[i] = c.story
			}
		}
		if got := dropComments(parts.NewOutline(v), odds); got != c.drop || odds[len(odds)-1] > 0 != c.drop {
			t.Errorf("with log-odds of %v for the article, comments dropped: %v", c.story, got)
		}
	}
}

func TestCommentsUnderAnArticleGo(t *testing.T) {
	prose := "<p>" + strings.Repeat("The bridge was built by people who had never seen the sea before they came here. ", 4) + "</p>"
	src := `<title>The old bridge</title><body><h1>The old bridge</h1><div>` + strings.Repeat(prose, 3) + `</div>
		<ul class="comment b2"><li>Ann</li><li><p>What a fine bridge it is, and how well this was told to all of us who live by it.</p></li></ul>`
	for head, want := range map[string]bool{"": true, `<meta name="generator" content="phpBB">`: false} {
		v := viewtest.ViewOf(t, head+src)
		odds := make([]float32, len(v.Blocks))
		for i := range odds {
			odds[i] = -1
		}
		if got := dropComments(parts.NewOutline(v), odds); got != want || odds[len(odds)-1] > 0 != want || odds[1] > 0 {
			t.Errorf("%q: comments go: %v, log-odds %v", head, got, odds)
		}
	}
}
