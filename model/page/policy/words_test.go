package policy

import (
	"strings"
	"testing"
)

func TestLabel(t *testing.T) {
	for text, want := range map[string]string{
		"Add to Cart": "add to cart", " Next\u00a0page »": "next page", "\n  Leave\n  a   comment (12)\t": "leave a comment", "‹ 3 ›": "",
		"12 replies": "replies", "次へ›": "次へ", "Reply!": "reply", strings.Repeat("word ", 30): "",
	} {
		if got := label(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
