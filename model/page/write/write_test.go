package write_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/source"
)

func TestGolden(t *testing.T) {
	sources, err := filepath.Glob(filepath.Join("testdata", "*.html"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, file := range sources {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := pagetest.MustParse(t, src, "text/html; charset=utf-8")
		m := pagetest.MarkNoise(p)
		if len(m.Marks) == 0 {
			t.Errorf("%s: nothing is marked", file)
		}
		for mode := page.ModeRemove; int(mode) < len(page.ModeNames()); mode++ {
			t.Run(filepath.Base(file)+"/"+mode.String(), func(t *testing.T) {
				out, err := write.Page(p, m, mode)
				if err != nil {
					t.Fatal(err)
				}
				pagetest.Golden(t, strings.TrimSuffix(file, ".html")+"."+mode.String()+".golden", out.Body)
			})
		}
	}
}

func TestRemove(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"element":                 {`<p>a</p><div class=noise>n</div><p>b</p>`, `<p>a</p><p>b</p>`},
		"empty element":           {`<p>a</p><iframe class=noise src=x></iframe>`, `<p>a</p>`},
		"void element":            {`<p>a<img class=noise src=x>b</p>`, `<p>ab</p>`},
		"texts would join":        {`<div>a<div class=noise>n</div>b</div>`, `<div>a<br><br>b</div>`},
		"control in a line":       {`<p>a<button class=noise>n</button>b</p>`, `<p>a b</p>`},
		"implied end":             {`<p>a<div class=noise>n</div>b`, `<p>a</p>b`},
		"implied ends nest":       {`<dl><dd><p>a<dd class=noise>n</dl>`, `<dl><dd><p>a</p></dd></dl>`},
		"end that is not implied": {`<ul><li>a</li><li class=noise>n<li>b</ul>`, `<ul><li>a</li><li>b</ul>`},
		"link ended in noise":     {`<a href=x>a<div class=noise>n</a></div>b`, `<a href=x>a</a><br><br>b`},
		"script stays":            {`<div class=noise><b>n</b><script>x("</b>")</script>n</div>c`, `<script>x("</b>")</script>c`},
		"script of an advert":     {`<div class=noise id=ad>n<script>x()</script></div>c`, `c`},
		"script of a drawing":     {`<div class=noise>n<svg><script href=x /></svg></div>c`, `c`},
		"script in a run":         {`<div><p>a</p>NOISE n<script>x</script>n<p>b</p></div>`, `<div><p>a</p><script>x</script><p>b</p></div>`},
		"bare text":               {`<div><p>a</p>NOISE <b>n</b> <img src=x> n<p>b</p></div>`, `<div><p>a</p> <p>b</p></div>`},
		"cell":                    {`<table><tr><td class=noise id=nav bgcolor=red>n<td>a</table>`, `<table><tr><td class=noise id=nav bgcolor=red><td>a</table>`},
		"all cells of a row":      {`<table><tr><td class=noise>n<td class=noise>n<tr><td>a</table>`, `<table><tr><tr><td>a</table>`},
		"body":                    {`<html><body class=noise><p>n</p></body></html>`, `<html><body class=noise></body></html>`},
		"html":                    {`<html class=noise><title>t</title><body><p>n</p></body></html>`, `<html class=noise><title>t</title><body></body></html>`},
		"body left open":          {`<body class=noise><p>n</p>m</body>o`, `<body class=noise></body>`},
		"lone less-than":          {`a <<b class=noise>n</b>b>`, `a <<!---->b>`},
		"half a reference":        {`a &am<b class=noise>n</b>p;`, `a &am<!---->p;`},
		"comment in noise":        {`a<div class=noise><!-- > </div> -->n</div>`, `a`},
		"unclosed comment":        {`<p>a</p><div class=noise>n<!-- `, `<p>a</p>`},
		"foster parented":         {`<table><tr><td>a</table><table class=noise>m<tr><td>n</table>`, `<table><tr><td>a</table><table class=noise>m</table>`},
		"empty page":              {``, ``},
	} {
		t.Run(name, func(t *testing.T) {
			p := pagetest.MustParse(t, []byte(c.src), "")
			out, err := write.Page(p, pagetest.MarkNoise(p), page.ModeRemove)
			if err != nil {
				t.Fatal(err)
			}
			if string(out.Body) != c.want {
				t.Errorf("remove\n got %s\nwant %s", out.Body, c.want)
			}
		})
	}
}

func TestRemoveLeavesXHTMLWellFormed(t *testing.T) {
	p := pagetest.MustParse(t, []byte(`<div>a<div class="noise">n</div>b</div>`), "application/xhtml+xml; charset=utf-8")
	out, err := write.Page(p, pagetest.MarkNoise(p), page.ModeRemove)
	if err != nil || string(out.Body) != "<div>a<br/><br/>b</div>" {
		t.Errorf("remove gives %s (%v)", out.Body, err)
	}
}

func TestWriteCorpus(t *testing.T) {
	for i, file := range pagetest.CorpusPages(t, 2) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := pagetest.MustParse(t, src, "")
		m := pagetest.WholeBlocks(p, pagetest.RandomMarking(p, pagetest.Xorshift(uint64(i))))
		for mode := page.ModeTag; mode <= page.ModeText; mode++ {
			if _, err := write.Page(p, m, mode); err != nil {
				t.Errorf("%s: %s: %v", file, mode, err)
			}
		}
		out, err := write.Page(p, m, page.ModeRemove)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		again := pagetest.MustParse(t, out.Body, out.ContentType)
		want := slices.Collect(page.Words(strings.Join(pagetest.KeptBlocks(p, m), " ")))
		got := slices.Collect(page.Words(strings.Join(pagetest.KeptBlocks(again, pagetest.None(again)), " ")))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: words (-kept +in the output):\n%s", file, diff)
		}
	}
}

func TestTag(t *testing.T) {
	const noise = ` data-winnow="noise" data-winnow-kind="other" data-winnow-score="0.75"`
	const content = ` data-winnow="content" data-winnow-kind="content" data-winnow-score="0.12"`
	for name, c := range map[string]struct{ src, want string }{
		"both":                {`<p>a</p><p class=noise>n</p>`, `<p` + content + `>a</p><p` + noise + ` class=noise>n</p>`},
		"slash in a value":    {`<a class=noise href=/x/>n</a>`, `<a` + noise + ` class=noise href=/x/>n</a>`},
		"self-closing":        {`<img class=noise /><p>a`, `<img` + noise + ` class=noise /><p` + content + `>a`},
		"no attributes":       {`<div>NOISE n<p>a</div>`, `<div>NOISE n<p` + content + `>a</div>`},
		"run of inline":       {`<div><b>NOISE</b> n<p>a</div>`, `<div><b` + noise + `>NOISE</b> n<p` + content + `>a</div>`},
		"mark without blocks": {`<div><i class=noise></i>a</div>`, `<div><i` + noise + ` class=noise></i>a</div>`},
	} {
		t.Run(name, func(t *testing.T) {
			p := pagetest.MustParse(t, []byte(c.src), "")
			out, err := write.Page(p, pagetest.MarkNoise(p), page.ModeTag)
			if err != nil {
				t.Fatal(err)
			}
			if string(out.Body) != c.want {
				t.Errorf("tag\n got %s\nwant %s", out.Body, c.want)
			}
		})
	}
}

func TestWriteInTheOriginsCharset(t *testing.T) {
	for label, c := range map[string]struct {
		enc            encoding.Encoding
		content, noise string
	}{
		"gbk":          {simplifiedchinese.GBK, "网页去噪：丂乗", "导航"},
		"shift_jis":    {japanese.ShiftJIS, "表示ソース構能", "広告"}, // with 0x5C as a second byte
		"iso-2022-jp":  {japanese.ISO2022JP, "表示ソース構能", "広告"},
		"euc-jp":       {japanese.EUCJP, "表示ソース構能", "広告"},
		"windows-1251": {charmap.Windows1251, "Чистый текст", "Реклама"},
		"utf-16le":     {unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "Чистый текст 网页", "Реклама"},
		"utf-16be":     {unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "Чистый текст 网页", "Реклама"},
	} {
		t.Run(label, func(t *testing.T) {
			encode := func(s string) []byte {
				b, err := c.enc.NewEncoder().Bytes([]byte(s))
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			kept := "<title>" + c.content + "</title><p title='" + c.content + "'>" + c.content + "</p>"
			src := encode(kept + "<div class=noise>" + c.noise + "</div>")
			p := pagetest.MustParse(t, src, "text/html; charset="+label)
			out, err := write.Page(p, pagetest.MarkNoise(p), page.ModeRemove)
			if err != nil {
				t.Fatal(err)
			}
			if want := encode(kept); !bytes.Equal(out.Body, want) {
				t.Errorf("remove gives %q, want %q", out.Body, want)
			}
			if want := "text/html; charset=" + label; out.ContentType != want {
				t.Errorf("content type %q, want %q", out.ContentType, want)
			}
			if out, err = write.Page(p, pagetest.None(p), page.ModeTag); err != nil || out.ContentType != "text/html; charset="+label {
				t.Fatalf("tag: %v, %v", out, err)
			}
			if out, err = write.Page(p, pagetest.None(p), page.ModeRemove); err != nil || !bytes.Equal(out.Body, src) {
				t.Errorf("remove without marks gives %q (%v), want the source", out.Body, err)
			}
			if out, err = write.Page(p, pagetest.MarkNoise(p), page.ModeText); err != nil || string(out.Body) != c.content+"\n" {
				t.Errorf("text gives %q (%v)", out.Body, err)
			}
		})
	}
}

func TestContentTypes(t *testing.T) {
	const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>a</p></body></html>`
	for mode, want := range map[page.Mode]string{
		page.ModeRemove: "application/xhtml+xml; charset=utf-8", page.ModeTag: "application/xhtml+xml; charset=utf-8",
		page.ModeReader: "text/html; charset=utf-8", page.ModeText: "text/plain; charset=utf-8",
		page.ModeMarkdown: "text/markdown; charset=utf-8; variant=GFM", page.ModeJSON: "application/json",
	} {
		p := pagetest.MustParse(t, []byte(xhtml), "application/xhtml+xml")
		out, err := write.Page(p, pagetest.None(p), mode)
		if err != nil {
			t.Fatal(err)
		}
		if out.ContentType != want {
			t.Errorf("%s: content type %q, want %q", mode, out.ContentType, want)
		}
	}
}

func TestWriteRefusesForeignMarkings(t *testing.T) {
	p := pagetest.MustParse(t, []byte("<p>a<p>b"), "")
	if _, err := write.Page(p, &page.Marking{}, page.ModeRemove); err == nil {
		t.Error("a marking of another page was taken")
	}
	if _, err := write.Page(p, pagetest.None(p), page.Mode(len(page.ModeNames()))); err == nil {
		t.Error("a mode that does not exist was taken")
	}
}

func TestRemoveSaysWhatHasNoPlace(t *testing.T) {
	p := pagetest.MustParse(t, []byte("<p>a<textarea>NOISE</textarea>"), "") // raw text has no place of its own
	if _, err := write.Page(p, pagetest.MarkNoise(p), page.ModeRemove); !errors.Is(err, source.ErrUnplaced) {
		t.Errorf("%v, want ErrUnplaced", err)
	}
}

func TestRemovedShare(t *testing.T) {
	p := pagetest.MustParse(t, []byte("<p>aaa</p><p class=noise>n n</p><p>bbb"), "")
	for mode, want := range map[page.Mode]float64{page.ModeRemove: 0.25, page.ModeText: 0.25, page.ModeJSON: 0.25, page.ModeTag: 0, page.ModeOff: 0} {
		out, err := write.Page(p, pagetest.MarkNoise(p), mode)
		if err != nil || out.Removed != want {
			t.Errorf("%s: removed %v (%v), want %v", mode, out.Removed, err, want)
		}
	}
}
