package page

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRemoveLeavesExactlyTheContent(t *testing.T) {
	for name, gen := range map[string]func(*rapid.T) string{"well formed": wellFormed, "end tags implied": implied} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				src := gen(t)
				p := mustParse(t, []byte(src), "")
				m := randomMarking(p, drawer(t))
				out, err := Write(p, m, ModeRemove)
				if err != nil {
					t.Fatalf("%v in %s", err, src)
				}
				again := mustParse(t, out.Body, "")
				if diff := cmp.Diff(keptBlocks(p, m), keptBlocks(again, none(again))); diff != "" {
					t.Fatalf("blocks (-kept +in the output):\n%s\nsource %s\noutput %s\nmarks %v", diff, src, out.Body, describe(p, m))
				}
			})
		})
	}
}

// In tag soup a removed element may have changed how the parser reads the rest (reopened formatting, content moved out
// of tables), so blocks may join or split. But no word of content may get lost, and no word of noise may stay.
func TestRemoveKeepsTheWordsOfTagSoup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := soup(t)
		p := mustParse(t, []byte(src), "text/html; charset=utf-8")
		m := randomMarking(p, drawer(t))
		out, err := Write(p, m, ModeRemove)
		if err != nil {
			return
		}
		again := mustParse(t, out.Body, "text/html; charset=utf-8")
		want, got := numbered(keptBlocks(p, m)), numbered(keptBlocks(again, none(again)))
		if !slices.Equal(want, got) {
			t.Fatalf("words kept %v, want %v\nsource %s\noutput %s\nmarks %v", got, want, src, out.Body, describe(p, m))
		}
	})
}

func TestWithoutMarksNothingChanges(t *testing.T) {
	check := func(t rapid.TB, src []byte, contentType string) {
		p, err := Parse(src, contentType)
		if err != nil {
			return
		}
		for _, mode := range []Mode{ModeOff, ModeRemove} {
			out, err := Write(p, none(p), mode)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Body, src) {
				t.Errorf("%s of %q gives %q", mode, src, out.Body)
			}
		}
	}
	for _, src := range malformed() {
		check(t, []byte(src), "")
	}
	rapid.Check(t, func(t *rapid.T) { check(t, []byte(soup(t)), "text/html; charset=utf-8") })
}

// stripTags removes the attributes of tag mode.
func stripTags(b []byte) []byte {
	return regexp.MustCompile(` data-winnow="[a-z]+" data-winnow-kind="[a-z-]+" data-winnow-score="[0-9.]+"`).ReplaceAll(b, nil)
}

func TestTagAddsAttributesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.OneOf(rapid.Custom(soup), rapid.Custom(wellFormed)).Draw(t, "source")
		p := mustParse(t, []byte(src), "text/html; charset=utf-8")
		out, err := Write(p, randomMarking(p, drawer(t)), ModeTag)
		if errors.Is(err, ErrUnsafe) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := string(stripTags(out.Body)); got != src {
			t.Fatalf("without the attributes\n got %q\nwant %q", got, src)
		}
		// The parser must see attributes and nothing else new.
		again := mustParse(t, out.Body, "text/html; charset=utf-8")
		if len(again.Elements) != len(p.Elements) || len(again.Blocks) != len(p.Blocks) {
			t.Fatalf("tagging changed the tree of %q into that of %q", src, out.Body)
		}
	})
}

func TestRemoveKeepsScriptsThatStay(t *testing.T) {
	raw := regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`)
	rapid.Check(t, func(t *rapid.T) {
		src := wellFormed(t)
		p := mustParse(t, []byte(src), "")
		m := randomMarking(p, drawer(t))
		for i := range m.Marks {
			m.Marks[i].Kind = KindNav // adverts take their scripts along
		}
		out, err := Write(p, m, ModeRemove)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(raw.FindAllString(src, -1), raw.FindAllString(string(out.Body), -1)); diff != "" {
			t.Fatalf("scripts (-source +output):\n%s", diff)
		}
	})
}
