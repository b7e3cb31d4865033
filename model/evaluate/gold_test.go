package evaluate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

const storyPage = `<!doctype html><html><head><title>t</title></head><body>
<nav>Home News</nav>
<main><h1>Big<b>gest</b> bridge</h1><p>One two</p><div class=ad><p>buy</p></div>
<script>var x</script><p hidden>unseen</p><section><p class=c>three</p></section></main>
<aside class=ad><p class=c>four</p></aside><footer class=c>five</footer>`

func TestGoldText(t *testing.T) {
	gold := mustCompile(t, "main, .c", ".ad")
	got := strings.Fields(gold.text(parse(t, storyPage)))
	// "three" is in two matches and counts once; "four" is in an excluded element.
	want := []string{"Biggest", "bridge", "One", "two", "three", "five"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("gold (-want +got):\n%s", d)
	}
}

func TestGoldElementsLineUpWithDocumentOrder(t *testing.T) {
	gold, err := compileGold([]string{"main", ".c"}, []string{".ad"})
	if err != nil {
		t.Fatal(err)
	}
	in, err := (&Site{gold: gold}).GoldElements([]byte(storyPage), "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	i := 0
	for n := range parse(t, storyPage).Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if in[i] == Content {
			got = append(got, n.Data)
		}
		i++
	}
	if i != len(in) {
		t.Fatalf("%d flags for %d elements", len(in), i)
	}
	want := []string{"main", "h1", "b", "p", "section", "p", "footer"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("gold elements (-want +got):\n%s", d)
	}
}

func TestGoldNamesTheBadSelector(t *testing.T) {
	_, err := compileGold([]string{"p >"}, nil)
	if err == nil || !strings.Contains(err.Error(), `"p >"`) {
		t.Errorf("error %v should quote the selector", err)
	}
}

func TestVisibleText(t *testing.T) {
	doc := parse(t, `<head><title>no</title></head><body>a<b>b</b>c<!-- no --><div>d</div>e<svg><text>no</text></svg>f<template>no</template><noscript>no</noscript><span hidden>no</span><td>g`)
	got := strings.Join(strings.Fields(visibleText(doc, nil)), " ")
	if got != "abc d e f g" {
		t.Errorf("visible text %q", got)
	}
}

// writeSite writes a corpus of one site and returns the corpus's folder.
func writeSite(t *testing.T, siteJSON string, pages map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range pages {
		writeFile(t, filepath.Join(dir, "site-a", name), body)
	}
	writeFile(t, filepath.Join(dir, "site-a", "site.json"), siteJSON)
	return dir
}

func writeFile(t *testing.T, name, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLoadSites(t *testing.T) {
	dir := writeSite(t, `{"content": "#a", "exclude": ["x", "y"], "pages": [
		{"file": "pages/0002.html", "path": "/two", "content_type": "text/html; charset=gbk"}, {"file": "pages/0001.html"}]}`, nil)
	sites, err := LoadSites(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(sites) != 1 || sites[0].ID != "site-a" || len(sites[0].gold.content) != 1 || len(sites[0].gold.exclude) != 2 {
		t.Fatalf("sites %+v", sites)
	}
	want := []Page{
		{ID: "0002", File: filepath.Join(dir, "site-a", "pages", "0002.html"), Path: "/two", ContentType: "text/html; charset=gbk"},
		{ID: "0001", File: filepath.Join(dir, "site-a", "pages", "0001.html")},
	}
	if d := cmp.Diff(want, sites[0].Pages); d != "" {
		t.Errorf("pages in arrival order (-want +got):\n%s", d)
	}
	a, b := sites[0].Visit(0), sites[0].Visit(1)
	if a.URL != "http://site-a.example/two" || b.URL != "http://site-a.example/0001" || !a.At.Before(b.At) {
		t.Errorf("visits %v, %v", a, b)
	}
}

func TestLoadSitesErrors(t *testing.T) {
	for _, tc := range []struct{ name, json, want string }{
		{"not JSON", `{`, "site.json"},
		{"no content selector", `{"content": []}`, "no content selector"},
		{"bad selector", `{"content": "p", "exclude": "::"}`, `selector "::"`},
		{"same name twice", `{"content": "p", "pages": [{"file": "a/1.html"}, {"file": "b/1.htm"}]}`, "two pages are named 1"},
	} {
		if _, err := LoadSites(writeSite(t, tc.json, nil)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", tc.name, err, tc.want)
		}
	}
	if _, err := LoadSites(t.TempDir()); err == nil || !strings.Contains(err.Error(), ErrNoCorpus.Error()) {
		t.Errorf("empty folder: error %v", err)
	}
	if _, err := LoadSites(writeSite(t, `{"content": "p"}`, nil), "site-b"); err == nil || !strings.Contains(err.Error(), `"site-b"`) {
		t.Errorf("unknown site: error %v", err)
	}
}

// Reading any site.json ends in a site with content selectors or an error.
func FuzzLoadSite(f *testing.F) {
	for _, seed := range []string{
		`{"content": "#a, .b > c", "exclude": ["x"], "pages": [{"file": "1.html"}]}`, `{"content": 1}`, `{"content": [":has("]}`, `[`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file := filepath.Join(t.TempDir(), "site.json")
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if s, err := loadSite(file); err == nil && len(s.gold.content) == 0 {
			t.Errorf("a site without content selectors: %+v", s)
		}
	})
}
