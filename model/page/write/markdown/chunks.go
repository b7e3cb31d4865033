package markdown

import (
	"strings"
	"unicode/utf8"
)

// Chunk is a piece of a document that can be read by itself.
type Chunk struct {
	// Path are the headings above the piece, from the outermost in.
	Path []string `json:"path"`
	// Text is Markdown.
	Text string `json:"text"`
	// Tokens is about how many tokens a language model makes of Path and Text, see [Tokens].
	Tokens int `json:"tokens"`
}

// Tokens estimates the tokens that a language model makes of a text: one for four bytes of ASCII, one for each other
// character but half a token for letters of two bytes (Latin, Greek, Cyrillic).
func Tokens(text string) int { return tokensOf(quarters(text)) }

// quarters is the length of a text in quarters of a token. It adds up.
func quarters(text string) int {
	n := 0
	for _, r := range text {
		switch utf8.RuneLen(r) {
		case 1:
			n++
		case 2:
			n += 2
		default:
			n += 4
		}
	}
	return n
}

func tokensOf(quarters int) int { return (quarters + 3) / 4 }

// Chunks cuts Markdown into pieces of at most limit tokens, headings counted. It cuts before headings, else between
// blocks, and inside a block only where that alone is too long, there between lines or words.
func Chunks(md string, limit int) []Chunk {
	c := chunker{limit: max(limit, 16)}
	for _, block := range splitBlocks(md) {
		c.add(block)
	}
	c.flush()
	return c.chunks
}

type chunker struct {
	limit  int
	path   []heading
	blocks []string
	// length is that of the blocks with what goes between them, in quarters.
	length int
	chunks []Chunk
}

// maxHeading is the most bytes of a heading that stand above a piece: each piece has all that it is under.
const maxHeading = 300

type heading struct {
	level int
	text  string
}

func (c *chunker) add(block string) {
	if h, ok := headingOf(block); ok {
		c.flush()
		for len(c.path) > 0 && c.path[len(c.path)-1].level >= h.level {
			c.path = c.path[:len(c.path)-1]
		}
		c.path = append(c.path, h)
		return
	}
	room := max(c.limit-Tokens(strings.Join(c.headings(), " ")), c.limit/2)
	if length := c.length + quarters(block) + len(between); tokensOf(length-len(between)) <= room {
		c.blocks, c.length = append(c.blocks, block), length
		return
	}
	c.flush()
	for _, part := range cut(block, room) {
		c.flush()
		c.blocks, c.length = append(c.blocks, part), quarters(part)+len(between)
	}
}

// between goes between the blocks of a piece.
const between = "\n\n"

func (c *chunker) headings() []string {
	path := make([]string, len(c.path))
	for i, h := range c.path {
		path[i] = h.text
	}
	return path
}

func (c *chunker) flush() {
	if len(c.blocks) == 0 {
		return
	}
	text, path := strings.Join(c.blocks, between), c.headings()
	c.chunks = append(c.chunks, Chunk{Path: path, Text: text, Tokens: Tokens(strings.Join(path, " ") + text)})
	c.blocks, c.length = nil, 0
}

// headingOf reads a heading of the form "## Title".
func headingOf(block string) (heading, bool) {
	level := len(block) - len(strings.TrimLeft(block, "#"))
	if level == 0 || level > 6 || !strings.HasPrefix(block[level:], " ") || strings.Contains(block, "\n") {
		return heading{}, false
	}
	text := strings.TrimSpace(block[level:])
	if len(text) > maxHeading {
		text = strings.ToValidUTF8(text[:maxHeading], "") + "…"
	}
	return heading{level, text}, true
}

// splitBlocks splits Markdown at empty lines that do not stand in a listing.
func splitBlocks(md string) (blocks []string) {
	var block []string
	fence := ""
	flush := func() {
		if len(block) > 0 {
			blocks = append(blocks, strings.Join(block, "\n"))
			block = nil
		}
	}
	for line := range strings.SplitSeq(md, "\n") {
		trimmed := strings.TrimLeft(line, " >")
		switch mark := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]; {
		case fence == "" && len(mark) >= 3:
			fence = mark
		case fence != "" && trimmed == fence:
			fence = ""
		case fence == "" && strings.TrimSpace(line) == "":
			flush()
			continue
		}
		block = append(block, line)
	}
	flush()
	return blocks
}

// cut cuts a block that is too long between lines, and lines between words.
func cut(block string, limit int) []string {
	if Tokens(block) <= limit {
		return []string{block}
	}
	pieces, sep := strings.Split(block, "\n"), "\n"
	if len(pieces) == 1 {
		pieces, sep = strings.Fields(block), " "
	}
	if len(pieces) == 1 {
		runes := []rune(block)
		return append(cut(string(runes[:len(runes)/2]), limit), cut(string(runes[len(runes)/2:]), limit)...)
	}
	var parts []string
	var part strings.Builder
	length := 0 // of part, in quarters
	for _, p := range pieces {
		for _, q := range cut(p, limit) {
			n := quarters(q)
			if part.Len() > 0 && tokensOf(length+len(sep)+n) > limit {
				parts = append(parts, part.String())
				part.Reset()
				length = 0
			}
			if part.Len() > 0 {
				part.WriteString(sep)
				length += len(sep)
			}
			part.WriteString(q)
			length += n
		}
	}
	return append(parts, part.String())
}
