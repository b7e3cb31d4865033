package rules

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
)

// bookPage is a product page whose facts have the shape of a template.
func bookPage(i int) string {
	names := []string{"North Press", "Old Mill", "Tern Books", "Harbour House", "Alder", "Kite & Son", "Low Road", "Quarry"}
	return strings.NewReplacer("$isbn", strings.Repeat(string(rune('0'+i)), 9), "$house", names[i], "$title", "Book of "+names[(i+3)%8]).Replace(
		`<title>$title</title><body><div><a href="/">Start</a> <a href="/s">Sales</a></div><h1>$title</h1><ul><li><strong>ISBN-13</strong>: 978$isbn</li>
		<li><strong>Publisher</strong>: $house</li><li><strong>Format</strong>: Paperback</li><li><strong>Pages</strong>: 3$isbn</li></ul>
		<p>Terms: all prices include tax</p>`)
}

func TestFactsAreKept(t *testing.T) {
	m := memory.NewMemory(1 << 20)
	for i := range 6 {
		learned := viewtest.ViewOf(t, bookPage(i))
		m.Learn(learned, make([]float32, len(learned.Blocks)))
	}
	v := viewtest.ViewOf(t, bookPage(7))
	ev := features.NewEvidence(memory.Recall{Memory: m}, v)
	odds := make([]float32, len(v.Blocks))
	for i := range odds {
		odds[i] = 3
	}
	liftFacts(ev, odds)
	for i, o := range odds {
		text := string(v.Doc.BlockText(nil, page.BlockID(i)))
		fact := strings.HasPrefix(text, "ISBN") || strings.HasPrefix(text, "Publisher") || strings.HasPrefix(text, "Pages")
		if (o < 0) != fact {
			t.Errorf("%q has the log-odds %g", text, o)
		}
	}
}
