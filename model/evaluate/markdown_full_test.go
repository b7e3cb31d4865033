//go:build full

package evaluate

import (
	"math"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// Markdown of real pages says what their text says: the mean word F1 against the gold differs by .005 at most.
// Pictures, which text leaves out, don't count, and neither do tags within Markdown.
func TestMarkdownSaysWhatTextSays(t *testing.T) {
	pages, err := LoadSingles(filepath.Join(corpusDir(t), "pages"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := detectors.ByName(detectors.Default, detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	added := regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)|</?(br|sup|sub|kbd|mark|u|ins|del|small)\b[^>]*>`)
	var text, markdown float64
	n := 0
	for i := 0; i < len(pages); i += 5 {
		s := pages[i]
		src, err := s.Source()
		if err != nil {
			t.Fatal(err)
		}
		p, err := page.Parse(src, "")
		if err != nil {
			continue
		}
		m := d.New(model.NewKey()).Mark(p, model.Visit{URL: s.URL})
		if m.Pass != "" {
			continue
		}
		form := write.Form{Mode: page.ModeText, URL: s.URL, Links: write.LinksNone}
		plain, err := form.Write(p, m)
		if err != nil {
			t.Fatal(err)
		}
		form.Mode = page.ModeMarkdown
		marked, err := form.Write(p, m)
		if err != nil {
			t.Fatal(err)
		}
		n++
		text += ScoreText(s.Gold, string(plain.Body)).WordF1
		markdown += ScoreText(s.Gold, added.ReplaceAllString(string(marked.Body), " ")).WordF1
	}
	text, markdown = text/float64(n), markdown/float64(n)
	t.Logf("%d pages: word F1 of text %.4f, of Markdown %.4f", n, text, markdown)
	if math.Abs(text-markdown) > .005 {
		t.Errorf("word F1 of text %.4f, of Markdown %.4f", text, markdown)
	}
}
