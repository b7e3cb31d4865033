package blend

import "github.com/winnow-proxy/winnow/model/page"

// Readers of an article do not come for the comments below it, although these are running text that is new on each
// page. In a forum, comments are the content.

// articleProse is the least number of words of running text outside the comments that make an article.
const articleProse = 100

// articleOdds is the log-odds of noise below which running text counts as that of the article. Where comments are most
// of the page, the article itself may look like noise.
const articleOdds = 2

// commentOdds is the least log-odds of noise that comments under an article have.
const commentOdds = 2.5

// dropComments raises the log-odds of noise of readers' comments if the page is an article without them. It reports
// whether that is so.
func (v *outline) dropComments(odds []float32) bool {
	comments, found := v.commentBlocks()
	if !found {
		return false
	}
	prose := int32(0)
	for i := range v.blocks {
		if !comments[i] && odds[i] < articleOdds {
			prose += v.blocks[i].prose
		}
	}
	if prose < articleProse || v.declared().isForum() {
		return false
	}
	for i := range odds {
		if comments[i] {
			odds[i] = max(odds[i], commentOdds)
		}
	}
	return true
}

// commentBlocks returns the blocks of readers' comments below the page's title: those in elements named as comments,
// and those under a heading that announces comments.
func (v *view) commentBlocks() (in []bool, found bool) {
	if v.titleBlock == page.None {
		return nil, false
	}
	in = make([]bool, len(v.blocks))
	title := v.p.Blocks[v.titleBlock].Element
	for e := max(v.p.Body, 0) + 1; int(e) < len(v.p.Elements); {
		el := &v.p.Elements[e]
		if !v.elems[e].facts.comment || v.p.Contains(e, title) || el.BlockStart < v.titleBlock {
			e++
			continue
		}
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			in[b], found = true, true
		}
		e = el.Sub
	}
	return in, v.announcedComments(in) || found
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
func (v *view) announcedComments(in []bool) (found bool) {
	prose := int32(0)
	for i := int(v.titleBlock) + 1; i < len(v.blocks); i++ {
		b := &v.blocks[i]
		if !in[i] {
			prose += b.prose
		}
		if in[i] || prose < articleProse || b.words > announcementWords || b.maskedTwins >= manyAnnouncements ||
			!announcesComments(v.texts[i].masked()) {
			continue
		}
		end := int(v.scopeOf(page.BlockID(i)))
		if s := v.sectionOf[i]; s >= 0 && int(v.sections[s].heading) == i {
			end = int(v.sections[s].end)
		}
		for ; i < end; i++ {
			in[i], found = true, true
		}
		i--
	}
	return found
}

// namesComments reports whether a part of a class or id names readers' comments, in the languages of such names.
func namesComments(part string) bool {
	switch part {
	case "comment", "comments", "commentlist", "talkback", "talkbacks", "coment", "comentario", "comentarios", "comentarii", "commentaire",
		"commentaires", "commento", "commenti", "kommentar", "kommentare", "kommentarer", "kommentit", "leserkommentare", "koment",
		"komentar", "komentari", "komentare", "komentarz", "komentarze", "komentarzy", "opinia", "komment", "kommentarii", "kommentariy",
		"reactie", "reacties", "yorum", "yorumlar", "hozzaszolas", "hozzaszolasok", "pinglun":
		return true
	}
	return false
}
