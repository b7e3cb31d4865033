package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A long page comes in parts that together are the whole.
func TestParts(t *testing.T) {
	w := newWorld(t)
	params := url.Values{"url": {w.origin + "/long"}, "mode": {"markdown"}}
	resp, whole := w.get("/api/v1/clean", params)
	size, err := strconv.Atoi(resp.Header.Get("X-Markdown-Tokens"))
	if err != nil || size < 1000 {
		t.Fatalf("the page has %d tokens, %v", size, err)
	}
	params.Set("tokens", "300")
	var got []string
	for part, parts := 1, 1; part <= parts; part++ {
		params.Set("part", strconv.Itoa(part))
		resp, text := w.get("/api/v1/clean", params)
		if _, err := fmt.Sscanf(resp.Header.Get("Winnow-Part"), strconv.Itoa(part)+"/%d", &parts); err != nil || parts < 4 {
			t.Fatalf("part %d is %q: %v: %s", part, resp.Header.Get("Winnow-Part"), err, text)
		}
		if n, err := strconv.Atoi(resp.Header.Get("X-Markdown-Tokens")); err != nil || n > 300 {
			t.Errorf("part %d has %d tokens, %v", part, n, err)
		}
		got = append(got, strings.Fields(text)...)
	}
	if !slices.Equal(got, strings.Fields(whole)) {
		t.Errorf("%d words in parts, %d in all", len(got), len(strings.Fields(whole)))
	}
}
