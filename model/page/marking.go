package page

import (
	"fmt"
	"slices"
	"strings"
)

// Kind says what a marked part of a page is.
type Kind uint8

// The kinds of parts, in the words of tag mode's data-winnow-kind. Content is what the reader came for. The kinds up to
// TOC are noise; Other is for noise without a better name. Article, records and record are classes of content that some
// detectors find (see [Part]). A TOC can be content or noise: data-winnow says which. So can the remaining kinds,
// depending on the page and the [Policy]. An action is what people come to use: a form, a button.
const (
	KindContent Kind = iota
	KindOther
	KindNav
	KindHeader
	KindFooter
	KindSidebar
	KindRelated
	KindAd
	KindShare
	KindCommentsForm
	KindLegal
	KindSearch
	KindCookie
	KindPagination
	KindTOC
	KindArticle
	KindRecords
	KindRecord
	KindComments
	KindByline
	KindDate
	KindCaption
	KindGrid
	KindAction
)

func kindNames() []string {
	return []string{"content", "other", "nav", "header", "footer", "sidebar", "related", "ad", "share", "comments-form", "legal", "search",
		"cookie", "pagination", "toc", "article", "records", "record", "comments", "byline", "date", "caption", "grid", "action"}
}

// String returns the name used in data-winnow-kind.
func (k Kind) String() string {
	if names := kindNames(); int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// PageKind is the kind of a whole page.
type PageKind uint8 //nolint:revive // Kind is that of a part

// The kinds of pages, in the words of tag mode's data-winnow-page. PageUnknown, the zero value, is for detectors that
// do not ask. PageOther says that no other kind fits. A PageApplication is for work rather than reading: a login, a
// checkout, a shell that scripts fill.
const (
	PageUnknown PageKind = iota
	PageArticle
	PageList
	PageProduct
	PageForum
	PageDocumentation
	PageApplication
	PageOther
)

// String returns the name used in data-winnow-page.
func (k PageKind) String() string {
	names := [...]string{"unknown", "article", "list", "product", "forum", "documentation", "application", "other"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("page(%d)", uint8(k))
}

// Verdict is the verdict on one block.
type Verdict struct {
	Noise bool
	// Score is the probability in [0,1] that the block is noise, according to the detector.
	Score float32
}

// Mark is one maximal noisy part of a page: an element whose whole subtree is removed or, if Element is None, a run of
// blocks that no element holds alone.
type Mark struct {
	Element ElementID
	// BlockStart and BlockEnd delimit the blocks that the mark removes. They may be empty, because an element without
	// text (a banner image, an empty frame) can be noise too.
	BlockStart, BlockEnd BlockID
	Kind                 Kind
	// Score is the mean Score of the mark's blocks, weighted by their length, in [0,1].
	Score float32
}

// Marking is a detector's result for one page.
type Marking struct {
	// Verdicts has one entry per block of the page.
	Verdicts []Verdict
	// Marks are disjoint and in document order.
	Marks []Mark
	// Parts are the parts that the detector names, those of one kind by descending weight, or nil. They may nest, and
	// be in noise.
	Parts []Part
	// Pages is the number of the host's pages that the marking is based on.
	Pages int
	// PageKind is the kind of the whole page.
	PageKind PageKind
	// Confidence is the F1 of the kept words that pages marked like this one had on average, in [0,1]. It is 0 from
	// detectors that do not say.
	Confidence float32
	// Thin says that very little text is kept: the page is a shell, a notice, a picture.
	Thin bool
	// Decided marks the elements that people have decided about, or is nil. No policy changes them.
	Decided []bool
	// Pass, when not empty, says why the page should pass unchanged ("application", "no-content").
	Pass string
	// Reading is what the detector has read of the page, for learning it; nil from detectors that keep nothing.
	Reading Reading
}

// Reading is what a detector has read of a page to mark it, and needs again to learn it. It is read-only, and only the
// detector looks into it.
type Reading interface {
	// IsOf reports whether it was read of p.
	IsOf(p *Page) bool
}

// Mode is a form of output.
type Mode uint8

// The modes: off leaves the page unchanged; remove removes the noise; tag only labels it; reader is a plain page of the
// content; text, markdown and json are the content in other formats. For browsers, auto removes what nothing can miss
// and hides the rest; hide only hides; lite is reader for small devices; vintage is for browsers of 1996 to 2005, with
// the forms of the page.
const (
	ModeOff Mode = iota
	ModeRemove
	ModeTag
	ModeReader
	ModeText
	ModeMarkdown
	ModeJSON
	ModeAuto
	ModeHide
	ModeLite
	ModeVintage
)

// mode is everything about a mode except its writer.
type mode struct {
	name, extension string
	// original says that the mode writes the origin's bytes, in the page's own charset.
	original bool
}

// modes are in the order of the constants.
func modes() []mode {
	return []mode{{"off", ".html", true}, {"remove", ".html", true}, {"tag", ".html", true}, {"reader", ".html", false},
		{"text", ".txt", false}, {"markdown", ".md", false}, {"json", ".json", false}, {"auto", ".html", true},
		{"hide", ".html", true}, {"lite", ".html", false}, {"vintage", ".html", false}}
}

// ModeNames returns the names of all modes.
func ModeNames() []string {
	var names []string
	for _, m := range modes() {
		names = append(names, m.name)
	}
	return names
}

// String returns the name used in flags and headers.
func (m Mode) String() string { return m.entry().name }

func (m Mode) entry() mode {
	if all := modes(); int(m) < len(all) {
		return all[m]
	}
	return mode{name: fmt.Sprintf("mode(%d)", uint8(m)), extension: ".html"}
}

// MarshalText implements encoding.TextMarshaler.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler; the error lists the names that are valid.
func (m *Mode) UnmarshalText(b []byte) error {
	if i := slices.Index(ModeNames(), string(b)); i >= 0 {
		*m = Mode(i)
		return nil
	}
	return fmt.Errorf("mode %q is not one of %s", b, strings.Join(ModeNames(), ", "))
}

// Extension is the file name extension of the mode's output, with its dot.
func (m Mode) Extension() string { return m.entry().extension }

// Original reports whether the mode writes the origin's bytes, in the page's own charset.
func (m Mode) Original() bool { return m.entry().original }
