package write_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// Every form of pages with a known address: metadata, absolute addresses, and details that are easily lost.
func TestForms(t *testing.T) {
	sources, err := filepath.Glob(filepath.Join("testdata", "forms", "*.html"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	const url = "https://kitchen.example/manual/c/scales.html"
	for _, file := range sources {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := pagetest.MustParse(t, src, "text/html; charset=utf-8")
		for name, f := range map[string]write.Form{
			"reader":             {Mode: page.ModeReader, URL: url},
			"text":               {Mode: page.ModeText, URL: url},
			"markdown":           {Mode: page.ModeMarkdown, URL: url, FrontMatter: true},
			"markdown.footnotes": {Mode: page.ModeMarkdown, URL: url, Links: write.LinksFootnote},
			"markdown.nolinks":   {Mode: page.ModeMarkdown, URL: url, Links: write.LinksNone},
			"json":               {Mode: page.ModeJSON, URL: url, ChunkTokens: 60},
		} {
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				out, err := f.Write(p, pagetest.MarkNoise(p))
				if err != nil {
					t.Fatal(err)
				}
				body := out.Body
				if name == "json" {
					body = indented(t, body)
				}
				pagetest.Golden(t, strings.TrimSuffix(file, ".html")+"."+name+".golden", body)
			})
		}
	}
}

func indented(t *testing.T, b []byte) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}
