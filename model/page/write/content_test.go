package write_test

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// A long table of data stays one, although a cell of it has a table of its own; a table of headed boxes does not.
func TestTablesInTables(t *testing.T) {
	rows := strings.Repeat("<tr><td>%a</td><td>An address of the other side.</td></tr>", 7)
	inner := "<tr><td>%X</td><td>How it ended:<table><tr><td>X</td><td>before</td></tr><tr><td>+</td><td>alive</td></tr></table></td></tr>"
	for name, c := range map[string]struct{ src, markdown, reader string }{
		"data":  {"<table><tr><th>Format</th><th>Meaning</th></tr>" + rows + inner + "</table>", "| Format | Meaning |\n", "<th>Format</th>"},
		"posts": {"<table><tr><th>Author</th><th>Message</th></tr>" + strings.Repeat(inner, 3) + "</table>", "How it ended:", "How it ended:"},
	} {
		p := pagetest.MustParse(t, []byte("<body><h1>Formats</h1><p>All that is there.</p>"+c.src), "")
		for mode, want := range map[page.Mode]string{page.ModeMarkdown: c.markdown, page.ModeReader: c.reader} {
			out, err := write.Form{Mode: mode}.Write(p, pagetest.MarkNoise(p))
			if err != nil {
				t.Fatal(err)
			}
			got := string(out.Body)
			if !strings.Contains(got, want) || strings.Contains(got, "Author</th>") || strings.Contains(got, "| Author") || name == "data" && strings.Count(got, "<table") > 1 {
				t.Errorf("%s as %s lacks %q:\n%s", name, mode, want, got)
			}
		}
	}
}

// An image without words goes with the text that it decorates, and no other does.
func TestImagesBesideNoise(t *testing.T) {
	const doc = `<body><p>Story.</p><ul><li><img alt="" src=bullet.gif> <a class=noise href=/a>Top</a></li></ul>
<p><img alt="" src=picture.jpg></p><div><img alt="The bridge" src=bridge.jpg> <span class=noise>Share</span></div></body>`
	p := pagetest.MustParse(t, []byte(doc), "")
	out, err := write.Form{Mode: page.ModeReader}.Write(p, pagetest.MarkNoise(p))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"bullet.gif": false, "picture.jpg": true, "bridge.jpg": true} {
		if strings.Contains(string(out.Body), name) != want {
			t.Errorf("%s is there: %t\n%s", name, !want, out.Body)
		}
	}
}
