package api_test

import (
	"archive/zip"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// unzipped returns the files of a book.
func unzipped(t *testing.T, book string) map[string]string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatalf("%v: %.200s", err, book)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(b)
	}
	return files
}

func (w *world) bookOf(body string) (*http.Response, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.api+"/api/v1/book", strings.NewReader(strings.ReplaceAll(body, "AT", w.origin)))
	if err != nil {
		w.t.Fatal(err)
	}
	return w.do(req)
}

func TestBookOfOnePage(t *testing.T) {
	w := newWorld(t)
	resp, book := w.get("/api/v1/clean", url.Values{"url": {w.origin + "/illustrated"}, "mode": {"epub"}})
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/epub+zip" {
		t.Fatalf("%s: %s", resp.Status, book)
	}
	files := unzipped(t, book)
	chapter := files["OEBPS/c001.xhtml"]
	if !strings.Contains(chapter, `<img src="images/1.png" alt="The coast"/>`) || files["OEBPS/images/1.png"] == "" {
		t.Errorf("the picture is missing: %s", chapter)
	}
	// An address that the rules refuse, and one that leads to no picture.
	if !strings.Contains(chapter, "[A secret]") || !strings.Contains(chapter, "[A page]") || len(files) != 8 {
		t.Errorf("%d files: %s", len(files), chapter)
	}
	if strings.Contains(chapter, "SECRET") || strings.Contains(chapter, "<script") {
		t.Error(chapter)
	}
}

func TestBookOfManyPages(t *testing.T) {
	w := newWorld(t)
	resp, book := w.bookOf(`{"title":"Logs","urls":["AT/log/1","AT/picture","AT/log/next","AT/illustrated"],"pictures":false}`)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", resp.Status, book)
	}
	files := unzipped(t, book)
	if contents := files["OEBPS/nav.xhtml"]; strings.Count(contents, "<li>") != 4 || !strings.Contains(contents, "Not in this book") || !strings.Contains(contents, "<title>Logs<") {
		t.Error(contents)
	}
	if !strings.Contains(files["OEBPS/c001.xhtml"], `<a href="c002.xhtml">the next page</a>`) {
		t.Error(files["OEBPS/c001.xhtml"])
	}
	if !strings.Contains(files["OEBPS/c004.xhtml"], "/picture: the URL leads to something else than an HTML page") {
		t.Error(files["OEBPS/c004.xhtml"])
	}
	for name := range files {
		if strings.Contains(name, "images/") {
			t.Errorf("%s was not asked for", name)
		}
	}
}

func TestBadBooks(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		body string
		want wanted
	}{
		"no pages":       {`{"urls":[]}`, wanted{Status: 400, Parameter: "urls"}},
		"too many":       {`{"urls":["x"` + strings.Repeat(`,"x"`, 500) + `]}`, wanted{Status: 400, Parameter: "urls"}},
		"unknown member": {`{"pages":["AT/"]}`, wanted{Status: 400, Parameter: "body"}},
		"no address":     {`{"urls":["x"]}`, wanted{Status: 400, Parameter: "url"}},
		"refused":        {`{"urls":["http://127.0.0.1:22/"]}`, wanted{Status: 403, Reason: "denied"}},
	} {
		resp, text := w.bookOf(c.body)
		isProblem(t, name, resp, text, c.want)
	}
}
