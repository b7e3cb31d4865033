package page

import (
	"errors"
	"fmt"
)

// Form says how to write a page: the mode, and what the page itself does not say. The zero Form is that of mode off.
type Form struct {
	Mode Mode
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
	ScriptNames func(address string) (ScriptNames, bool)
	// InBrowser says that a browser shows the page and runs its scripts. Remove then writes what auto does, without the
	// bar: scripts, and frameworks that take a page over, would stop where something is missing.
	InBrowser bool
	// Bar is the address of winnow's page about this one, for a link in auto and hide. Empty for none.
	Bar string
	// ChunkTokens, if positive, adds pieces of about so many tokens to JSON (see [Document]).
	ChunkTokens int
	// Charset is the charset of mode vintage, as [CharsetFor] names it; empty is ISO-8859-1.
	Charset string
	// Plain reports whether the client reaches the HTTPS of a host over plain HTTP, at port 443. In mode vintage,
	// addresses there are written so. Nil reports no host.
	Plain func(host string) bool
	// PictureWidth is how many pixels wide mode vintage shows a picture; 0 is any width.
	PictureWidth int
	// Done ends the work early where it is closed: what comes out then is not to be used. Nil never ends it.
	Done <-chan struct{}
}

// errDone says that nobody waits for the output any more.
var errDone = errors.New("writing a page: nobody waits for it any more")

// over reports whether nobody waits for the output any more.
func (f Form) over() bool { return isOver(f.Done) }

// isOver reports whether done is closed. Whatever goes through all elements of a page asks at each of them.
func isOver(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
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
// safely in that mode, and that the caller should send the origin's bytes. With [ErrUnplaced] there is an output
// anyway, which still contains the noise without a place.
//
// Off, remove, tag, auto and hide write in the page's own charset, vintage in Charset, the other modes in UTF-8. JSON
// is a [Document].
func (f Form) Write(p *Page, m *Marking) (*Output, error) {
	out, err := f.write(p, m)
	if f.over() {
		return nil, errDone
	}
	return out, err
}

func (f Form) write(p *Page, m *Marking) (*Output, error) {
	if len(m.Verdicts) != len(p.Blocks) {
		return nil, fmt.Errorf("writing a page of %d blocks: the marking has %d verdicts", len(p.Blocks), len(m.Verdicts))
	}
	switch f.Mode {
	case ModeOff:
		return p.output(Edits{}, p.Source, "text/html", 0)
	case ModeRemove:
		if f.InBrowser {
			return p.writeHidden(m, f, true)
		}
		return p.writeRemoved(m, f)
	case ModeTag:
		return p.writeTagged(m, f)
	case ModeAuto:
		return p.writeHidden(m, f, true)
	case ModeHide:
		return p.writeHidden(m, f, false)
	case ModeReader, ModeLite:
		return p.writeReader(m, f)
	case ModeVintage:
		return p.writeVintage(m, f)
	case ModeText:
		return p.writeText(m, f)
	case ModeMarkdown:
		return p.writeMarkdown(m, f)
	case ModeJSON:
		return p.writeJSON(m, f)
	}
	return nil, fmt.Errorf("writing a page: %s is not a mode", f.Mode)
}
