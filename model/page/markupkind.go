package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// kindByMarkup returns the kind that the markup alone gives to e, or KindContent if it gives none. It is for parts that
// people ask for by kind, inside of parts that a detector names as a whole: a byline in a header, a menu in a sidebar.
func (p *Page) kindByMarkup(e ElementID) Kind {
	el := &p.Elements[e]
	switch el.Tag {
	case atom.Nav:
		return KindNav
	case atom.Header:
		return KindHeader
	case atom.Footer:
		return KindFooter
	case atom.Aside:
		return KindSidebar
	case atom.Figcaption, atom.Caption:
		return KindCaption
	case atom.Time:
		return KindDate
	}
	for _, a := range p.Attrs(e) {
		switch a.Key {
		case "rel":
			if strings.EqualFold(a.Val, "author") {
				return KindByline
			}
		case "itemprop":
			switch strings.ToLower(a.Val) {
			case "author", "creator":
				return KindByline
			case "datepublished", "datemodified", "datecreated":
				return KindDate
			case "comment":
				return KindComments
			}
		case "role":
			switch strings.ToLower(a.Val) {
			case "navigation":
				return KindNav
			case "search":
				return KindSearch
			case "doc-toc":
				return KindTOC
			}
		case "id", "class":
			if k := kindByWords(a.Val); k != KindContent {
				return k
			}
		}
	}
	return KindContent
}

// kindByWords reads the names that templates give to parts, as whole words.
func kindByWords(names string) Kind {
	for n := range strings.FieldsSeq(strings.ToLower(names)) {
		switch strings.ReplaceAll(n, "_", "-") {
		case "comments", "comment-list", "commentlist", "comments-area", "disqus-thread", "comment-thread", "post-comments":
			return KindComments
		case "byline", "author", "article-author", "post-author", "entry-author", "authors", "vcard":
			return KindByline
		case "date", "pubdate", "published", "post-date", "entry-date", "article-date", "posted-on", "timestamp", "dateline":
			return KindDate
		case "caption", "wp-caption-text", "image-caption", "photo-caption":
			return KindCaption
		case "toc", "table-of-contents", "localtoc":
			return KindTOC
		case "breadcrumb", "breadcrumbs":
			return KindNav
		}
	}
	return KindContent
}
