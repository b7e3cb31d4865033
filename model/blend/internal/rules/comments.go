package rules

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
)

// articleOdds is the log-odds of noise below which running text counts as that of the article. Where comments are most
// of the page, the article itself may look like noise.
const articleOdds = 2

// commentOdds is the least log-odds of noise that comments under an article have.
const commentOdds = 2.5

// dropComments raises the log-odds of noise of readers' comments if the page is an article without them. It reports
// whether that is so.
func dropComments(v *parts.Outline, odds []float32) bool {
	comments, found := parts.CommentBlocks(v.Page)
	if !found {
		return false
	}
	prose := int32(0)
	for i := range v.Blocks {
		if !comments[i] && odds[i] < articleOdds {
			prose += v.Blocks[i].Prose
		}
	}
	if prose < parts.ArticleProse || v.Declared().IsForum() {
		return false
	}
	for i := range odds {
		if comments[i] {
			odds[i] = max(odds[i], commentOdds)
		}
	}
	return true
}
