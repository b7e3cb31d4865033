package hiddentest

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/winnow-proxy/winnow/model/page/metadata"
	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
	"github.com/winnow-proxy/winnow/model/page/write/plaintext"
)

// Unmarked returns what a text or Markdown output has outside of its marked part. It is an error if that part has a
// line without its mark.
func Unmarked(text string) (shown string, err error) {
	shown, rest, _ := strings.Cut(text, plaintext.NotShown)
	for line := range strings.SplitSeq(strings.Trim(rest, "\n"), "\n") {
		if line != "" && !strings.HasPrefix(line, ">") {
			return shown, fmt.Errorf("the marked part has a line without its mark: %q", line)
		}
	}
	return shown, nil
}

// UnmarkedJSON returns what a document has outside of its marked parts: what is folded or hidden, and metadata.
func UnmarkedJSON(document []byte) (string, error) {
	var d jsondoc.Document
	if err := json.Unmarshal(document, &d); err != nil {
		return "", fmt.Errorf("reading the document: %w", err)
	}
	d.Folded, d.Metadata = nil, metadata.Metadata{}
	blocks := d.Blocks[:0]
	for _, b := range d.Blocks {
		if !b.Hidden {
			blocks = append(blocks, b)
		}
	}
	d.Blocks = blocks
	var shown strings.Builder
	enc := json.NewEncoder(&shown)
	enc.SetEscapeHTML(false)
	err := enc.Encode(d)
	return shown.String(), err
}

// Reads reports whether a text has the secret, in letters or in characters that nobody sees.
func Reads(text string) bool {
	unseen := func(r rune) bool {
		return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	}
	return strings.Contains(text, Secret) || strings.ContainsFunc(text, unseen)
}
