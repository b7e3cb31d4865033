package sites

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
)

func open(t *testing.T, file string) *Book {
	t.Helper()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	b, err := OpenBook(file, func() time.Time { now = now.Add(time.Minute); return now })
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is set is in force at once, and for whoever opens the file next, without a word of the first to end well.
func TestSettingsOutliveTheProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), FileName)
	b := open(t, file)
	reader := page.ModeReader
	want := Settings{Mode: &reader, Bypass: true, KeepKinds: page.Kinds(page.KindRelated), DropKinds: page.Kinds(page.KindByline), Keep: []string{".a"},
		Remove: []string{"#b"}, Ignore: []string{"form.login"}}
	if err := b.Set("News.Example", want); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*Book{"this": b, "next": open(t, file)} {
		if got := b.Get("news.example"); !got.equal(want) || got.At.IsZero() {
			t.Errorf("%s: %+v", name, got)
		}
		site := b.For("news.example")
		if mode, ok := site.Mode(); !ok || mode != reader || !site.Bypass() || site.Rules() == nil {
			t.Errorf("%s is not in force: %+v", name, site)
		}
		if got := site.Policy(policy.Policy{Drop: page.Kinds(page.KindRelated)}); got != (policy.Policy{Keep: want.KeepKinds, Drop: want.DropKinds}) {
			t.Errorf("%s: policy %+v", name, got)
		}
		if other := b.For("other.example"); other != nil || other.Bypass() || other.Rules() != nil {
			t.Errorf("%s: another site has settings: %+v", name, other)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
}

// Each change can be undone, in this process or a later one, back to where nothing was set.
func TestUndo(t *testing.T) {
	file := filepath.Join(t.TempDir(), FileName)
	b := open(t, file)
	for _, selector := range []string{".a", ".b", ".b", ".c"} { // setting the same again is no change
		if err := b.Set("a.example", Settings{Remove: []string{selector}}); err != nil {
			t.Fatal(err)
		}
	}
	b = open(t, file)
	for _, want := range []string{".b", ".a", ""} {
		if err := b.Undo("a.example"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(b.Get("a.example").Remove, ""); got != want {
			t.Errorf("undone to %q, want %q", got, want)
		}
	}
	if err := b.Undo("a.example"); !errors.Is(err, ErrNoChange) {
		t.Errorf("nothing is left to undo: %v", err)
	}
	if b.For("a.example") != nil || len(open(t, file).All()) != 0 {
		t.Error("settings are left")
	}
	for range maxUndo + 5 {
		if err := b.Update("a.example", func(s *Settings) { s.Remove = append(s.Remove, ".x"+strings.Repeat("y", len(s.Remove))) }); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(b.Get("a.example").Before); got != maxUndo {
		t.Errorf("%d changes can be undone, want %d", got, maxUndo)
	}
	if err := b.Remove("a.example"); err != nil || len(b.All()) != 0 {
		t.Errorf("removed: %v, %v", b.All(), err)
	}
}

// Settings that can't be used change nothing, and neither does a disk that takes nothing.
func TestBadSettingsChangeNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), FileName)
	b := open(t, file)
	if err := b.Set("a.example", Settings{Bypass: true}); err != nil {
		t.Fatal(err)
	}
	for want, sites := range map[string]map[string]Settings{
		`a.example: these settings won't do: remove: selector "p["`: {"a.example": {Remove: []string{"p["}}},
		"want at most 1000 bytes":                                   {"a.example": {Keep: []string{strings.Repeat("a", 1001)}}},
		"201 selectors, want at most 200":                           {"a.example": {Ignore: many(201)}},
		"neither scheme nor path":                                   {"https://a.example/": {}, "a.example": {}},
	} {
		if err := b.Import(sites); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	b.file = filepath.Join(file, "no-folder")
	if err := b.Set("a.example", Settings{}); err == nil || !b.For("a.example").Bypass() || !b.Get("a.example").Bypass {
		t.Errorf("a change that could not be written is in force: %v", err)
	}
	var none *Book
	if none.For("a.example") != nil || none.All() != nil || !none.Get("a.example").IsZero() {
		t.Error("no book has settings")
	}
}

func many(n int) (list []string) {
	for i := range n {
		list = append(list, ".a"+strings.Repeat("b", i))
	}
	return list
}

// A damaged file is an error that names it: nobody's bypass is lost silently.
func TestADamagedFileIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), FileName)
	for text, want := range map[string]string{
		"{":                       "unexpected EOF",
		`{"version":2}`:           "version 2, this winnow reads 1",
		`{"version":1,"site":{}}`: `unknown field "site"`,
		`{"version":1,"sites":{"a b":{"at":"2026-11-22T00:00:00Z"}}}`:                          "want a host name",
		`{"version":1,"sites":{"a.example":{"at":"2026-11-22T00:00:00Z","keep":["p["]}}}`:      `selector "p["`,
		`{"version":1,"sites":{"a.example":{"at":"2026-11-22T00:00:00Z","mode":"sideways"}}}`:  `mode "sideways"`,
		`{"version":1,"sites":{"a.example":{"at":"2026-11-22T00:00:00Z","drop_kinds":"hat"}}}`: `kind "hat"`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenBook(file, nil); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), FileName) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// Any file is read or refused, and what was read is written as it was.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"version":1,"sites":{"a.example":{"at":"2026-11-22T00:00:00Z","keep":["p"],"before":[{"bypass":true}]}}}`))
	f.Add([]byte(`{"version":1,"sites":{"a.example:81":{"at":"2026-11-22T00:00:00Z","mode":"off","keep_kinds":"nav"}}}`))
	file := filepath.Join(f.TempDir(), FileName)
	f.Fuzz(func(t *testing.T, b []byte) {
		sites, err := parseFile(b)
		if err != nil {
			return
		}
		if err := writeFile(file, sites); err != nil {
			return // a year that JSON can't have
		}
		again, err := readFile(file)
		if err != nil || len(again) != len(sites) {
			t.Fatalf("%v became %v: %v", sites, again, err)
		}
		for host, record := range sites {
			if !again[host].equal(record.Settings) {
				t.Fatalf("%s: %+v became %+v", host, record, again[host])
			}
		}
	})
}
