package markdown

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page/write/plaintext"
)

// Parts cuts Markdown into parts of at most limit tokens, see [Tokens], for readers who take a page in several steps:
// nothing is left out. It cuts between blocks, before a heading where the part is half full by then, and inside a block
// only where that alone is too long. What is not shown on the page is marked in each part. There is one part at least.
func Parts(md string, limit int) []string {
	shown, hidden := plaintext.CutNotShown(md)
	if hidden == "" || Tokens(md) < limit {
		return parts(md, limit)
	}
	all := parts(shown, limit)
	const forMarks = 4 // of five parts: the rest is for the line before and the marks
	for _, part := range parts(hidden, max(limit*forMarks/(forMarks+1), 1)) {
		all = append(all, plaintext.WithNotShown("", part))
	}
	return all
}

// Blocks returns what Markdown shows, block by block: paragraphs, headings, lists, listings, tables. Metadata before it
// and what the page does not show are left out.
func Blocks(md string) []string {
	if head, text, ok := strings.Cut(md, "\n---\n"); ok && strings.HasPrefix(head, "---\n") {
		md = text
	}
	shown, _ := plaintext.CutNotShown(md)
	return splitBlocks(shown)
}

func parts(md string, limit int) []string {
	var parts, part []string
	size := 0
	flush := func() {
		if len(part) > 0 {
			parts, part, size = append(parts, strings.Join(part, "\n\n")), nil, 0
		}
	}
	for _, block := range splitBlocks(md) {
		if _, heading := headingOf(block); heading && size > limit/2 {
			flush()
		}
		for _, piece := range cut(block, limit) {
			// One more than the sum, as what stands between pieces counts too.
			n := Tokens(piece) + 1
			if size+n > limit {
				flush()
			}
			part = append(part, piece)
			size += n
		}
	}
	flush()
	if len(parts) == 0 {
		return []string{""}
	}
	return parts
}
