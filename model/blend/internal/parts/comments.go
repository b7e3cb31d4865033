package parts

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
)

// Readers of an article do not come for the comments below it, although these are running text that is new on each
// page. In a forum, comments are the content.

// ArticleProse is the least number of words of running text outside the comments that make an article.
const ArticleProse = 100

// CommentBlocks returns the blocks of readers' comments below the page's title: those in elements named as comments,
// and those under a heading that announces comments.
func CommentBlocks(v *view.Page) (in []bool, found bool) {
	if v.TitleBlock == page.None {
		return nil, false
	}
	in = make([]bool, len(v.Blocks))
	title := v.Doc.Blocks[v.TitleBlock].Element
	for e := max(v.Doc.Body, 0) + 1; int(e) < len(v.Doc.Elements); {
		el := &v.Doc.Elements[e]
		if !v.Elements[e].Facts.Comment || v.Doc.Contains(e, title) || el.BlockStart < v.TitleBlock {
			e++
			continue
		}
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			in[b], found = true, true
		}
		e = el.Sub
	}
	return in, announcedComments(v, in) || found
}

const (
	// announcementWords is the most words of an announcement of comments.
	announcementWords = 6
	// manyAnnouncements is the number of blocks with the same announcement from which on it belongs to each entry of a
	// list.
	manyAnnouncements = 3
)

// announcedComments adds the blocks after an announcement of comments, to the end of its section or of the box that it
// opens. Above the article, an announcement is a link to the comments.
func announcedComments(v *view.Page, in []bool) (found bool) {
	prose := int32(0)
	for i := int(v.TitleBlock) + 1; i < len(v.Blocks); i++ {
		b := &v.Blocks[i]
		if !in[i] {
			prose += b.Prose
		}
		if in[i] || prose < ArticleProse || b.Words > announcementWords || b.SameMasked >= manyAnnouncements ||
			!vocab.AnnouncesComments(v.Texts[i].Masked()) {
			continue
		}
		end := int(v.ScopeOf(page.BlockID(i)))
		if s := v.SectionOf[i]; s >= 0 && int(v.Sections[s].Heading) == i {
			end = int(v.Sections[s].End)
		}
		for ; i < end; i++ {
			in[i], found = true, true
		}
		i--
	}
	return found
}
