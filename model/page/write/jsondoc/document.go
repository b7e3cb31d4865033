// Package jsondoc writes mode json: a [Document].
package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/metadata"
	"github.com/winnow-proxy/winnow/model/page/visibility"
	"github.com/winnow-proxy/winnow/model/page/write/content"
	"github.com/winnow-proxy/winnow/model/page/write/markdown"
	"github.com/winnow-proxy/winnow/model/page/write/plaintext"
	"github.com/winnow-proxy/winnow/model/page/write/simple"
)

// Document is the output of JSON mode: the content in three forms, and the verdict on every block.
type Document struct {
	// Title is the text of the page's title element.
	Title string `json:"title"`
	// Language is the language that the page declares (lang of html), unchanged. Charset is the encoding of the
	// origin's bytes. The JSON itself is UTF-8.
	Language string `json:"language,omitempty"`
	Charset  string `json:"charset"`
	// Kind is the kind of the whole page, in the words of data-winnow-page. It is left out if the detector does not
	// say.
	Kind string `json:"kind,omitempty"`
	// Metadata is what the page declares about itself.
	Metadata metadata.Metadata `json:"metadata"`
	// Text is the content that people see as text mode gives it, HTML as simple HTML, with places for what is folded.
	Text string `json:"text"`
	HTML string `json:"html"`
	// Folded is what people do not see at once, left out if there is nothing. What they never see is nowhere.
	Folded []simple.Folded `json:"folded,omitempty"`
	// Chunks are the content as Markdown in pieces of at most [write.Form.ChunkTokens] tokens, left out unless asked for.
	Chunks []markdown.Chunk `json:"chunks,omitempty"`
	// Blocks are all blocks of the page in order, including noise, except those that the page hides from people.
	Blocks []Block `json:"blocks"`
	// Articles, TOCs and Records are the parts that the detector names, by descending weight. They are left out if it
	// names none.
	Articles []Part    `json:"articles,omitempty"`
	TOCs     []Part    `json:"tocs,omitempty"`
	Records  []Records `json:"records,omitempty"`
	// Links are the links of the content, in page order. Template has the rest of the page: menus, footers, adverts,
	// with their links.
	Links    []Link    `json:"links"`
	Template []Removed `json:"template"`
	// Removed is the share of the visible characters that are noise, in [0,1].
	Removed float64 `json:"removed"`
	// Pages is the number of the host's pages that the marking is based on.
	Pages int `json:"pages"`
	// Confidence is the F1 of the content, over words, that pages marked like this one had on average, in [0,1]. It is
	// left out if the detector does not say.
	Confidence float32 `json:"confidence,omitempty"`
	// Thin says that very little text is left.
	Thin bool `json:"thin,omitempty"`
}

// Block is one block of a [Document].
type Block struct {
	// Text has its white space folded.
	Text string `json:"text"`
	// Kind is "content", the class of content that contains the block, or a kind of noise, in the words of
	// data-winnow-kind.
	Kind string `json:"kind"`
	// Score is the probability in [0,1] that the block is noise; Noise is the verdict.
	Score float32 `json:"score"`
	Noise bool    `json:"noise"`
	// Hidden says that people do not see the block at once: it unfolds, or that is unresolved.
	Hidden bool `json:"hidden,omitempty"`
}

// Options say what a [Document] has. The zero value is usable.
type Options struct {
	// Markdown is how the pieces are written. It has the address of the page, and what ends the work early.
	Markdown markdown.Options
	// ChunkTokens, if positive, adds pieces of about so many tokens.
	ChunkTokens int
}

// Write writes a [Document].
func Write(p *page.Page, m *page.Marking, o Options) ([]byte, error) {
	view := content.Of(p, m, content.Options{URL: o.Markdown.URL, Done: o.Markdown.Done})
	text, _ := plaintext.Plain(p, view)
	body, folded := simple.Parts(view, simple.ForPrograms)
	d := Document{Title: p.Title(), Language: p.Language(), Charset: p.Charset, Metadata: metadata.Seen(p, o.Markdown.URL, view.Seen), Text: text, HTML: body, Folded: folded,
		Blocks: documentBlocks(p, m, view), Removed: p.RemovedShare(m), Pages: m.Pages, Confidence: m.Confidence, Thin: m.Thin}
	if m.PageKind != page.PageUnknown {
		d.Kind = m.PageKind.String()
	}
	if o.ChunkTokens > 0 {
		md, _, err := markdown.OfView(view, o.Markdown)
		if err != nil {
			return nil, err
		}
		d.Chunks = markdown.Chunks(md, o.ChunkTokens)
	}
	d.addParts(p, m, view)
	d.addLinks(p, m, view)
	if page.IsDone(o.Markdown.Done) {
		return nil, page.ErrDone
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // it is not embedded in HTML, and markup stays readable
	if err := enc.Encode(d); err != nil {
		return nil, fmt.Errorf("writing a page as JSON: %w", err)
	}
	return []byte(content.WithoutInvisible(out.String())), nil
}

// documentBlocks lists the blocks that people see or can make visible.
func documentBlocks(p *page.Page, m *page.Marking, v *content.View) []Block {
	blocks := make([]Block, 0, len(p.Blocks))
	for b, kind := range m.Kinds() {
		if page.IsDone(v.Done) {
			break
		}
		of := v.Seen.Block(p, page.BlockID(b))
		text := string(p.AppendBlock(nil, page.BlockID(b), func(t *page.Text) bool { return of != visibility.Concealed && v.Seen.Text[t.Parent] <= of }))
		if text == "" {
			continue
		}
		verdict := m.Verdicts[b]
		blocks = append(blocks, Block{Text: text, Kind: kind.String(), Score: verdict.Score, Noise: verdict.Noise,
			Hidden: of == visibility.Folded})
	}
	return blocks
}

// ReaderHTML is HTML with everything in its place, for people, who open what is folded.
func (d *Document) ReaderHTML() string {
	var pairs []string
	for i, f := range d.Folded {
		if f.Kind == simple.FoldedAlt {
			pairs = append(pairs, simple.AltPlace(i), ` alt="`+html.EscapeString(f.Text)+`"`)
		} else {
			pairs = append(pairs, simple.FoldedPlace(i), f.HTML)
		}
	}
	return strings.NewReplacer(pairs...).Replace(d.HTML)
}
