package write_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/hiddentest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// outputOf returns a page without noise in a mode.
func outputOf(t *testing.T, src string, mode page.Mode) []byte {
	t.Helper()
	p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Parts: []page.Part{{Extent: p.Siblings(p.Body, p.Body), Kind: page.KindArticle, Weight: 1}}}
	out, err := write.Form{Mode: mode, ChunkTokens: 200}.Write(p, m)
	if err != nil {
		t.Fatal(err)
	}
	return out.Body
}

// withoutMarked returns what an output has outside of its marked parts.
func withoutMarked(t *testing.T, body []byte, mode page.Mode) string {
	t.Helper()
	shown := string(body)
	var err error
	if mode == page.ModeJSON {
		shown, err = hiddentest.UnmarkedJSON(body)
	} else {
		shown, err = hiddentest.Unmarked(shown)
	}
	if err != nil {
		t.Error(err)
	}
	return shown
}

func programModes() []page.Mode {
	return []page.Mode{page.ModeText, page.ModeMarkdown, page.ModeJSON}
}

// What people do not see on a page reaches no program as if they did.
func TestTricksReachNoProgram(t *testing.T) {
	if n := len(hiddentest.Tricks()); n < 80 {
		t.Errorf("%d tricks", n)
	}
	for _, c := range hiddentest.Tricks() {
		for _, mode := range programModes() {
			body := outputOf(t, c.HTML(), mode)
			if shown := withoutMarked(t, body, mode); hiddentest.Reads(shown) {
				t.Errorf("%s, %s: the hidden text passes as shown:\n%s", c.Name, mode, shown)
			}
			if !bytes.Contains(body, []byte(hiddentest.Visible)) {
				t.Errorf("%s, %s: what people see is missing", c.Name, mode)
			}
		}
	}
}

// What people see, or open with a click, is in every output.
func TestShownTextReachesPrograms(t *testing.T) {
	for _, c := range hiddentest.Shown() {
		for _, mode := range programModes() {
			body := outputOf(t, c.HTML(), mode)
			if !bytes.Contains(body, []byte(hiddentest.Secret)) {
				t.Errorf("%s, %s: what people see is lost:\n%s", c.Name, mode, body)
			}
			if shown := withoutMarked(t, body, mode); !strings.Contains(shown, hiddentest.Secret) && !c.Opens {
				t.Errorf("%s, %s: what people see is marked as if they did not:\n%s", c.Name, mode, body)
			}
		}
	}
}

// frames serves pages, and returns where their frames are.
func frames(t *testing.T, pages []string, width, height int) func(from int) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		name, number, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		n, err := strconv.Atoi(number)
		if err != nil || n >= len(pages) {
			http.NotFound(w, r)
			return
		}
		body := pages[n]
		if name == "frames" {
			var urls []string
			for i := n; i < min(n+browsertest.Together, len(pages)); i++ {
				urls = append(urls, fmt.Sprintf("/page/%d", i))
			}
			body = browsertest.Frames(urls, width, height)
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(srv.Close)
	return func(from int) string { return fmt.Sprintf("%s/frames/%d", srv.URL, from) }
}

// The secret of a trick changes no pixel, and that of a page of the other list does.
func TestTricksInChromium(t *testing.T) {
	b := browsertest.Start(t)
	wrong := map[string]string{}
	cases, tricks := append(hiddentest.Tricks(), hiddentest.Shown()...), len(hiddentest.Tricks())
	for try, n := 0, len(cases); try < 3 && n > 0; try, n = try+1, len(wrong) { // a busy machine may paint late
		var pages []string
		for _, c := range cases {
			if _, again := wrong[c.Name]; again || try == 0 {
				pages = append(pages, c.HTML(), c.Without())
			}
		}
		shots, err := b.Shots(t.Context(), len(pages), 800, 200, frames(t, pages, 800, 200))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range cases {
			if _, again := wrong[c.Name]; try > 0 && !again {
				continue
			}
			same := bytes.Equal(shots[0], shots[1])
			shots = shots[2:]
			switch {
			case i < tricks && !same:
				wrong[c.Name] = "the hidden text is to be seen"
			case i >= tricks && same && !c.Opens:
				wrong[c.Name] = "what people see is not to be seen"
			default:
				delete(wrong, c.Name)
			}
		}
	}
	for name, fault := range wrong {
		t.Errorf("%s: %s", name, fault)
	}
}
