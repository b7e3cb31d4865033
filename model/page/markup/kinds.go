// Package markup says what an element is by its markup alone: its tag, attributes, class names and label. It knows the
// conventions of generators and style libraries, and nothing of a host.
package markup

import (
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// Kind returns the kind that the markup alone gives to e, or KindContent if it gives none. It is for parts that
// people ask for by kind, inside of parts that a detector names as a whole: a byline in a header, a menu in a sidebar.
func Kind(p *page.Page, e page.ElementID) page.Kind {
	el := &p.Elements[e]
	switch el.Tag {
	case atom.Nav:
		return page.KindNav
	case atom.Header:
		return page.KindHeader
	case atom.Footer:
		return page.KindFooter
	case atom.Aside:
		return page.KindSidebar
	case atom.Figcaption, atom.Caption:
		return page.KindCaption
	case atom.Time:
		return page.KindDate
	}
	for _, a := range p.Attrs(e) {
		switch a.Key {
		case "rel":
			if strings.EqualFold(a.Val, "author") {
				return page.KindByline
			}
		case "itemprop":
			switch strings.ToLower(a.Val) {
			case "author", "creator":
				return page.KindByline
			case "datepublished", "datemodified", "datecreated":
				return page.KindDate
			case "comment":
				return page.KindComments
			}
		case "role":
			switch strings.ToLower(a.Val) {
			case "navigation":
				return page.KindNav
			case "search":
				return page.KindSearch
			case "doc-toc":
				return page.KindTOC
			}
		case "id", "class":
			if k := KindByNames(a.Val); k != page.KindContent {
				return k
			}
		}
	}
	return page.KindContent
}

// KindByNames reads the names that templates give to parts, as whole words.
func KindByNames(names string) page.Kind {
	for n := range strings.FieldsSeq(strings.ToLower(names)) {
		switch strings.ReplaceAll(n, "_", "-") {
		case "comments", "comment-list", "commentlist", "comments-area", "disqus-thread", "comment-thread", "post-comments":
			return page.KindComments
		case "byline", "author", "article-author", "post-author", "entry-author", "authors", "vcard":
			return page.KindByline
		case "date", "pubdate", "published", "post-date", "entry-date", "article-date", "posted-on", "timestamp", "dateline":
			return page.KindDate
		case "caption", "wp-caption-text", "image-caption", "photo-caption":
			return page.KindCaption
		case "toc", "table-of-contents", "localtoc":
			return page.KindTOC
		case "breadcrumb", "breadcrumbs":
			return page.KindNav
		}
	}
	return page.KindContent
}
