// Package write turns a page and its marking into an output. [Form] says how; a package for each family of modes does
// it.
package write

import (
	"context"
	"fmt"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/fill"
	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
	"github.com/winnow-proxy/winnow/model/page/write/markdown"
	"github.com/winnow-proxy/winnow/model/page/write/plaintext"
	"github.com/winnow-proxy/winnow/model/page/write/reader"
	"github.com/winnow-proxy/winnow/model/page/write/script"
	"github.com/winnow-proxy/winnow/model/page/write/source"
	"github.com/winnow-proxy/winnow/model/page/write/vintage"
)

// Form says how to write a page: the mode, and what the page itself does not say. The zero Form is that of mode off.
type Form struct {
	Mode page.Mode
	// URL is the absolute address of the page, if it is known. Reader, Markdown and JSON then have absolute addresses,
	// and name it.
	URL string
	// Links says how Markdown writes links.
	Links LinkStyle
	// FrontMatter puts the page's metadata before the Markdown, as YAML.
	FrontMatter bool
	// CSP are the values of the page's Content-Security-Policy header fields. Auto and hide add no style that they forbid.
	CSP []string
	// ScriptNames returns the names in the script file at an absolute address, if they are known. With them, auto cuts
	// more, because otherwise it has to guess what a script looks for. nil knows none.
	ScriptNames func(address string) (script.Names, bool)
	// InBrowser says that a browser shows the page and runs its scripts. Remove then writes what auto does, without the
	// bar: scripts, and frameworks that take a page over, would stop where something is missing.
	InBrowser bool
	// Bar is the address of winnow's page about this one, for a link in auto, hide, reader and lite. Empty for none.
	Bar string
	// Sheet is the address of winnow's own page that the bar opens over this one; empty lets it lead to Bar.
	Sheet string
	// Styles is the address below which winnow's own host serves [source.Styles]; empty puts them into the page.
	Styles string
	// ChunkTokens, if positive, adds pieces of about so many tokens to JSON (see [jsondoc.Document]).
	ChunkTokens int
	// Charset is the charset of mode vintage, as [vintage.CharsetFor] names it; empty is ISO-8859-1.
	Charset string
	// Plain reports whether the client reaches the HTTPS of a host over plain HTTP, at port 443. In mode vintage,
	// addresses there are written so. Nil reports no host.
	Plain func(host string) bool
	// PictureWidth is how many pixels wide mode vintage shows a picture; 0 is any width.
	PictureWidth int
	// Done ends the work early where it is closed: what comes out then is not to be used. Nil never ends it.
	Done <-chan struct{}
}

// LinkStyle says how Markdown writes links.
type LinkStyle uint8

// The styles: links with their address, with a number for an address at the end of the text, and as text only.
const (
	LinksInline LinkStyle = iota
	LinksFootnote
	LinksNone
)

func linkStyles() []string { return []string{"inline", "footnote", "none"} }

// String returns the name used in flags.
func (s LinkStyle) String() string {
	if n := linkStyles(); int(s) < len(n) {
		return n[s]
	}
	return fmt.Sprintf("links(%d)", uint8(s))
}

// MarshalText implements encoding.TextMarshaler.
func (s LinkStyle) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler; the error lists the names that are valid.
func (s *LinkStyle) UnmarshalText(b []byte) error {
	for i, n := range linkStyles() {
		if n == string(b) {
			*s = LinkStyle(i)
			return nil
		}
	}
	return fmt.Errorf("links %q: want inline, footnote or none", b)
}

// Write writes the page without its noise, or with the noise tagged. An error means that the page can't be written
// safely in that mode, and that the caller should send the origin's bytes. With [source.ErrUnplaced] there is an output
// anyway, which still contains the noise without a place.
//
// Off, remove, tag, auto and hide write in the page's own charset, vintage in Charset, the other modes in UTF-8. JSON
// is a [jsondoc.Document].
func (f Form) Write(p *page.Page, m *page.Marking) (*source.Output, error) {
	out, err := f.write(p, m)
	if page.IsDone(f.Done) {
		return nil, page.ErrDone
	}
	return out, err
}

func (f Form) write(p *page.Page, m *page.Marking) (*source.Output, error) {
	if len(m.Verdicts) != len(p.Blocks) {
		return nil, fmt.Errorf("writing a page of %d blocks: the marking has %d verdicts", len(p.Blocks), len(m.Verdicts))
	}
	switch f.Mode {
	case page.ModeOff:
		return source.Unchanged(p)
	case page.ModeRemove:
		if f.InBrowser {
			return source.Hide(p, m, f.hiding(true))
		}
		return source.Remove(p, m, f.Done)
	case page.ModeTag:
		return source.Tag(p, m, f.Done)
	case page.ModeAuto:
		return source.Hide(p, m, f.hiding(true))
	case page.ModeHide:
		return source.Hide(p, m, f.hiding(false))
	}
	body, contentType, err := f.content(p, m)
	if err != nil {
		return nil, err
	}
	return &source.Output{Body: body, ContentType: contentType, Removed: p.RemovedShare(m)}, nil
}

// hiding says how the form hides noise; if cutting is set, it cuts what nothing can miss.
func (f Form) hiding(cutting bool) source.HideOptions {
	return source.HideOptions{URL: f.URL, CSP: f.CSP, Cutting: cutting, ScriptNames: f.ScriptNames, Bar: f.Bar, Sheet: f.Sheet, Styles: f.Styles, Done: f.Done}
}

// content writes the content of the page as a document of its own.
func (f Form) content(p *page.Page, m *page.Marking) (body []byte, contentType string, err error) {
	const html, plain = "text/html; charset=utf-8", "text/plain; charset=utf-8"
	switch f.Mode {
	case page.ModeReader, page.ModeLite:
		return reader.Write(p, m, reader.Options{URL: f.URL, Original: f.Bar, Lite: f.Mode == page.ModeLite, Done: f.Done}), html, nil
	case page.ModeVintage:
		return vintage.Write(p, m, vintage.Options{URL: f.URL, Charset: f.Charset, Plain: f.Plain, PictureWidth: f.PictureWidth, Done: f.Done})
	case page.ModeText:
		return plaintext.Write(p, m, f.Done), plain, nil
	case page.ModeMarkdown:
		body, err = markdown.Write(p, m, f.markdown(), f.FrontMatter)
		return body, "text/markdown; charset=utf-8; variant=GFM", err
	case page.ModeJSON:
		body, err = jsondoc.Write(p, m, jsondoc.Options{Markdown: f.markdown(), ChunkTokens: f.ChunkTokens})
		return body, "application/json", err
	}
	return nil, "", fmt.Errorf("writing a page: %s is not a mode", f.Mode)
}

func (f Form) markdown() markdown.Options {
	return markdown.Options{Links: markdown.Links(f.Links), URL: f.URL, Done: f.Done}
}

// Basis returns the page that the form is written from: for what programs and devices without scripts get, the page as
// [fill.Page] fills it. Browsers get the page as it is, because its scripts fill it there.
func (f Form) Basis(ctx context.Context, p *page.Page) *page.Page {
	if !f.fills() {
		return p
	}
	return fill.Page(ctx, p)
}

// fills reports whether nobody runs the scripts of a page in the form.
func (f Form) fills() bool {
	switch f.Mode {
	case page.ModeRemove:
		return !f.InBrowser
	case page.ModeReader, page.ModeLite, page.ModeVintage, page.ModeText, page.ModeMarkdown, page.ModeJSON:
		return true
	}
	return false
}

// Page is [Form.Write] of a form that is only a mode.
func Page(p *page.Page, m *page.Marking, mode page.Mode) (*source.Output, error) {
	return Form{Mode: mode}.Write(p, m)
}

// Output is a page written in one mode.
type Output = source.Output
