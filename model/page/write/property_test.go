package write_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

func TestRemoveLeavesExactlyTheContent(t *testing.T) {
	for name, gen := range map[string]func(*rapid.T) string{"well formed": pagetest.WellFormed, "end tags implied": pagetest.Implied} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				src := gen(t)
				p := pagetest.MustParse(t, []byte(src), "")
				m := pagetest.RandomMarking(p, pagetest.Drawer(t))
				out, err := write.Page(p, m, page.ModeRemove)
				if err != nil {
					t.Fatalf("%v in %s", err, src)
				}
				again := pagetest.MustParse(t, out.Body, "")
				if diff := cmp.Diff(pagetest.KeptBlocks(p, m), pagetest.KeptBlocks(again, pagetest.None(again))); diff != "" {
					t.Fatalf("blocks (-kept +in the output):\n%s\nsource %s\noutput %s\nmarks %v", diff, src, out.Body, pagetest.Describe(p, m))
				}
			})
		})
	}
}

// In tag soup a removed element may have changed how the parser reads the rest (reopened formatting, content moved out
// of tables), so blocks may join or split. But no word of content may get lost, and no word of noise may stay.
func TestRemoveKeepsTheWordsOfTagSoup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := pagetest.Soup(t)
		p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
		m := pagetest.RandomMarking(p, pagetest.Drawer(t))
		out, err := write.Page(p, m, page.ModeRemove)
		if err != nil {
			return
		}
		again := pagetest.MustParse(t, out.Body, "text/html; charset=utf-8")
		want, got := pagetest.Numbered(pagetest.KeptBlocks(p, m)), pagetest.Numbered(pagetest.KeptBlocks(again, pagetest.None(again)))
		if !slices.Equal(want, got) {
			t.Fatalf("words kept %v, want %v\nsource %s\noutput %s\nmarks %v", got, want, src, out.Body, pagetest.Describe(p, m))
		}
	})
}

func TestWithoutMarksNothingChanges(t *testing.T) {
	check := func(t rapid.TB, src []byte, contentType string) {
		p, err := page.Parse(src, contentType)
		if err != nil {
			return
		}
		for _, mode := range []page.Mode{page.ModeOff, page.ModeRemove} {
			out, err := write.Page(p, pagetest.None(p), mode)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Body, src) {
				t.Errorf("%s of %q gives %q", mode, src, out.Body)
			}
		}
	}
	for _, src := range pagetest.Malformed() {
		check(t, []byte(src), "")
	}
	rapid.Check(t, func(t *rapid.T) { check(t, []byte(pagetest.Soup(t)), "text/html; charset=utf-8") })
}

// stripTags removes the attributes of tag mode.
func stripTags(b []byte) []byte {
	return regexp.MustCompile(` data-winnow="[a-z]+" data-winnow-kind="[a-z-]+" data-winnow-score="[0-9.]+"`).ReplaceAll(b, nil)
}

func TestTagAddsAttributesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.OneOf(rapid.Custom(pagetest.Soup), rapid.Custom(pagetest.WellFormed)).Draw(t, "source")
		p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
		out, err := write.Page(p, pagetest.RandomMarking(p, pagetest.Drawer(t)), page.ModeTag)
		if errors.Is(err, active.ErrUnsafe) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := string(stripTags(out.Body)); got != src {
			t.Fatalf("without the attributes\n got %q\nwant %q", got, src)
		}
		// The parser must see attributes and nothing else new.
		again := pagetest.MustParse(t, out.Body, "text/html; charset=utf-8")
		if len(again.Elements) != len(p.Elements) || len(again.Blocks) != len(p.Blocks) {
			t.Fatalf("tagging changed the tree of %q into that of %q", src, out.Body)
		}
	})
}

func TestRemoveKeepsScriptsThatStay(t *testing.T) {
	raw := regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`)
	rapid.Check(t, func(t *rapid.T) {
		src := pagetest.WellFormed(t)
		p := pagetest.MustParse(t, []byte(src), "")
		m := pagetest.RandomMarking(p, pagetest.Drawer(t))
		for i := range m.Marks {
			m.Marks[i].Kind = page.KindNav // adverts take their scripts along
		}
		out, err := write.Page(p, m, page.ModeRemove)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(raw.FindAllString(src, -1), raw.FindAllString(string(out.Body), -1)); diff != "" {
			t.Fatalf("scripts (-source +output):\n%s", diff)
		}
	})
}
