package view

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
)

func measurerWith(t *testing.T, key model.Key) *Measurer {
	t.Helper()
	return NewReader(nil).Measurer(key.Hasher(), 0)
}

// What was remembered of a page for one reader is not there for another with a salt of his own.
func TestSaltsKeepReadersApart(t *testing.T) {
	r := NewReader(nil)
	text := "The harbour master wrote this sentence once, on a page that only one reader has seen."
	p, err := page.Parse([]byte(`<body><div id="log"><p>`+text+`</p><a href="/harbour/7">on</a></div></body>`), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	r.Read(p, model.Key{}.Hasher(), model.Visit{URL: "https://site.test/1", Salt: 1})
	for salt, want := range map[uint64]bool{1: true, 2: false, 0: false} {
		m := r.Measurer(model.Key{}.Hasher(), salt)
		_, hasText := m.texts.Get(m.texts.Key(text, m.salt))
		links := m.linksOf(parseAddress("https://site.test/1"))
		_, hasLink := m.links.Get(m.links.Key("/harbour/7", links.onHost))
		if hasText != want || hasLink != want {
			t.Errorf("salt %d: text %v, link %v", salt, hasText, hasLink)
		}
	}
}

// A text has the same measures whether it is remembered or not, and other hashes with another key.
func TestMeasuresAreRemembered(t *testing.T) {
	first, other := measurerWith(t, model.Key{}), measurerWith(t, model.Key{1})
	for _, text := range []string{"", "Home", "© 2026 Hull Kettle Society, 12 Quay Street", "Price: 12 €", strings.Repeat("The bridge opened. ", 40)} {
		bt := &blockText{text, strings.ToLower(text)}
		want := first.newText(bt)
		for range 2 {
			if got := first.text(bt); got != want {
				t.Errorf("%q: %+v, want %+v", text, got, want)
			}
		}
		if got := other.text(bt); got.Text == want.Text || got.Words != want.Words {
			t.Errorf("%q with another key: %+v", text, got)
		}
	}
}

// The counts are what package unicode says of the characters, in all scripts.
func FuzzSumChars(f *testing.F) {
	for _, s := range []string{"A b, 3!", "ПРИВЕТ, мир", "東京。３つ", "$5 @ 3:45", "\u00a0 ǅ ½"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var ink, digits, upper int32
		for _, r := range s {
			switch {
			case unicode.IsSpace(r):
				continue
			case unicode.IsDigit(r):
				digits++
			case unicode.IsUpper(r):
				upper++
			}
			ink++
		}
		if got := sumChars(s); got.ink != ink || got.digits != digits || got.upper != upper {
			t.Fatalf("%q: %+v, want %d, %d, %d", s, got, ink, digits, upper)
		}
	})
}

// The share of words in the title counts words, however many texts were measured before.
func TestTitleShare(t *testing.T) {
	m, of := measurerWith(t, model.Key{}), newTitle("The old bridge of Hull - Hull News")
	for text, want := range map[string]float32{
		"The old bridge": 1, "the OLD kettle": 2. / 3, "Menu": 0, "": 0, "A bridge, a bridge, a bridge": .5,
		strings.Repeat("kettle ", 99) + "hull": .01,
	} {
		bt := &blockText{text, strings.ToLower(text)}
		for range 2 {
			got := m.text(bt)
			if share := of.share(bt, &got); share != want {
				t.Errorf("%q: %g, want %g", text, share, want)
			}
		}
	}
}

// Texts fold and mask character by character, in all scripts.
func FuzzFoldAndMask(f *testing.F) {
	f.Add("Opened 12.11.2026 at 9:05")
	f.Add("ÉTÉ ２０２６ ٣٤ x\xff1")
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(appendLower(nil, s)), strings.ToLower(string([]rune(s))); got != want {
			t.Fatalf("%q in lower case: %q, want %q", s, got, want)
		}
		var want strings.Builder
		in := false
		for i, r := range s {
			_, size := utf8.DecodeRuneInString(s[i:])
			digit := unicode.IsDigit(r)
			if !digit {
				want.WriteString(s[i : i+size])
			} else if !in {
				want.WriteByte('0')
			}
			in = digit
		}
		if got := string(vocab.AppendMasked(nil, s)); got != want.String() {
			t.Fatalf("%q masked: %q, want %q", s, got, want.String())
		}
	})
}

// Words of the page never miss in the set of words of a text.
func FuzzWordSet(f *testing.F) {
	f.Add("the old bridge", "a bridge too far")
	f.Fuzz(func(t *testing.T, a, b string) {
		var one, both wordSet
		for w := range page.Words(a) {
			one.add(w)
			both.add(w)
		}
		for w := range page.Words(b) {
			both.add(w)
			if !both.mayHave(w) {
				t.Fatalf("%q is not in its set", w)
			}
		}
		if strings.TrimSpace(a) != "" && one != (wordSet{}) && !one.meets(&both) {
			t.Fatalf("sets of %q and %q do not meet", a, b)
		}
	})
}

// A link has the same measures whether it is remembered or not, on pages in one directory and in others.
func TestLinkMeasuresAreRemembered(t *testing.T) {
	m := measurerWith(t, model.Key{})
	for _, href := range []string{"/a?b#c", "b.html", "../c/", "?p=2", " ?p=3", "x/y:z", "", "#top", " http://example.org/d", "//example.org",
		"HTTP://example.org/e", "http:", "https://other.example/d", "https://example.org/f", "mailto:a@b.c", "https://x.com/share?u=1"} {
		for _, url := range []string{"", "https://example.org/news/today.html?x=1", "https://example.org/news/old", "https://example.org/old/",
			"https://other.example/news/", "https://example.org/news/today.html?x=1"} {
			r := m.linksOf(parseAddress(url))
			if got, want := r.link(href), r.newLink(href); got != want {
				t.Errorf("%q on %s: %+v, want %+v", href, url, got, want)
			}
		}
	}
}
