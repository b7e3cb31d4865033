package page

import "fmt"

// Kind says what a marked part of a page is.
type Kind uint8

// The kinds of parts, in the words of tag mode's data-winnow-kind. Content is what the reader came for. The kinds up to
// TOC are noise; Other is for noise without a better name. Article, records and record are classes of content that some
// detectors find (see [Part]). A TOC can be content or noise: data-winnow says which. So can the remaining kinds,
// depending on the page and the [policy.Policy]. An action is what people come to use: a form, a button.
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
