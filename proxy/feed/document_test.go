package feed

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func base(t testing.TB) *url.URL {
	t.Helper()
	u, err := url.Parse("https://paper.test/feeds/all")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// In every format, links are found and are absolute, only the contents change, and what was short becomes long.
func TestFormats(t *testing.T) {
	const marker = `<p>A & "B" ]]> ü</p>`
	const escaped = `&lt;p&gt;A &amp; &#34;B&#34; ]]&gt; ü&lt;/p&gt;`
	const encoded = `<content:encoded xmlns:content="http://purl.org/rss/1.0/modules/content/">` + escaped + `</content:encoded>`
	for name, c := range map[string]struct{ source, link, text, want string }{
		"RSS 2.0": {`<rss version="2.0"><channel><link>/</link><item><title>T</title><link> /a </link><description>&lt;b&gt;Short&lt;/b&gt; one</description></item></channel></rss>`,
			"https://paper.test/a", "Short one", `one</description>` + encoded + `</item></channel></rss>`},
		"RSS with content": {`<rss xmlns:c="http://purl.org/rss/1.0/modules/content/"><channel><item><c:encoded><![CDATA[<p>Some</p>]]></c:encoded><link>/a</link></item></channel></rss>`,
			"https://paper.test/a", "Some", `<item>` + encoded + `<link>`},
		"RSS with another prefix undeclared": {`<rss><channel><item><content:encoded>Some</content:encoded><guid>https://b.test/1</guid></item></channel></rss>`,
			"https://b.test/1", "Some", `<item>` + encoded + `<guid>`},
		"RSS 1.0": {`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel/><item rdf:about="x"><link>http://b.test/</link></item></rdf:RDF>`,
			"http://b.test/", "", `</link>` + encoded + `</item>`},
		"RSS with media and links of others": {`<rss xmlns:m="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom"><channel><item><link>/a</link>` +
			`<atom:link rel="self" href="/b"/><m:content url="/x.jpg"><m:description>Much longer than anything</m:description></m:content></item></channel></rss>`,
			"https://paper.test/a", "", `</m:content>` + encoded + `</item>`},
		"Atom": {`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://c.test/x/"><entry xml:base="y/"><link rel="enclosure" href="/z.mp3"/><link href="1"/>` +
			`<summary>Sum</summary><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>In <b>markup</b></p></div></content></entry></feed>`,
			"http://c.test/x/y/1", "In markup", `</summary><content type="html">` + escaped + `</content></entry>`},
		"Atom with a prefix": {`<?xml version="1.0"?><a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:link href="/1"/><a:content src="/whole"/></a:entry></a:feed>`,
			"https://paper.test/1", "", `<a:content src="/whole"/><a:content type="html">` + escaped + `</a:content></a:entry>`},
		"JSON Feed": {`{"version": "https://jsonfeed.org/version/1.1", "items" : [ {"id": 7, "url": "/1", "content_text": "Short", "_x": 1e2} ] , "z": 1}`,
			"https://paper.test/1", "Short", `"items" : [ {"_x":1e2,"content_html":"\u003cp\u003eA \u0026 \"B\" ]]\u003e ü\u003c/p\u003e","id":7,"url":"/1"} ] , "z": 1}`},
		"entities of HTML": {`<rss><channel><item><link>/a?x=1&y=2</link><description>caf&eacute; &nbsp; au lait</description></item></channel></rss>`,
			"https://paper.test/a?x=1&y=2", "café au lait", `</description>` + encoded},
	} {
		doc, err := parse([]byte(c.source), "", base(t))
		if err != nil || len(doc.entries) != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if same, err := doc.write(); err != nil || string(same) != c.source {
			t.Errorf("%s: it changed to %s (%v)", name, same, err)
		}
		e := doc.entries[0]
		if e.link == nil || e.link.String() != c.link || e.text != c.text || !e.isTeaser() {
			t.Errorf("%s: link %v, text %q", name, e.link, e.text)
		}
		e.full = marker
		if got, err := doc.write(); err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %v: no %s in %s", name, err, c.want, got)
		}
	}
}

func TestCharsets(t *testing.T) {
	item := "<rss><channel><item><title>caf\xe9</title><description>caf\xe9</description></item></channel></rss>"
	for name, c := range map[string]struct{ source, contentType, begins string }{
		"declared":       {`<?xml version="1.0" encoding="ISO-8859-1"?>` + item, "text/xml", `<?xml version="1.0" encoding="UTF-8"?><rss>`},
		"in the field":   {item, "text/xml; charset=windows-1252", `<rss>`},
		"field counts":   {`<?xml version='1.0' encoding='utf-8'?>` + item, "text/xml; charset=iso-8859-1", `<?xml version='1.0' encoding='UTF-8'?><rss>`},
		"byte order":     {"\xef\xbb\xbf" + strings.ReplaceAll(item, "\xe9", "é"), "text/xml; charset=iso-8859-1", `<rss>`},
		"UTF-16 of both": {"\xff\xfe<\x00r\x00s\x00s\x00>\x00<\x00i\x00t\x00e\x00m\x00>\x00<\x00d\x00e\x00s\x00c\x00r\x00i\x00p\x00t\x00i\x00o\x00n\x00>\x00c\x00a\x00f\x00\xe9\x00<\x00/\x00d\x00e\x00s\x00c\x00r\x00i\x00p\x00t\x00i\x00o\x00n\x00>\x00<\x00/\x00i\x00t\x00e\x00m\x00>\x00<\x00/\x00r\x00s\x00s\x00>\x00", "", `<rss>`},
	} {
		doc, err := parse([]byte(c.source), c.contentType, base(t))
		if err != nil || len(doc.entries) != 1 || doc.entries[0].text != "café" || !strings.HasPrefix(string(doc.source), c.begins) {
			t.Errorf("%s: %v: %+v", name, err, doc)
		}
	}
	if _, err := parse([]byte(item), "text/xml; charset=klingon", base(t)); err == nil {
		t.Error("an unknown charset was read")
	}
}

func TestTeasers(t *testing.T) {
	long := strings.Repeat("words ", 400)
	for text, want := range map[string]bool{"": true, "short": true, long: false, long + "…": true, long + "[...] ": true, long + "end.": false} {
		if got := (&entry{text: text}).isTeaser(); got != want {
			t.Errorf("…%s: %v", text[max(0, len(text)-10):], got)
		}
	}
}

// Entries that end where no end tag of theirs stands are left alone, and nothing lands outside of an entry.
func TestBrokenFeeds(t *testing.T) {
	for source, entries := range map[string]int{
		`<rss><channel><item/></channel></rss>`:                                       0,
		`<rss><channel><item><title>a</channel></rss>`:                                0,
		`<rss><channel><item><title>a</item><item><link>/b</link></item></channel>`:   -1,
		`<feed><entry><link href="/a"/><content>open</entry></feed>`:                  -1,
		`<rss><channel><item><link>http://[::1</link></item></channel></rss>`:         1,
		`<rss><channel><item><link>javascript:alert(1)</link></item></channel></rss>`: 1,
	} {
		doc, err := parse([]byte(source), "", base(t))
		if err != nil {
			continue // an error is an answer, too
		}
		if entries >= 0 && len(doc.entries) != entries {
			t.Errorf("%s: %d entries", source, len(doc.entries))
		}
		for _, e := range doc.entries {
			if e.link != nil && e.link.Host != "paper.test" {
				t.Errorf("%s: link %s", source, e.link)
			}
		}
	}
	for _, source := range []string{"", "{}", "[]", "<html></html>", "text", `{"version":"https://jsonfeed.org/version/1"}`,
		`{"version":"https://jsonfeed.org/version/1","items":{}}`, `{"version":"https://jsonfeed.org/version/1","items":[1]}`,
		"<rss>" + strings.Repeat("<item></item>", maxEntries+1) + "</rss>", "<rss>" + strings.Repeat("<x>", maxDepth) + strings.Repeat("</x>", maxDepth) + "</rss>",
		`{"version":"https://jsonfeed.org/version/1","items":[{}` + strings.Repeat(",{}", maxEntries) + `]}`} {
		if doc, err := parse([]byte(source), "", base(t)); err == nil {
			t.Errorf("%.60s: read as %s", source, doc.contentType)
		}
	}
}

// Whatever a feed is like, contents that are put in come out again at the same entries, and links and order stay.
func FuzzFeed(f *testing.F) {
	for _, seed := range []string{
		`<rss><channel><item><link>/a</link><description>x</description></item><item/><item><guid>http://b.test/</guid></item></channel></rss>`,
		`<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:link href="1"/><a:content type="xhtml"><p>a<br/></p></a:content></a:entry></a:feed>`,
		`{"version":"https://jsonfeed.org/version/1","items":[{"url":"/1","content_html":"<p>a"},{}]}`,
		`<?xml version="1.0" encoding="latin1"?><!DOCTYPE rss><rss xmlns:content="x"><item><content:encoded><![CDATA[a]]></content:encoded></item></rss>`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		doc, err := parse(source, "", base(t))
		if err != nil {
			return
		}
		for i, e := range doc.entries {
			e.full = fmt.Sprintf("<p>full text of entry %d &amp; no more</p>%s", i, strings.Repeat("<br>", len(source)))
		}
		out, err := doc.write()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse(out, "", base(t))
		if err != nil {
			t.Fatalf("%v in %q", err, out)
		}
		if len(again.entries) != len(doc.entries) {
			t.Fatalf("%d entries became %d in %q", len(doc.entries), len(again.entries), out)
		}
		for i, e := range again.entries {
			if want := fmt.Sprintf("full text of entry %d & no more", i); e.text != want {
				t.Errorf("entry %d says %q in %q", i, e.text, out)
			}
			if was := doc.entries[i].link; (was == nil) != (e.link == nil) || was != nil && *was != *e.link {
				t.Errorf("link %d: %v became %v", i, was, e.link)
			}
		}
	})
}
