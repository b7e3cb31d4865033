// Package markdown writes mode markdown: GitHub-flavoured Markdown with the extensions that agents and note-takers read
// (footnotes, definition lists, alerts, TeX between dollars), converted from simple HTML.
package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Links says how links are written.
type Links uint8

// Inline keeps addresses beside the text of links, Collected at the end of the document, Dropped nowhere.
const (
	Inline Links = iota
	Collected
	Dropped
)

// Options are those of one conversion.
type Options struct {
	Links Links
	// URL, if it is known, is put before addresses within the page ("#notes"), which have no target in Markdown.
	URL string
	// Done ends the conversion with an error where it is closed; nil never ends it.
	Done <-chan struct{}
}

// ErrDone says that a conversion was ended.
var ErrDone = errors.New("writing Markdown: nobody waits for it any more")

// Convert returns simple HTML as Markdown, with a line feed at its end unless it is empty.
func Convert(simple string, o Options) (string, error) {
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := html.ParseFragment(strings.NewReader(simple), body)
	if err != nil {
		return "", fmt.Errorf("reading HTML to write it as Markdown: %w", err)
	}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	d := &document{body: body, options: o, labels: map[string]bool{}, numbers: map[string]int{}}
	d.prepare()
	md, err := d.converter().ConvertNode(body)
	if err != nil {
		return "", fmt.Errorf("writing Markdown: %w", err)
	}
	if o.over() {
		return "", ErrDone
	}
	return d.finish(md), nil
}

// over reports whether nobody waits for the conversion any more.
func (o Options) over() bool {
	select {
	case <-o.Done:
		return true
	default:
		return false
	}
}

// document is one page during its conversion.
type document struct {
	body    *html.Node
	options Options
	// notes are the bodies of footnotes, in the order of their labels; targets the addresses of collected links.
	notes   []note
	targets []string
	// labels are those of notes; numbers are the places of targets.
	labels  map[string]bool
	numbers map[string]int
}

// Names of elements of our own, which stand for what HTML has no element for.
const (
	formulaTag = "winnow-formula"
	noteRefTag = "winnow-note"
)

// prepare turns what Markdown has a form for into elements that the renderers know.
func (d *document) prepare() {
	boundNesting(d.body, 0, 0)
	boundTables(d.body)
	for n := range d.body.Descendants() { // a tag counts before the brackets and quotes around it
		for i, a := range n.Attr {
			if a.Key == "alt" || a.Key == "title" {
				n.Attr[i].Val = strings.ReplaceAll(a.Val, "<", "&lt;")
			}
		}
	}
	d.findNotes()
	findFormulas(d.body)
	flattenCells(d.body)
	alignColumns(d.body)
	liftCaptions(d.body)
}

func (d *document) converter() *converter.Converter {
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false),
			commonmark.WithLinkEmptyContentBehavior(commonmark.LinkBehaviorSkip), commonmark.WithLinkEmptyHrefBehavior(commonmark.LinkBehaviorSkip)),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(
			table.WithHeaderPromotion(true), // in this dialect a table needs a header
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
		),
	))
	r := c.Register
	r.Renderer(func(converter.Context, converter.Writer, *html.Node) converter.RenderStatus {
		if d.options.over() {
			return converter.RenderSuccess // as nothing, as Convert returns an error
		}
		return converter.RenderTryNext
	}, converter.PriorityEarly-1)
	r.UnEscaper(escapeBracket, converter.PriorityEarly)
	r.TagType("input", converter.TagTypeInline, converter.PriorityEarly)
	r.RendererFor("input", converter.TagTypeInline, renderTask, converter.PriorityEarly)
	r.RendererFor(formulaTag, converter.TagTypeInline, renderFormula, converter.PriorityEarly)
	r.RendererFor(noteRefTag, converter.TagTypeInline, renderNoteRef, converter.PriorityEarly)
	r.RendererFor("ol", converter.TagTypeBlock, renderOrdered, converter.PriorityEarly)
	r.RendererFor("dl", converter.TagTypeBlock, renderDefinitions, converter.PriorityEarly)
	r.RendererFor("blockquote", converter.TagTypeBlock, renderQuote, converter.PriorityEarly)
	r.RendererFor("a", converter.TagTypeInline, d.renderLink, converter.PriorityEarly)
	r.RendererFor("br", converter.TagTypeInline, renderBreak, converter.PriorityEarly)
	for tag, marks := range map[string][2]string{"sup": {"<sup>", "</sup>"}, "sub": {"<sub>", "</sub>"}, "q": {"“", "”"}, "mark": {"==", "=="}} {
		r.RendererFor(tag, converter.TagTypeInline, renderAround(marks[0], marks[1]), converter.PriorityEarly)
	}
	return c
}

// renderAround returns a renderer that puts marks around what an element holds.
func renderAround(before, after string) converter.HandleRenderFunc {
	return func(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
		content := rendered(ctx, n)
		if len(bytes.TrimSpace(content)) == 0 {
			return converter.RenderTryNext
		}
		write(w, before, string(content), after)
		return converter.RenderSuccess
	}
}

// rendered returns the rendered children of n.
func rendered(ctx converter.Context, n *html.Node) []byte {
	var b bytes.Buffer
	ctx.RenderChildNodes(ctx, &b, n)
	return b.Bytes()
}

// write writes all parts; the writers of the converter are buffers, which never fail.
func write(w converter.Writer, parts ...string) {
	for _, p := range parts {
		_, _ = w.WriteString(p)
	}
}

// finish adds notes and addresses.
func (d *document) finish(md []byte) string {
	var b strings.Builder
	b.Write(bytes.TrimSpace(md))
	for _, n := range d.notes {
		b.WriteString("\n\n[^" + n.label + "]: " + n.text)
	}
	if len(d.targets) > 0 {
		b.WriteString("\n")
	}
	for i, t := range d.targets {
		fmt.Fprintf(&b, "\n[%d]: %s", i+1, destination(t))
	}
	if s := strings.TrimSpace(b.String()); s != "" {
		return s + "\n"
	}
	return ""
}

// destination returns an address in the form for a definition: a parenthesis or a space could end it, and the rest
// would be text with links of its own.
func destination(url string) string {
	return strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20", "\n", "%0A", "\r", "%0D", "\t", "%09").Replace(url)
}
