package write_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// written are the modes that write addresses of their own.
func written() []page.Mode {
	return []page.Mode{page.ModeReader, page.ModeLite, page.ModeVintage, page.ModeMarkdown, page.ModeJSON}
}

// A base does not stand before any number of addresses of the page, in any form.
func TestAddressesAreBounded(t *testing.T) {
	base := "http://a.example/" + strings.Repeat("x/", 2_000)
	src := `<base href="` + base + `"><p>` + strings.Repeat("<a href=y>Some words to read.</a> and what stays <img src=z>", 4_000)
	p, m := unmarked(t, src)
	for _, mode := range written() {
		out, err := write.Form{Mode: mode, URL: "http://a.example/"}.Write(p, m)
		if err != nil {
			t.Fatal(err)
		}
		if most := 10*len(src) + 4*address.SpareAddresses; len(out.Body) > most {
			t.Errorf("%s: %d bytes became %d", mode, len(src), len(out.Body))
		}
		if !strings.Contains(string(out.Body), "x/y") {
			t.Errorf("%s: no address is absolute", mode)
		}
	}
}

// unmarked returns a page without noise.
func unmarked(t *testing.T, src string) (*page.Page, *page.Marking) {
	t.Helper()
	p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return p, &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
}

// A base that is longer than any page needs is not read anew at each address.
func TestLongBaseCostsNothing(t *testing.T) {
	src := `<base href="http://a.example/` + strings.Repeat("%20", 80_000) + `">` + strings.Repeat("<p><a href=/y>Some words to read.</a>", 2_000)
	p, m := unmarked(t, src)
	for _, mode := range written() {
		if took := pagetest.Allocated(func() {
			if _, err := (write.Form{Mode: mode, URL: "http://a.example/"}).Write(p, m); err != nil {
				t.Error(err)
			}
		}); took > 100<<20 {
			t.Errorf("%s: it took %d MB", mode, took>>20)
		}
	}
}

// Nobody writes a page for whom nobody waits.
func TestWritingEnds(t *testing.T) {
	p, m := unmarked(t, strings.Repeat("<p>The <b>tide</b> came <a href=x>in</a> again.", 5_000))
	done := make(chan struct{})
	close(done)
	for mode := range page.ModeVintage + 1 {
		write := func(done <-chan struct{}) (err error) {
			_, err = write.Form{Mode: mode, URL: "http://a.example/", ChunkTokens: 100, Done: done}.Write(p, m)
			return err
		}
		all := pagetest.Allocated(func() {
			if err := write(nil); err != nil {
				t.Errorf("%s: %v", mode, err)
			}
		})
		if little := pagetest.Allocated(func() {
			if err := write(done); !errors.Is(err, page.ErrDone) {
				t.Errorf("%s: it ends with %v", mode, err)
			}
		}); little > 10<<20+all/4 {
			t.Errorf("%s: %d of %d bytes were taken for nobody", mode, little, all)
		}
	}
}

// Writing takes no more memory for elements that stand deep in each other than for those that stand beside each other.
func TestNestingCostsNoMore(t *testing.T) {
	text := strings.Repeat("<p>The tide came in again, and the boats were let in one by one.", 3000)
	write := func(src string, mode page.Mode) uint64 {
		p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
		return pagetest.Allocated(func() {
			if _, err := (write.Form{Mode: mode, URL: "http://a.example/"}).Write(p, m); err != nil {
				t.Error(err)
			}
		})
	}
	for _, mode := range []page.Mode{page.ModeReader, page.ModeVintage, page.ModeText, page.ModeJSON} {
		flat := write(text, mode)
		for _, tag := range []string{"<blockquote>", "<ul><li>", "<b>", "<a href=#x>", "<sup>"} {
			if deep := write(strings.Repeat(tag, 400/strings.Count(tag, "<"))+text, mode); deep > 12*flat+50<<20 {
				t.Errorf("%s: %d MB in %s, %d MB beside each other", mode, deep>>20, tag, flat>>20)
			}
		}
	}
}
