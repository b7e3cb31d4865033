package feed

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// MaxBytes is the most that a feed may have.
const MaxBytes = 4 << 20

// Bounds of reading a feed.
const (
	maxEntries = 2000 // of a feed; what is longer is refused
	maxDepth   = 200  // of elements in elements
)

// errNoFeed says that what was found is something else.
var errNoFeed = errors.New("what is there is no RSS, Atom or JSON feed")

// document is a feed that was read. Its source is written again byte for byte, but for the contents that are put in.
type document struct {
	source      []byte
	contentType string
	entries     []*entry
}

// entry is one entry of a feed.
type entry struct {
	// link is the absolute address of the page that the entry is about, nil where it has none.
	link *url.URL
	// text is what the entry says itself, as plain text with its white space folded.
	text string
	// from and to are the place in the source where render's bytes go.
	from, to int
	// render returns what stands there once the entry has this HTML as its content.
	render func(html string) ([]byte, error)
	// full is the HTML that was found for the entry, empty where it stays as it is.
	full string
}

// parse reads a feed that was found at base.
func parse(body []byte, contentType string, base *url.URL) (*document, error) {
	body, err := toUTF8(body, contentType)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return parseJSON(body, base)
	}
	return parseXML(body, base)
}

// declaration is the XML declaration with the name of the encoding.
var declaration = regexp.MustCompile(`^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// toUTF8 returns the feed in UTF-8, with a declaration that says so. The charset of the field Content-Type counts more
// than the declaration (RFC 7303 §3), and a byte order mark more than both.
func toUTF8(body []byte, contentType string) ([]byte, error) {
	label := "utf-8"
	declared := declaration.FindSubmatchIndex(body)
	if declared != nil {
		label = string(body[declared[2]:declared[3]])
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil && params["charset"] != "" {
		label = params["charset"]
	}
	enc, name := charset.Lookup(label)
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		body, name = body[3:], "utf-8"
		declared = declaration.FindSubmatchIndex(body)
	case bytes.HasPrefix(body, []byte("\xff\xfe")), bytes.HasPrefix(body, []byte("\xfe\xff")):
		enc, name = charset.Lookup("utf-16")
	case enc == nil:
		return nil, fmt.Errorf("the feed is in the charset %q, which is not known", label)
	}
	if name != "utf-8" {
		var err error
		if body, err = enc.NewDecoder().Bytes(body); err != nil {
			return nil, fmt.Errorf("the feed is not in the charset %q that it names: %w", label, err)
		}
		body = bytes.TrimPrefix(body, []byte("\uFEFF"))
		declared = declaration.FindSubmatchIndex(body)
	}
	if declared != nil {
		body = slices.Concat(body[:declared[2]], []byte("UTF-8"), body[declared[3]:])
	}
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return body, nil
}

// write returns the feed with the contents that were found.
func (d *document) write() ([]byte, error) {
	var out bytes.Buffer
	at := 0
	for _, e := range d.entries { // which stand in the order of the source
		if e.full == "" {
			continue
		}
		b, err := e.render(e.full)
		if err != nil {
			return nil, err
		}
		out.Write(d.source[at:e.from])
		out.Write(b)
		at = e.to
	}
	out.Write(d.source[at:])
	return out.Bytes(), nil
}

// fullLength is from how many characters on an entry is taken to be complete.
const fullLength = 1500

// isTeaser reports whether an entry seems to have only the beginning of its text. One that is short but complete costs
// one look at its page.
func (e *entry) isTeaser() bool {
	if utf8.RuneCountInString(e.text) < fullLength {
		return true
	}
	end := strings.TrimRight(e.text, "])»→> ")
	return strings.HasSuffix(end, "…") || strings.HasSuffix(end, "...")
}

// plainText returns the text of HTML with its white space folded.
func plainText(markup string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(markup))
	for skip := ""; ; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.TextToken:
			if skip == "" {
				b.Write(z.Text())
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			if n := string(name); n == "script" || n == "style" {
				skip = strings.TrimSuffix(n, skip)
			}
			if !inline(string(name)) {
				b.WriteByte(' ')
			}
		case html.CommentToken, html.DoctypeToken:
		}
	}
}

// inline reports whether an element stands within a word.
func inline(name string) bool {
	return slices.Contains([]string{"a", "abbr", "b", "code", "em", "i", "mark", "q", "s", "small", "span", "strong", "sub", "sup",
		"u", "wbr"}, name)
}
