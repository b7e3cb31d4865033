package page_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model/page"
)

func TestWords(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"empty", "", nil},
		{"no word", " — …!\n", nil},
		{"latin", "Fair's fair, e.g. snake_case x2", []string{"Fair", "s", "fair", "e", "g", "snake_case", "x2"}},
		{"accents and cyrillic", "Él ёлка-Дом", []string{"Él", "ёлка", "Дом"}},
		{"a combining mark ends a word, as in Python", "e\u0301a", []string{"e", "a"}},
		{"numbers of every kind", "½ ² Ⅷ 12,5", []string{"½", "²", "Ⅷ", "12", "5"}},
		{"korean has spaces", "안녕 세계", []string{"안녕", "세계"}},
		{"han in pairs", "網頁去噪", []string{"網頁", "頁去", "去噪"}},
		{"one character alone", "是 好", []string{"是", "好"}},
		{"kanji and kana run together", "東京タワーへ", []string{"東京", "京タ", "タワ", "ワー", "ーへ"}},
		{"fullwidth comma ends a run", "你好，世界", []string{"你好", "世界"}},
		{"thai keeps its vowel signs", "ดีนะ", []string{"ดี", "ีน", "นะ"}},
		{"thai currency sign is no word", "฿", nil},
		{"scripts side by side", "Go语言1.26版", []string{"Go", "语言", "1", "26", "版"}},
		{"invalid bytes are gaps", "a\xffb\xe6", []string{"a", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := slices.Collect(page.Words(tt.in))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Words(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestWordsStopsWhenTold(t *testing.T) {
	for _, s := range []string{"one two three", "一二三四"} {
		n := 0
		for range page.Words(s) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("Words(%q) yielded %d words after a break, want 1", s, n)
		}
	}
}

// Ink and the text of a block are what package unicode says of each character.
func FuzzInk(f *testing.F) {
	f.Add("plain text, 漢字 and\u00a0กขค")
	f.Add("\xff\x85 \x01\x1f\x7f\v\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		ink, folded := 0, ""
		for _, r := range s {
			if !unicode.IsSpace(r) {
				ink++
				folded += string(r)
			} else if folded != "" && !strings.HasSuffix(folded, " ") {
				folded += " "
			}
		}
		if got := page.Ink(s); got != ink {
			t.Errorf("Ink(%q) = %d, want %d", s, got, ink)
		}
		p := page.Page{Texts: []page.Text{{Data: s}}, Blocks: []page.Block{{TextEnd: 1}}}
		if got, want := string(p.BlockText(nil, 0)), strings.TrimSuffix(folded, " "); got != want {
			t.Errorf("BlockText of %q = %q, want %q", s, got, want)
		}
	})
}

func FuzzWords(f *testing.F) {
	f.Add("plain text, 漢字 and กขค")
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, s string) {
		for w := range page.Words(s) {
			if w == "" || !utf8.ValidString(w) || !strings.Contains(s, w) {
				t.Fatalf("Words(%q) yielded %q", s, w)
			}
		}
	})
}
