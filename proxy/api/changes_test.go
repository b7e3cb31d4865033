package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/api"
)

// diary is the page of a diary after so many days: on the second day a paragraph is written anew, one comes, one goes
// and one moves; on the third the menu and the footer change, and nothing else.
func diary(day int64) string {
	paragraph := func(n int, more string) string {
		return fmt.Sprintf("<p>On page %d of the diary the mate tells at some length what the weather was, and what it was not%s.</p>\n", n, more)
	}
	text := paragraph(1, "") + paragraph(2, "") + paragraph(3, "") + paragraph(4, "") + paragraph(5, "")
	if day > 1 {
		text = paragraph(1, "") + paragraph(2, ", as we know today") + paragraph(5, "") + paragraph(3, "") + paragraph(6, "")
	}
	return fmt.Sprintf(`<!DOCTYPE html><html lang="en"><head><title>Diary</title></head><body><nav class="menu"><ul><li><a href="/a">Harbours %d</a></li>
<li><a href="/tides">Tides</a></li></ul></nav><main><h1>Diary</h1>%s</main><footer class="footer"><p>You are visitor %d.</p></footer></body></html>`, day, text, day)
}

// changed is the answer of /api/v1/changes, with its blocks as their page numbers.
type changed struct {
	ETag              string
	Known             bool
	Blocks            int
	New, Changed      []struct{ Text string }
	Gone              []struct{ After int }
	fresh, other, off []int
}

func (w *world) changes(since, token string) (c changed) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.api+"/api/v1/changes?"+url.Values{"url": {w.origin + "/diary"}, "since": {since}}.Encode(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, body := w.do(req)
	if err := json.Unmarshal([]byte(body), &c); err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("%s, %v: %s", resp.Status, err, body)
	}
	number := regexp.MustCompile(`^On page (\d)`)
	numbers := func(blocks []struct{ Text string }) (all []int) {
		for _, b := range blocks {
			if m := number.FindStringSubmatch(b.Text); m != nil {
				all = append(all, int(m[1][0]-'0'))
			}
		}
		return all
	}
	c.fresh, c.other = numbers(c.New), numbers(c.Changed)
	for _, g := range c.Gone {
		c.off = append(c.off, g.After)
	}
	return c
}

// A program is told which blocks are new, changed and gone since the fetch that it names, and nothing of the template.
func TestChanges(t *testing.T) {
	w := newWorld(t)
	w.day.Store(1)
	first := w.changes("", "")
	if first.Known || first.ETag == "" || !slices.Equal(first.fresh, []int{1, 2, 3, 4, 5}) || len(first.Changed)+len(first.Gone) > 0 {
		t.Fatalf("the first fetch: %+v", first)
	}
	if same := w.changes(first.ETag, ""); !same.Known || len(same.New)+len(same.Changed)+len(same.Gone) > 0 || same.ETag != first.ETag {
		t.Errorf("nothing has changed: %+v", same)
	}
	w.day.Store(2)
	second := w.changes(first.ETag, "")
	if !second.Known || !slices.Equal(second.other, []int{2, 6}) || second.fresh != nil || len(second.Gone) != 0 {
		t.Errorf("the second day: %+v", second)
	}
	w.day.Store(3)
	if third := w.changes(second.ETag, ""); !third.Known || len(third.New)+len(third.Changed)+len(third.Gone) > 0 {
		t.Errorf("only the template has changed: %+v", third)
	}
	w.day.Store(1)
	if back := w.changes(second.ETag, ""); !slices.Equal(back.other, []int{2, 4}) || len(back.New)+len(back.Gone) > 0 {
		t.Errorf("back to the first day: %+v", back)
	}
}

// The tag of a page in Markdown names its fetch, too.
func TestChangesSinceMarkdown(t *testing.T) {
	w := newWorld(t)
	w.day.Store(1)
	resp, _ := w.get("/api/v1/clean", url.Values{"url": {w.origin + "/diary"}, "mode": {"markdown"}})
	w.day.Store(2)
	if c := w.changes(resp.Header.Get("Etag"), ""); !c.Known || !slices.Equal(c.other, []int{2, 6}) {
		t.Errorf("%+v", c)
	}
}

// What one client has fetched tells another nothing, and what is no tag is refused.
func TestChangesAreTheirClientsOwn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	one, other := strings.Repeat("1", 40), strings.Repeat("2", 40)
	if err := os.WriteFile(file, []byte("one:"+one+"\nother:"+other+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := access.LoadTokens(file)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(o *api.Options) { o.Tokens = tokens })
	w.day.Store(1)
	tag := w.changes("", one).ETag
	w.day.Store(2)
	if c := w.changes(tag, other); c.Known || len(c.Changed)+len(c.Gone) > 0 || len(c.New) != c.Blocks {
		t.Errorf("the other client: %+v", c)
	}
	if c := w.changes(tag, one); !c.Known {
		t.Errorf("the client itself: %+v", c)
	}
	for _, bad := range []string{"*", "W/", `"a", "b"`, `"`, "2024-03-05"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.api+"/api/v1/changes?"+url.Values{"url": {w.origin + "/diary"}, "since": {bad}}.Encode(), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+one)
		if resp, body := w.do(req); resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, `"parameter":"since"`) {
			t.Errorf("since %q: %s: %s", bad, resp.Status, body)
		}
	}
}

func TestAgentsWatchPages(t *testing.T) {
	w := newAgentWorld(t)
	s, err := w.agent("")
	if err != nil {
		t.Fatal(err)
	}
	w.day.Store(1)
	_, text := call(t, s, "changes", map[string]any{"url": w.origin + "/diary"})
	tag := regexp.MustCompile(`(?m)^Tag: (\S+)$`).FindStringSubmatch(text)
	if tag == nil || !strings.Contains(text, "On page 4") {
		t.Fatalf("the first call: %s", text)
	}
	w.day.Store(2)
	_, text = call(t, s, "changes", map[string]any{"url": w.origin + "/diary", "since": tag[1]})
	if !strings.Contains(text, "On page 6") || strings.Contains(text, "On page 1") || !strings.Contains(text, "0 blocks are new, 2 changed, 0 gone.") {
		t.Errorf("the second call: %s", text)
	}
}
