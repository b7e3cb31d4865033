package epub_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page/epub"
)

func made() time.Time { return time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC) }

// written writes a book and returns its bytes, and its files by name.
func written(t testing.TB, b epub.Book, images epub.Images) (book []byte, files map[string]string) {
	t.Helper()
	b.Date = made()
	var out bytes.Buffer
	if err := epub.Write(&out, b, images); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for i, f := range z.File {
		if i == 0 && (f.Name != "mimetype" || f.Method != zip.Store) {
			t.Errorf("the first file is %s", f.Name)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return out.Bytes(), files
}

// picture is what every address leads to that has "picture" in it.
func picture(t *testing.T) epub.Images {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	return func(_ epub.Chapter, address string) ([]byte, bool) {
		return b.Bytes(), strings.Contains(address, "picture")
	}
}

// unruly is markup that pages have and books must not.
const unruly = `<h1>Lights &amp; <p>buoys</p></h1><p lang="en_GB">A text<br>with <a href="#deep">a place</a>, <a href="#nowhere">no place</a>,
<a href="https://coast.example/2?a=1&b=|#x">the next page</a> and <a href="https://sea.example/a b/{c}">another</a>, <a href="javascript:x()">none</a>.</p>
<em><p>Block in inline</p></em><ul>text<li>one<p>more<li id="deep">two</ul><ol start="3" reversed></ol><ol start="x"><li value="2">b</ol>
<dl><dd>first</dd><dt>last</dt></dl><dl><dt><h2>t</h2></dt><dd>d<dl></dl></dd></dl>
<table><tr><th colspan=2><h3>head</h3><tr><td rowspan=0>a<td>b<table><tr><td>c</table><caption>Cap<table><tr><td>x</table></caption><tr></tr></table><table></table>
<figure><figcaption>One</figcaption><img src="/picture.png"><figcaption>Two</figcaption></figure><img src="https://x.example/picture" alt='"quoted" <alt>'><img src=gone alt=gone>
<details><p>inside</p><summary><h4>S</h4></summary></details><details></details><pre><code>if a &lt; b {
}</code></pre><time datetime="yesterday">yesterday</time> <ruby>漢<rt>kan</rt></ruby> <abbr title="x&quot;y">X</abbr><bdo>b</bdo><hr>
<form><input name=a><button>Go</button></form><script>alert(1)</script><iframe src="https://x.example/"></iframe><video src=x></video><svg><circle r=1 /></svg>
<math><mi>x</mi></math><a id="top" href="#top">up</a><a name="deep"></a><p>` + "\x01\ufffe" + `</p><unknown-element a:b="c">u</unknown-element>`

// unrulyBook has pages that nobody has tidied.
func unrulyBook() epub.Book {
	return epub.Book{Cover: "https://coast.example/picture.png", Chapters: []epub.Chapter{
		{Title: "Lights & <buoys>", Author: `Ada "A" Lovelace`, Date: "2026-05-01T10:00:00Z", Site: "Coast", Language: "en-GB", URL: "https://coast.example/1", HTML: unruly},
		{URL: "https://coast.example/2?a=1&b=|", HTML: ""},
		{Title: " ", Language: "no language", HTML: "<p>Unnamed"},
	}}
}

func TestUnrulyPages(t *testing.T) {
	_, files := written(t, unrulyBook(), picture(t))
	one := files["OEBPS/c001.xhtml"]
	for _, want := range []string{`<a href="c002.xhtml">the next page</a>`, `<a href="#n`, "[gone]", `<img src="images/`, `if a &lt; b {`, `<a href="https://sea.example/a%20b/%7Bc%7D">`} {
		if !strings.Contains(one, want) {
			t.Errorf("the first chapter lacks %s:\n%s", want, one)
		}
	}
	for _, evil := range []string{"<script", "alert(1)", "javascript:", "<iframe", "<form", "<input"} {
		if strings.Contains(one, evil) {
			t.Errorf("the first chapter has %s:\n%s", evil, one)
		}
	}
	if !strings.Contains(files["OEBPS/package.opf"], `properties="cover-image"`) {
		t.Error("there is no cover image")
	}
}

// Every chapter is well-formed XML, whatever the page is, and its links lead somewhere.
func FuzzChapter(f *testing.F) {
	f.Add(unruly)
	f.Fuzz(func(t *testing.T, body string) {
		_, files := written(t, epub.Book{Chapters: []epub.Chapter{{Title: body, Author: body, URL: "https://a.example/", HTML: body}}}, nil)
		for name, content := range files {
			if name == "mimetype" || name == "OEBPS/style.css" {
				continue
			}
			wellFormed(t, name, content)
		}
	})
}

func wellFormed(t *testing.T, name, content string) {
	t.Helper()
	ids, links := map[string]bool{}, map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(content))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v:\n%s", name, err, content)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range start.Attr {
			switch id, local := strings.CutPrefix(a.Value, "#"); {
			case a.Name.Local == "id" && ids[a.Value]:
				t.Errorf("%s: two elements have the id %s", name, a.Value)
			case a.Name.Local == "id":
				ids[a.Value] = true
			case a.Name.Local == "href" && local:
				links[id] = true
			}
		}
	}
	for id := range links {
		if !ids[id] {
			t.Errorf("%s: a link leads to #%s, which is not there:\n%s", name, id, content)
		}
	}
}

// A book does not grow in memory: each picture is written before the next one is asked for.
func TestPicturesAreWrittenOneByOne(t *testing.T) {
	picture := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 1<<20)...)
	var out bytes.Buffer
	asked := 0
	images := func(epub.Chapter, string) ([]byte, bool) {
		if want := asked * len(picture); out.Len() < want-1<<16 {
			t.Errorf("picture %d is asked for when %d bytes of %d are written", asked+1, out.Len(), want)
		}
		asked++
		return picture, true
	}
	var html strings.Builder
	for i := range 10 {
		fmt.Fprintf(&html, `<p>The tide.<img src="http://a.test/%d.png"></p>`, i)
	}
	if err := epub.Write(&out, epub.Book{Chapters: []epub.Chapter{{HTML: html.String()}, {HTML: html.String()}}}, images); err != nil || asked != 10 {
		t.Errorf("%d pictures, %v", asked, err)
	}
	full := errors.New("full")
	if err := epub.Write(failing{full}, epub.Book{Chapters: []epub.Chapter{{HTML: html.String()}}}, images); !errors.Is(err, full) || asked > 12 {
		t.Errorf("%v after %d pictures", err, asked)
	}
}

// failing can't be written to.
type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
