package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// A sentence on every page is noise, wherever it stands. A label stays, and so does everything where a page has no new
// text besides.
func TestSentencesThatRecurOnAllPages(t *testing.T) {
	const sentence, label = "<p>All our stories are told by people of this town.</p>", "<p>What happened</p>"
	story := func(n int) string {
		return strings.Repeat(fmt.Sprintf("<p>On day %s the boats came back with the tide and the harbour was full.</p>", strings.Repeat("x", n)), 4)
	}
	m := memory.NewMemory(1 << 20)
	odds := func(body string, pages int) []float32 {
		v := viewtest.ViewOf(t, "<body>"+body)
		for m.Pages < uint32(pages) {
			next := viewtest.ViewOf(t, "<body>"+story(int(m.Pages)+1)+sentence+label)
			m.Add(m.Increment(next, make([]float32, len(next.Blocks))))
		}
		odds := make([]float32, len(v.Blocks))
		for i := range odds {
			odds[i] = -1
		}
		dropRecurring(features.NewEvidence(memory.Recall{Memory: m}, v), odds)
		return odds
	}
	page := story(20) + sentence + label
	for _, c := range []struct {
		name, body string
		pages      int
		noise      bool
	}{
		{"three pages", page, recurringPages - 1, false},
		{"four pages", page, recurringPages, true},
		{"nothing new besides", sentence + label, recurringPages, false},
	} {
		got := odds(c.body, c.pages)
		if at := len(got) - 2; got[at] > 0 != c.noise {
			t.Errorf("%s: the log-odds of the sentence are %v", c.name, got[at])
		}
		for i, o := range got {
			if i != len(got)-2 && o != -1 {
				t.Errorf("%s: the log-odds of block %d became %v", c.name, i, o)
			}
		}
	}
}
