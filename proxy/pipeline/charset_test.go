package pipeline

import (
	"bytes"
	"context"
	"mime"
	"strings"
	"testing"

	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// charsetCase is a page in one charset and where the charset is said.
type charsetCase struct {
	name string
	enc  encoding.Encoding
	// header is the origin's Content-Type, head what stands in the page's head.
	header, head string
	// nav is the noise, text the content.
	nav, text string
	// charset is what the cleaned page is in.
	charset string
}

func charsetCases() []charsetCase {
	late := "<script>" + strings.Repeat("/* far from the start */", 100) + "</script>"
	return []charsetCase{
		{"GBK by header", simplifiedchinese.GBK, "text/html; charset=gb2312", "", "首页新闻体育", "谷粒留下，糠秕飞走。", "gbk"},
		{"GBK by meta", simplifiedchinese.GBK, "text/html", `<meta charset="gbk">`, "首页新闻体育", "谷粒留下，糠秕飞走。", "gbk"},
		{"GBK by late meta", simplifiedchinese.GBK, "text/html", late + `<meta http-equiv="Content-Type" content="text/html; charset=GBK">`,
			"首页新闻体育", "谷粒留下，糠秕飞走。", "gbk"},
		{"windows-1251", charmap.Windows1251, "text/html; charset=windows-1251", "", "Главная Новости", "Зерно остаётся, мякина улетает.", "windows-1251"},
		{"windows-1251 by late meta", charmap.Windows1251, "text/html", late + `<meta charset=windows-1251>`, "Главная Новости",
			"Зерно остаётся, мякина улетает.", "windows-1251"},
		{"Shift_JIS", japanese.ShiftJIS, "text/html", `<meta charset="Shift_JIS">`, "ホーム ニュース", "穀物は残り、籾殻は飛ぶ。表示ソ能", "shift_jis"},
		{"EUC-KR", korean.EUCKR, "text/html; charset=EUC-KR", "", "홈 뉴스 스포츠", "곡식은 남고 겨는 날아간다.", "euc-kr"},
		{"ISO-8859-1", charmap.Windows1252, "text/html; charset=ISO-8859-1", "", "Début Météo", "Le grain reste, la balle s’envole à Noël.", "windows-1252"},
		{"UTF-8 with BOM", unicode.UTF8BOM, "text/html", "", "Home – Nyheter", "Kornet ligger kvar, agnarna flyger.", "utf-8"},
		{"BOM against header", unicode.UTF8BOM, "text/html; charset=iso-8859-1", "", "Home – Nyheter", "Kornet ligger kvar på logen.", "utf-8"},
		{"UTF-8 unsaid", unicode.UTF8, "text/html", "", "Domů Zprávy", "Zrno zůstane, plevy uletí.", "utf-8"},
		{"UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "text/html", "", "Domů Zprávy", "Zrno zůstane, plevy uletí.", "utf-16le"},
	}
}

// source returns the case's page as the origin sends it.
func (c charsetCase) source(t *testing.T) []byte {
	t.Helper()
	return c.encode(t, "<!DOCTYPE html><html><head>"+c.head+"<title>t</title></head><body><nav><a href=/>"+c.nav+
		"</a></nav><main><p>"+c.text+" &amp; &eacute;</p></main></body></html>")
}

func (c charsetCase) encode(t *testing.T, s string) []byte {
	t.Helper()
	b, err := c.enc.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Cleaned pages stay in the origin's charset and type, and keep the content's bytes as they were.
func TestCharsetsThroughTheProxy(t *testing.T) {
	for _, c := range charsetCases() {
		t.Run(c.name, func(t *testing.T) {
			src := c.source(t)
			r := newRig(t, serve(applyCodings(t, src, "gzip"), "Content-Type", c.header, "Content-Encoding", "gzip"))
			r.rw.parse, r.rw.write, r.rw.opts.Models = page.ParseContext, write.Form.Write, removesNav{r.models}
			for _, mode := range []string{"remove", "tag", "text", "markdown"} {
				got := r.get("/", "Winnow-Mode", mode, "Accept-Encoding", "gzip")
				if h := got.Header.Get("Winnow"); !strings.HasPrefix(h, "cleaned; mode="+mode) {
					t.Fatalf("%s: Winnow: %s", mode, h)
				}
				body := undoCoding(t, got.body, got.Header.Get("Content-Encoding"))
				c.check(t, mode, got.Header.Get("Content-Type"), body)
			}
		})
	}
}

func (c charsetCase) check(t *testing.T, mode, contentType string, body []byte) {
	t.Helper()
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatalf("%s: Content-Type %q: %v", mode, contentType, err)
	}
	html := mode == "remove" || mode == "tag"
	if html {
		if contentType != c.header {
			t.Errorf("%s: Content-Type %q, want the origin's %q", mode, contentType, c.header)
		}
		params["charset"] = c.charset
	}
	enc, _ := charset.Lookup(params["charset"])
	if enc == nil {
		t.Fatalf("%s: charset %q is unknown", mode, params["charset"])
	}
	text, err := enc.NewDecoder().Bytes(body)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(c.text)) {
		t.Errorf("%s: the content is not readable as %s: %q", mode, params["charset"], text)
	}
	if gone := !bytes.Contains(text, []byte(c.nav)); gone != (mode != "tag") {
		t.Errorf("%s: the nav is gone: %v", mode, gone)
	}
	raw, bom := c.encode(t, "<p>"+c.text+" &amp; &eacute;</p>"), c.encode(t, "")
	if mode == "remove" && !bytes.Contains(body, bytes.TrimPrefix(raw, bom)) {
		t.Errorf("remove: the content's bytes were changed: %q", body)
	}
}

// A label that lies makes the text unreadable in any browser; it must not make us spoil the bytes as well.
func TestWrongCharsetLabelKeepsTheBytes(t *testing.T) {
	gbk := charsetCase{enc: simplifiedchinese.GBK, nav: "首页新闻体育", text: "谷粒留下，糠秕飞走。"}
	for _, label := range []string{"utf-8", "euc-kr", "x-no-such-charset", "us-ascii"} {
		t.Run(label, func(t *testing.T) {
			r := newRig(t, serve(gbk.source(t), "Content-Type", "text/html; charset="+label))
			r.rw.parse, r.rw.write, r.rw.opts.Models = page.ParseContext, write.Form.Write, removesNav{r.models}
			got := r.get("/")
			if h := got.Header.Get("Winnow"); !strings.HasPrefix(h, "cleaned; ") {
				t.Fatalf("Winnow: %s", h)
			}
			if !bytes.Contains(got.body, gbk.encode(t, gbk.text)) {
				t.Errorf("the content's bytes were changed: %q", got.body)
			}
			if bytes.Contains(got.body, gbk.encode(t, gbk.nav)) {
				t.Error("the nav is still there")
			}
		})
	}
}

// removesNav marks nav elements as noise, all else as content.
type removesNav struct{ *fakeModels }

func (removesNav) Mark(_ context.Context, _ string, p *page.Page, _ model.Visit) (*page.Marking, error) {
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Pages: 3}
	for i, el := range p.Elements {
		if el.Tag != atom.Nav {
			continue
		}
		m.Marks = append(m.Marks, page.Mark{Element: page.ElementID(i), BlockStart: el.BlockStart, BlockEnd: el.BlockEnd,
			Kind: page.KindNav, Score: 1})
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			m.Verdicts[b] = page.Verdict{Noise: true, Score: 1}
		}
	}
	return m, nil
}
