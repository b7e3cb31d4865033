package page

import (
	"strings"
	"testing"
)

// A long base does not stand before each address of the page, in any form.
func TestAddressesAreBounded(t *testing.T) {
	base := "http://a.example/" + strings.Repeat("x/", 20_000)
	src := `<base href="` + base + `"><p>` + strings.Repeat("<a href=y>Some words to read.</a> and what stays <img src=z>", 20_000)
	p, err := Parse([]byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	m := &Marking{Verdicts: make([]Verdict, len(p.Blocks))}
	for _, mode := range []Mode{ModeReader, ModeLite, ModeMarkdown, ModeJSON} {
		out, err := Form{Mode: mode, URL: "http://a.example/"}.Write(p, m)
		if err != nil {
			t.Fatal(err)
		}
		if most := 10*len(src) + 4*spareAddresses; len(out.Body) > most {
			t.Errorf("%s: %d bytes became %d", mode, len(src), len(out.Body))
		}
		if !strings.Contains(string(out.Body), base+"y") {
			t.Errorf("%s: no address is absolute", mode)
		}
	}
}
