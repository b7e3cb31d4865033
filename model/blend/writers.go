package blend

import (
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// Beside each post of a forum are details of its author: rank, number of posts, date of registration, signature. They
// are short texts that few pages share, so they look like content to features that count repetition, and the corpora
// for fitting disagree about them. To a reader they are noise, but the name is not.

// writerBoxes are the names that forum programs (phpBB, SMF, vBulletin, MyBB, FluxBB, XenForo, Invision, UseBB, Discuz)
// give to the boxes with these details: a class or id that begins with one of them.
func writerBoxes() []string {
	return []string{"postprofile", "postdetails", "posterinfo", "poster_info", "poster", "userinfo_extra", "author_statistics", "postleft",
		"message-userextras", "message-user", "cauthorpane_info", "topic-profile", "postauthor", "vtprofileinfo", "user-details", "signature"}
}

const (
	// detailWords is the most words of one of the details, boxWords the most words of their box.
	detailWords    = 15
	maxWriterWords = 60
	// detailOdds is the least log-odds of noise that a detail has.
	detailOdds = 2.5
)

// dropDetails raises the log-odds of noise of the details of authors, and of the contents of fields to copy from or to
// write into, unless that is most of the page.
func (v *view) dropDetails(odds []float32) {
	details := v.writerDetails()
	for i := range v.blocks {
		field := v.p.Elements[v.p.Blocks[i].Element].Tag == atom.Textarea && v.blocks[i].words*2 < v.total.words
		if details[i] || field {
			odds[i] = max(odds[i], detailOdds)
		}
	}
}

// WriterDetails returns the blocks with details of the authors of posts.
func WriterDetails(p *page.Page) []bool {
	return NewWith(&Weights{}).view(p, model.Key{}.Hasher(), "").writerDetails()
}

// writerDetails returns the blocks with details of authors. The first block of a box is the name. A block with a time
// of day is the date of the post.
func (v *view) writerDetails() []bool {
	in := make([]bool, len(v.blocks))
	for e := max(v.p.Body, 0) + 1; int(e) < len(v.p.Elements); {
		el := &v.p.Elements[e]
		name := v.writerBox(e)
		if name == "" || v.elems[e].words > maxWriterWords {
			e++
			continue
		}
		from := el.BlockStart
		if el.BlockEnd > from+1 && name != "signature" {
			from++
		}
		for b := from; b < el.BlockEnd; b++ {
			d := &v.blocks[b]
			in[b] = name == "signature" || d.words <= detailWords && d.shape&shapeClock == 0
		}
		e = el.Sub
	}
	return in
}

// writerBox returns the name by which e is a box with details of an author, or an empty string.
func (v *view) writerBox(e page.ElementID) string {
	if v.elems[e].blocks == 0 || v.elems[e].spot == 0 {
		return ""
	}
	for _, key := range []string{"class", "id"} {
		val, _ := v.p.Attr(e, key)
		for part := range strings.FieldsSeq(strings.ToLower(val)) {
			for _, name := range writerBoxes() {
				if part == name || strings.HasPrefix(part, name) && name != "poster" && name != "signature" {
					return name
				}
			}
		}
	}
	return ""
}
