package cssrules

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"github.com/antchfx/htmlquery"
	"golang.org/x/net/html"

	"github.com/winnow-proxy/winnow/model/page/browsertest"
)

// unseen is the number of a page of the made-up magazine that no rules are made from.
const unseen = 27

// written is the rules for the magazine in a format.
func written(t *testing.T, f Format) string {
	t.Helper()
	return made(t, articles(t, 10)).Write(f, "mole.example:8080", "http://mole.example:8080/story")
}

// checkStory checks the text of the unseen page as a program shows it.
func checkStory(t *testing.T, text string) {
	t.Helper()
	for _, want := range []string{"a27x0 ", "a27x59 ", "b27x59"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %.200q", want, text)
		}
	}
	for _, not := range []string{"menu3", "r27x3", "Share this", "Printed"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in the text", not)
		}
	}
}

func document(t *testing.T) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(article(unseen)))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// The site configuration, applied as a reader of full texts does, leaves the content of a page that it has not seen.
func TestFullTextConfiguration(t *testing.T) {
	doc, values := document(t), map[string]string{}
	var body, strip []string
	for line := range strings.Lines(written(t, FTR)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case strings.HasPrefix(line, "#"):
		case !ok:
			t.Errorf("no statement: %q", line)
		case key == "body":
			body = append(body, value)
		case key == "strip":
			strip = append(strip, value)
		case key == "title" || key == "author" || key == "date":
			if n := htmlquery.FindOne(doc, value); n != nil {
				values[key] = htmlquery.InnerText(n)
			}
		default:
			values[key] = value
		}
	}
	if len(body) != 1 {
		t.Fatalf("%d statements of bodies: only the first that matches counts", len(body))
	}
	for _, path := range strip {
		for _, n := range htmlquery.Find(doc, path) {
			n.Parent.RemoveChild(n)
		}
	}
	text := ""
	for _, n := range htmlquery.Find(doc, body[0]) {
		text += htmlquery.InnerText(n)
	}
	checkStory(t, text)
	for key, want := range map[string]string{"title": "Story 27", "author": "Ada Pier", "date": "2024-03-27T10:00:00Z", "prune": "no",
		"test_url": "http://mole.example:8080/story"} {
		if values[key] != want {
			t.Errorf("%s is %q, want %q", key, values[key], want)
		}
	}
}

// The fields of the two feed readers, applied as these do: what matches is put together in the order of the page, and
// what is to be removed is removed from it.
func TestFeedReaders(t *testing.T) {
	remove := regexp.MustCompile(`^remove\("(.*)"\)$`)
	for _, f := range []Format{FreshRSS, Miniflux} {
		var fields []string
		for line := range strings.Lines(written(t, f)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
				fields = append(fields, line)
			}
		}
		if len(fields) != 2 {
			t.Fatalf("%s has the fields %q", f, fields)
		}
		if f == Miniflux {
			fields[1] = remove.ReplaceAllString(fields[1], "$1")
		}
		for _, css := range fields {
			checkPortable(t, css)
		}
		doc, text := document(t), ""
		for _, n := range cascadia.QueryAll(doc, selector(t, fields[1])) {
			n.Parent.RemoveChild(n)
		}
		for _, n := range cascadia.QueryAll(doc, selector(t, fields[0])) {
			text += htmlquery.InnerText(n)
		}
		checkStory(t, text)
	}
}

func selector(t *testing.T, css string) cascadia.Matcher {
	t.Helper()
	group, err := cascadia.ParseGroup(css)
	if err != nil {
		t.Fatal(err)
	}
	return group
}

// checkPortable checks that a selector needs no more than programs know that translate CSS to XPath by expressions.
func checkPortable(t *testing.T, css string) {
	t.Helper()
	portable := regexp.MustCompile(`^([\w-]*(#[\w-]+)?(\.[\w-]+)*(\[[\w-]+="[^"\[\]]+"\])*(:nth-of-type\(\d+\))?( > |, | |$))+$`)
	if !portable.MatchString(css) {
		t.Errorf("%q is not portable", css)
	}
}

// The spider's function is Python.
func TestScrapyIsPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	file := filepath.Join(t.TempDir(), "rules.py")
	for name, samples := range map[string][]Sample{"rules": articles(t, 10), "no rules": nil} {
		if err := os.WriteFile(file, []byte(made(t, samples).Write(Scrapy, "mole.example", "")), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), python, "-m", "py_compile", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

// Chromium with the filters as a style sheet, as a blocker puts them into pages, shows the content of a page that they
// have not seen, and nothing else.
func TestFiltersInChromium(t *testing.T) {
	var css []string
	for line := range strings.Lines(written(t, UBlock)) {
		host, selector, ok := strings.Cut(strings.TrimSpace(line), "##")
		switch {
		case strings.HasPrefix(line, "! "):
		case !ok || host != "mole.example":
			t.Errorf("no filter: %q", line)
		default:
			css = append(css, selector)
		}
	}
	style := "<style>" + strings.Join(css, ",\n") + "{display:none!important}</style></head>"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, strings.Replace(article(unseen), "</head>", map[string]string{"/with": style, "/without": "</head>"}[r.URL.Path], 1))
	}))
	defer srv.Close()
	b := browsertest.Start(t)
	v, err := b.Look(context.Background(), srv.URL+"/with")
	if err != nil {
		t.Fatal(err)
	}
	checkStory(t, v.Text)
	if v, err = b.Look(context.Background(), srv.URL+"/without"); err != nil || !strings.Contains(v.Text, "menu3") {
		t.Errorf("without filters, the page has no template: %v %.100s", err, v.Text)
	}
}

func TestUnknownFormat(t *testing.T) {
	var f Format
	if err := f.UnmarshalText([]byte("opml")); err == nil || !strings.Contains(err.Error(), "miniflux") {
		t.Errorf("error %v", err)
	}
	for _, known := range formats() {
		if err := f.UnmarshalText([]byte(known)); err != nil || f != known {
			t.Errorf("%s is %s, %v", known, f, err)
		}
	}
}

// A page written in mode tag says what its blocks are.
func TestTaggedSample(t *testing.T) {
	s := marked(t, `<body><div data-winnow="noise">menu <b data-winnow="content">kept</b></div><p data-winnow="content">text<p>neither`)
	if got, want := TaggedSample(s.Page).Labels, []Label{Noise, Content, Unknown}; !slices.Equal(got, want) {
		t.Errorf("labels %v, want %v", got, want)
	}
}
