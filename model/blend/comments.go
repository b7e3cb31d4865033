package blend

import "github.com/winnow-proxy/winnow/model/page"

// Readers of an article do not come for the comments below it, although these are running text that is new on each
// page. In a forum, comments are the content.

// articleProse is the least number of words of running text outside the comments that make an article.
const articleProse = 100

// commentOdds is the least log-odds of noise that comments under an article have.
const commentOdds = 2.5

// dropComments raises the log-odds of noise of readers' comments if the page is an article without them. It reports
// whether that is so.
func (v *view) dropComments(odds []float32) bool {
	comments, found := v.commentBlocks()
	if !found {
		return false
	}
	prose := int32(0)
	for i := range v.blocks {
		if !comments[i] && odds[i] < 0 {
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

// commentBlocks returns the blocks in elements whose class, id or type names them as comments and that do not contain the page's title.
func (v *view) commentBlocks() (in []bool, found bool) {
	if v.titleBlock == page.None {
		return nil, false
	}
	in = make([]bool, len(v.blocks))
	title := v.p.Blocks[v.titleBlock].Element
	for e := max(v.p.Body, 0) + 1; int(e) < len(v.p.Elements); {
		el := &v.p.Elements[e]
		if !v.elems[e].names.has(groupComment) || v.p.Contains(e, title) || el.BlockStart < v.titleBlock || !v.elems[e].facts.comment {
			e++
			continue
		}
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			in[b], found = true, true
		}
		e = el.Sub
	}
	return in, found
}
