package page

import (
	"strings"
	"testing"
)

// A long base does not stand before each address of the page, in any form.
func TestAddressesAreBounded(t *testing.T) {
	base := "http://a.example/" + strings.Repeat("x/", 10_000)
	src := `<base href="` + base + `"><p>` + strings.Repeat("<a href=y>Some words to read.</a> and what stays <img src=z>", 4_000)
	p, err := Parse([]byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	m := &Marking{Verdicts: make([]Verdict, len(p.Blocks))}
	for _, mode := range []Mode{ModeReader, ModeLite, ModeVintage, ModeMarkdown, ModeJSON} {
		out, err := Form{Mode: mode, URL: "http://a.example/"}.Write(p, m)
		if err != nil {
			t.Fatal(err)
		}
		if most := 10*len(src) + 4*spareAddresses; len(out.Body) > most {
			t.Errorf("%s: %d bytes became %d", mode, len(src), len(out.Body))
		}
		if !strings.Contains(string(out.Body), "x/y") {
			t.Errorf("%s: no address is absolute", mode)
		}
	}
}

// Writing takes no more memory for elements that stand deep in each other than for those that stand beside each other.
func TestNestingCostsNoMore(t *testing.T) {
	text := strings.Repeat("<p>The tide came in again, and the boats were let in one by one.", 3000)
	write := func(src string, mode Mode) uint64 {
		p, err := Parse([]byte(src), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		m := &Marking{Verdicts: make([]Verdict, len(p.Blocks))}
		return allocated(func() {
			if _, err := (Form{Mode: mode, URL: "http://a.example/"}).Write(p, m); err != nil {
				t.Error(err)
			}
		})
	}
	for _, mode := range []Mode{ModeReader, ModeVintage, ModeText, ModeJSON} {
		flat := write(text, mode)
		for _, tag := range []string{"<blockquote>", "<ul><li>", "<b>", "<a href=#x>", "<sup>"} {
			if deep := write(strings.Repeat(tag, 400/strings.Count(tag, "<"))+text, mode); deep > 12*flat+50<<20 {
				t.Errorf("%s: %d MB in %s, %d MB beside each other", mode, deep>>20, tag, flat>>20)
			}
		}
	}
}
