package blend

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// Beside each post of a forum are details of its author: rank, number of posts, date of registration, signature. They
// are short texts that few pages share, so they look like content to features that count repetition, and the corpora
// for fitting disagree about them. To a reader they are noise, but the name is not.

// writerBox is a box with details of an author.
type writerBox uint8

const (
	noBox writerBox = iota
	detailsBox
	signatureBox
)

// writerBoxOf returns the box that a class or id, in lower case, stands for. Forum programs (phpBB, SMF, vBulletin,
// MyBB, FluxBB, XenForo, Invision, UseBB, Discuz) give names to them that begin with one of these.
func writerBoxOf(name string) writerBox {
	switch name {
	case "poster":
		return detailsBox
	case "signature":
		return signatureBox
	}
	if hasAnyPrefix(name, "postprofile", "postdetails", "posterinfo", "poster_info", "userinfo_extra", "author_statistics", "postleft",
		"message-userextras", "message-user", "cauthorpane_info", "topic-profile", "postauthor", "vtprofileinfo", "user-details") {
		return detailsBox
	}
	return noBox
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
	return newReader(nil).view(p, model.Key{}.Hasher(), "").writerDetails()
}

// writerDetails returns the blocks with details of authors. The first block of a box is the name. A block with a time
// of day is the date of the post.
func (v *view) writerDetails() []bool {
	in := make([]bool, len(v.blocks))
	for e := max(v.p.Body, 0) + 1; int(e) < len(v.p.Elements); {
		el := &v.p.Elements[e]
		box := v.writerBox(e)
		if box == noBox || v.elems[e].words > maxWriterWords {
			e++
			continue
		}
		from := el.BlockStart
		if el.BlockEnd > from+1 && box != signatureBox {
			from++
		}
		for b := from; b < el.BlockEnd; b++ {
			d := &v.blocks[b]
			in[b] = box == signatureBox || d.words <= detailWords && d.shape&shapeClock == 0
		}
		e = el.Sub
	}
	return in
}

// writerBox returns the box with details of an author that e is.
func (v *view) writerBox(e page.ElementID) writerBox {
	if v.elems[e].blocks == 0 {
		return noBox
	}
	return v.elems[e].facts.box
}
