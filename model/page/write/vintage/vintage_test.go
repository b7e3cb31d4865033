package vintage_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/charmap"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/vintage"
)

const ferryURL = "https://ferry.example/kessel/"

// vintage writes a page without noise, for a client that reaches all of *.example over plain HTTP.
func asVintage(t testing.TB, src, charset string) string {
	t.Helper()
	p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
	out, err := vintageForm(charset).Write(p, pagetest.None(p))
	if err != nil {
		t.Fatal(err)
	}
	return string(out.Body)
}

func vintageForm(charset string) write.Form {
	return write.Form{Mode: page.ModeVintage, URL: ferryURL, Charset: charset, PictureWidth: 320,
		Plain: func(host string) bool { return strings.HasSuffix(host, ".example") }}
}

// Everything that a page of today may have becomes what a browser of 1996 knows.
func TestVintageGolden(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "vintage", "ferry.html"))
	if err != nil {
		t.Fatal(err)
	}
	p := pagetest.MustParse(t, src, "text/html; charset=utf-8")
	for name, charset := range map[string]string{"latin1": "", "ascii": "us-ascii", "utf8": "utf-8", "koi8": "koi8-r"} {
		out, err := vintageForm(charset).Write(p, pagetest.MarkNoise(p))
		if err != nil {
			t.Fatal(err)
		}
		pagetest.Golden(t, filepath.Join("testdata", "vintage", "ferry."+name+".golden"), out.Body)
		onlyVintage(t, out.Body)
	}
}

// onlyVintage checks that markup has nothing but elements and attributes of HTML 3.2, and accept-charset of HTML 4, and
// that no address of it is one that runs or has its data in it.
func onlyVintage(t rapid.TB, markup []byte) {
	t.Helper()
	const elements = "html head meta title body h1 h2 h3 h4 h5 h6 p a ul ol li dl dt dd table caption tr td th div pre blockquote address hr br img " +
		"em strong b i u strike code kbd samp var cite dfn sub sup small form input select option textarea"
	const attributes = "http-equiv content dir href name src alt width height border align colspan rowspan start type value action method enctype " +
		"accept-charset checked selected multiple size maxlength rows cols"
	if !bytes.HasPrefix(markup, []byte("<!DOCTYPE HTML PUBLIC ")) {
		t.Errorf("no document type: %.60q", markup)
	}
	for z := html.NewTokenizer(bytes.NewReader(markup)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.CommentToken:
			t.Errorf("a comment in %q", markup)
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			if !slices.Contains(strings.Fields(elements), tok.Data) {
				t.Errorf("element %s in %q", tok.Data, markup)
			}
			for _, a := range tok.Attr {
				if !slices.Contains(strings.Fields(attributes), a.Key) {
					t.Errorf("attribute %s of %s in %q", a.Key, tok.Data, markup)
				}
				scheme, _ := address.Scheme(strings.TrimFunc(a.Val, func(r rune) bool { return r <= ' ' }))
				if address := a.Key == "href" || a.Key == "src" || a.Key == "action"; address && !slices.Contains([]string{"", "http", "https", "mailto", "tel", "ftp"}, scheme) {
					t.Errorf("address %q in %q", a.Val, markup)
				}
			}
		}
	}
}

// hostile are parts of pages that try to bring along what old browsers must not get.
func hostile() []string {
	return []string{"<script>x</script>", "<script src=a>", "</script>", "<style>p{}</style>", "<p onclick=x()>", "<a href=javascript:x>a</a>",
		"<a href=\"java\tscript:x\">b</a>", "<a href=' data:text/html,x'>c</a>", "<img src=data:image/gif;base64,AA>", "<img src=x onerror=y alt=z>",
		"<img data-src='data:x' srcset='data:y 1x'>", "<form action=data:x>", "<form action=javascript:x><input name=a onfocus=x>", "</form>",
		"<input type=image src=data:x>", "<button formaction=javascript:x>go</button>", "<select><option onclick=x value='\"><script>'>o", "</select>",
		"<textarea name=t></p><script>x</script></textarea>", "<iframe src=data:x></iframe>", "<iframe srcdoc='<script>'></iframe>", "<svg onload=x><a href=y>",
		"<math href=javascript:x><mi>m</mi></math>", "<object data=data:x>", "<embed src=javascript:x>", "<base href=data:x>", "<base href='javascript:'>",
		"<meta http-equiv=refresh content='0;url=javascript:x'>", "<link rel=stylesheet href=x>", "<template><script>x</script></template>", "<video src=data:x>",
		"<p title='\"><script>'>", "<td style=x colspan=99999999999>", "<table><tr><td>", "</table>", "<a name='\"><script>' href='#\"><script>'>", "\u0338", "\u0338>", "<b>\u0338",
		"&lt;script&gt;", "&#60;", "<!-- x -->", "<![CDATA[<script>]]>", "<noscript><script>x</script></noscript>", "\x01", "\u200b", "“", "<q>", "<rt>", "<details><summary>",
		"<li><input type=checkbox>", "<pre>", "\n<script>"}
}

// Whatever a page brings along, no script, style, handler or data: address comes out, and nothing that HTML 3.2 lacks.
func TestVintageHasNothingThatRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := hostile()
		var b strings.Builder
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 2*len(parts)-1), 1, 30).Draw(t, "parts") {
			if n < len(parts) {
				b.WriteString(parts[n])
			} else {
				b.WriteString(" word ")
			}
		}
		charset := rapid.SampledFrom([]string{"", "us-ascii", "utf-8", "windows-1251", "shift_jis"}).Draw(t, "charset")
		p := pagetest.MustParse(t, []byte(b.String()), "text/html; charset=utf-8")
		m := pagetest.None(p)
		if rapid.Bool().Draw(t, "noise") {
			m = pagetest.RandomMarking(p, pagetest.Drawer(t))
		}
		out, err := vintageForm(charset).Write(p, m)
		if errors.Is(err, vintage.ErrNothingToShow) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		onlyVintage(t, out.Body)
	})
}

// FuzzVintage is TestVintageHasNothingThatRuns for any bytes.
func FuzzVintage(f *testing.F) {
	for _, src := range pagetest.Malformed() {
		f.Add([]byte(src), "iso-8859-1", int64(1))
	}
	f.Add([]byte(strings.Join(hostile(), "")), "us-ascii", int64(0))
	f.Add([]byte("<form><input name=\xe9 value=\xff><a href=\xe9>a</a>"), "big5", int64(0))
	f.Fuzz(func(t *testing.T, src []byte, charset string, seed int64) {
		name, ok := vintage.CharsetFor(charset)
		p, err := page.Parse(src, "")
		if err != nil || !ok {
			return
		}
		m := pagetest.None(p)
		if seed != 0 {
			m = pagetest.RandomMarking(p, pagetest.Xorshift(uint64(seed)))
		}
		out, err := vintageForm(name).Write(p, m)
		if errors.Is(err, vintage.ErrNothingToShow) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		onlyVintage(t, out.Body)
	})
}

// The bytes are those of the charset that the header and the page name; what it lacks is there in ASCII.
func TestVintageCharsets(t *testing.T) {
	const text = "<p>“Ça va – Łódź … naïve” 5 € • co\u00adop, 東京, Привет, e\u0301t\u00e9 \u0085\u2028</p>"
	for _, c := range []struct{ charset, label, want string }{
		{"", "ISO-8859-1", "&#34;\xc7a va - &#321;\xf3d&#378; ... na\xefve&#34; 5 EUR * coop, &#26481;&#20140;, &#1055;&#1088;&#1080;&#1074;&#1077;&#1090;, \xe9t\xe9"},
		{"latin1", "ISO-8859-1", "\xc7a va - &#321;\xf3d&#378;"},
		{"US-ASCII", "US-ASCII", "&#34;&#199;a va - &#321;&#243;d&#378; ... na&#239;ve&#34;"},
		{"windows-1252", "windows-1252", "\x93\xc7a va \x96 &#321;\xf3d&#378; \x85 na\xefve\x94 5 \x80 \x95 coop"},
		{"iso-8859-2", "iso-8859-2", "&#34;\xc7a va - \xa3\xf3d\xbc ... na&#239;ve&#34;"},
		{"KOI8-R", "koi8-r", "\xf0\xd2\xc9\xd7\xc5\xd4"},
		{"Shift_JIS", "shift_jis", "\x93\x8c\x8b\x9e"},
		{"UTF-8", "utf-8", "“Ça va – Łódź … naïve” 5 € • co\u00adop, 東京, Привет, été"},
	} {
		name, ok := vintage.CharsetFor(c.charset)
		if c.charset != "" && (!ok || name != c.label) {
			t.Errorf("%s: %q, %v", c.charset, name, ok)
		}
		p := pagetest.MustParse(t, []byte(text), "text/html; charset=utf-8")
		out, err := vintageForm(c.charset).Write(p, pagetest.None(p))
		if err != nil || !bytes.Contains(out.Body, []byte(c.want)) || out.ContentType != "text/html; charset="+c.label ||
			!bytes.Contains(out.Body, []byte(`content="text/html; charset=`+c.label+`"`)) {
			t.Errorf("%s: %v, %q, want %q", c.charset, err, out.Body, c.want)
		}
	}
	for _, refused := range []string{"", "utf-16", "utf-16le", "iso-2022-jp", "x-user-defined", "hz-gb-2312", "klingon", "utf-8; x"} {
		if name, ok := vintage.CharsetFor(refused); ok {
			t.Errorf("charset %q is written as %s", refused, name)
		}
	}
	out := asVintage(t, "<p>all of it: "+string(everyRune())+"</p>", "")
	if back, err := charmap.ISO8859_1.NewDecoder().String(out); err != nil || strings.ContainsFunc(back, func(r rune) bool { return r > 0xff || 0x7f <= r && r < 0xa0 }) {
		t.Errorf("more than ISO-8859-1: %v", err)
	}
}

// everyRune is one character of each 64.
func everyRune() (all []rune) {
	for r := rune(0x80); r < utf8.MaxRune; r += 61 {
		if utf8.ValidRune(r) {
			all = append(all, r)
		}
	}
	return all
}

// A page for work rather than reading, which other modes pass unchanged, is written whole; one that the operator leaves
// alone is not, and one of which nothing can be shown is refused, so that its original goes out.
func TestVintageWritesApplications(t *testing.T) {
	p := pagetest.MustParse(t, []byte(`<body><form action=/s><input name=q><button>Search</button></form><script>x()</script>`), "")
	m := pagetest.None(p)
	for i := range m.Verdicts {
		m.Verdicts[i].Noise = true
	}
	m.Pass, m.Marks = "application", []page.Mark{{Element: p.Body, BlockEnd: page.BlockID(len(p.Blocks))}}
	out, err := write.Page(p, m.Whole(page.ModeVintage), page.ModeVintage)
	if err != nil || !bytes.Contains(out.Body, []byte(`<input type="text" name="q">`)) || !bytes.Contains(out.Body, []byte(`<input type="submit" value="Search">`)) {
		t.Errorf("%v, %s", err, out.Body)
	}
	if m.Whole(page.ModeLite) != m || m.Pass != "application" {
		t.Error("other modes write the page too, or the marking has changed")
	}
	if m.Pass = "override"; m.Whole(page.ModeVintage).Pass != "override" {
		t.Error("a page that the operator leaves alone is written")
	}
	p = pagetest.MustParse(t, []byte(`<frameset><frame src=a></frameset>`), "")
	if out, err := write.Page(p, pagetest.None(p), page.ModeVintage); !errors.Is(err, vintage.ErrNothingToShow) {
		t.Errorf("frames: %v, %v", err, out)
	}
}
