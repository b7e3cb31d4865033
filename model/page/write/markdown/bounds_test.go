package markdown

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// What a few bytes of HTML ask for is bounded: the Markdown of hostile shapes is little longer than they are, and takes
// little more memory, and no text is lost.
func TestMarkdownIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		html string
		// words are the words in the text.
		words int
	}{
		"one cell over a billion columns": {`<table><tr><td colspan=1000000000>tide<tr><td>tide</table>`, 2},
		"one cell over a billion rows":    {`<table><tr><td rowspan=1000000000>tide<tr><td>tide</table>`, 2},
		"one cell over both":              {`<table><tr><td rowspan=99999 colspan=99999>tide<tr><td>tide</table>`, 2},
		"a number that is none":           {`<table><tr><td colspan=99999999999999999999>tide<tr><td>tide</table>`, 2},
		"many cells over many":            {"<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=1000>tide", 2000) + "</table>", 2000},
		"many small tables":               {strings.Repeat("<table><tr><td colspan=100>tide<tr><td>tide</table>", 2000), 4000},
		"one wide row, many rows":         {"<table><tr>" + strings.Repeat("<td>tide", 3000) + strings.Repeat("<tr><td>tide", 3000) + "</table>", 6000},
		"quotations":                      {strings.Repeat("<blockquote>", 400) + strings.Repeat("<p>tide</p>", 5000), 5000},
		"lists":                           {strings.Repeat("<ul><li>", 200) + strings.Repeat("<li>tide", 5000), 5000},
		"tables in tables":                {strings.Repeat("<table><tr><td>", 100) + strings.Repeat("<p>tide</p>", 5000), 5000},
		"references to one long note":     {strings.Repeat(`<sup><a href="#n">2</a></sup>`, 20000) + "<p id=n>1 " + strings.Repeat("tide ", 300000), 300000},
		"references in one superscript":   {"<sup>" + strings.Repeat(`<a href="#n">2</a>`, 5000) + "</sup><p id=n>2 tide", 1},
		"emphasis":                        {strings.Repeat("<b><i>", 200) + strings.Repeat("<u>tide</u> ", 5000), 5000},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			md, err := Convert(c.html, Options{})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(md, "tide"); got != c.words && (got < c.words || strings.Count(c.html, "span") == 0) {
				t.Errorf("%d words, want %d", got, c.words)
			}
			if most := 40*len(c.html) + 400_000; len(md) > most {
				t.Errorf("%d bytes became %d", len(c.html), len(md))
			}
			if used, most := after.TotalAlloc-before.TotalAlloc, uint64(8000*len(c.html)+100<<20); used > most {
				t.Errorf("%d MB were used for %d bytes", used>>20, len(c.html))
			}
		})
	}
}

// What holds a note is looked for once in each row and table, however many references lead there.
func TestNotesInTablesAreBounded(t *testing.T) {
	for name, shape := range map[string]func(n int) string{
		"references to one table": func(n int) string {
			return strings.Repeat("<a href=#t>1</a> ", n) + "<table id=t>" + strings.Repeat("<tr><td>x", n) + "</table>"
		},
		"notes of one row": func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "<a href=#c%d>1</a>", i)
			}
			b.WriteString("<table><tr>")
			for i := range n {
				fmt.Fprintf(&b, "<td id=c%d>1", i)
			}
			return b.String() + "</table>"
		},
	} {
		used := func(n int) uint64 {
			src := shape(n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := Convert(src, Options{}); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		if few, many := used(1000), used(8000); many > 16*few {
			t.Errorf("%s: %d kB for a thousand, %d kB for eight", name, few>>10, many>>10)
		}
	}
}

// Tables as people make them keep their form.
func TestBoundsLeaveTablesAlone(t *testing.T) {
	md, err := Convert(`<table><tr><th colspan=2>Tides<tr><td>high<td>low<tr><td rowspan=2>noon<td>one<tr><td>two</table>`, Options{})
	if err != nil || !strings.HasPrefix(md, "| Tides |") || strings.Count(md, "\n") != 5 {
		t.Errorf("%v: %q", err, md)
	}
}

// Cutting takes a time that grows with the text, whatever size the pieces shall have, and a long heading does not stand
// above each of them.
func TestChunksAreBounded(t *testing.T) {
	for name, md := range map[string]string{
		"many blocks":    strings.Repeat("tide\n\n", 200_000),
		"many words":     strings.Repeat("tide ", 400_000),
		"many lines":     strings.Repeat("tide\n", 400_000),
		"a long word":    strings.Repeat("tide", 400_000),
		"a long heading": "# " + strings.Repeat("Of tides ", 50_000) + "\n\n" + strings.Repeat("tide\n\n", 20_000),
		"many headings":  strings.Repeat("# A\n\n## B\n\n### C\n\n#### D\n\n##### E\n\n###### F\n\ntide\n\n", 10_000),
	} {
		for _, limit := range []int{16, 1_000_000} {
			began := time.Now()
			total := 0
			for _, c := range Chunks(md, limit) {
				total += len(c.Text)
				for _, h := range c.Path {
					total += len(h)
				}
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%s in pieces of %d: %v", name, limit, took)
			}
			if total > 70*len(md) {
				t.Errorf("%s in pieces of %d: %d bytes became %d", name, limit, len(md), total)
			}
		}
	}
}

// A conversion that nobody waits for ends soon.
func TestConversionEnds(t *testing.T) {
	src := strings.Repeat("<p>The <b>tide</b> came <a href=http://a.example/>in</a> again.", 5_000)
	done := make(chan struct{})
	if _, err := Convert(src, Options{Done: done}); err != nil {
		t.Fatal(err)
	}
	close(done)
	if _, err := Convert(src, Options{Done: done}); !errors.Is(err, ErrDone) {
		t.Errorf("it ends with %v", err)
	}
}
