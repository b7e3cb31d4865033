package words

import (
	"bytes"
	"flag"
	"html/template"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

//nolint:gochecknoglobals // a flag of the test
var update = flag.Bool("update", false, "pack the messages again")

// pack returns the messages as the program has them.
func pack(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("messages/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	slices.SortFunc(files, func(a, b string) int { // English first: others are measured by it
		if strings.HasSuffix(a, "en.txt") {
			return -1
		}
		if strings.HasSuffix(b, "en.txt") {
			return 1
		}
		return strings.Compare(a, b)
	})
	var all strings.Builder
	var keys []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString("[" + strings.TrimSuffix(filepath.Base(file), ".txt") + "]\n")
		if keys == nil {
			all.Write(text)
			keys = keysOf(text)
			continue
		}
		if got := keysOf(text); !slices.Equal(got, keys) {
			t.Errorf("%s has other messages, or in another order, than English: %q", file, slices.DeleteFunc(got, func(k string) bool { return slices.Contains(keys, k) }))
		}
		for line := range strings.Lines(string(text)) {
			_, message, _ := strings.Cut(line, ": ")
			all.WriteString(message)
		}
	}
	return all.String()
}

// keysOf lists the keys of a file's messages.
func keysOf(text []byte) (keys []string) {
	for line := range strings.Lines(string(text)) {
		key, _, _ := strings.Cut(line, ": ")
		keys = append(keys, key)
	}
	return keys
}

// The program has the messages of the files.
func TestPacked(t *testing.T) {
	want := pack(t)
	if *update {
		var b bytes.Buffer
		w := brotli.NewWriterLevel(&b, brotli.BestCompression)
		_, _ = io.WriteString(w, want)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("messages.br", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		packed = b.Bytes()
	}
	if got, err := io.ReadAll(brotli.NewReader(bytes.NewReader(packed))); err != nil || string(got) != want {
		t.Errorf("messages.br is older than the files (%v): go test ./proxy/words -update", err)
	}
}

// Every language has every message, with the same places for what is filled in.
func TestLanguagesAreWhole(t *testing.T) {
	places := func(s string) []string {
		found := regexp.MustCompile(`\{\d\}`).FindAllString(s, -1)
		slices.Sort(found)
		return found
	}
	english := All()[0]
	if english.Tag != "en" || len(All()) < 10 {
		t.Fatalf("%d languages, the first is %s", len(All()), english.Tag)
	}
	for _, l := range All() {
		if got, want := slices.Sorted(maps.Keys(l.messages)), slices.Sorted(maps.Keys(english.messages)); !slices.Equal(got, want) {
			t.Errorf("%s has %d messages, English %d", l.Tag, len(got), len(want))
		}
		for key, text := range l.messages {
			if strings.TrimSpace(text) == "" || !slices.Equal(places(text), places(english.messages[key])) {
				t.Errorf("%s: %s: %q", l.Tag, key, text)
			}
		}
		if (l.Dir() == "rtl") != (l.Tag == "ar") {
			t.Errorf("%s is written %q", l.Tag, l.Dir())
		}
	}
}

// A reader gets the language that comes closest to what the browser asks for.
func TestFor(t *testing.T) {
	for asked, want := range map[string]string{
		"": "en", "de-CH, en;q=0.5": "de", "pt-BR,pt;q=0.9": "pt", "zh-Hant-TW": "zh", "ar-EG": "ar", "fi, sv;q=0.9": "en", "fi, ja;q=0.3, ru;q=0.2": "ja",
		"en-GB,fr;q=0.9": "en", ";;;": "en", "es-419": "es", "de;q=0, it;q=x": "en", "FR": "fr",
	} {
		r, _ := http.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Language", asked)
		if got := For(r).Tag; got != want {
			t.Errorf("%q: %s, want %s", asked, got, want)
		}
	}
}

// What is filled in is text, but for markup that says so.
func TestSay(t *testing.T) {
	l := &Language{"xx", map[string]string{"a": "<{2}> & {1}"}}
	if got := l.Say("a", "<b>", template.HTML("<i>x</i>")); got != "&lt;<i>x</i>&gt; &amp; &lt;b&gt;" {
		t.Error(got)
	}
	if got := l.Say("none {1}", "x"); got != "none x" || l.Has("none {1}") {
		t.Error(got)
	}
}
