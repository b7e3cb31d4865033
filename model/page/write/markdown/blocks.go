package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// renderOrdered writes a numbered list. It obeys start, and the value of an item.
func renderOrdered(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	number, step := 1, 1
	if start, err := strconv.Atoi(attr(n, "start")); err == nil {
		number = start
	}
	var items []string
	for c := range n.ChildNodes() {
		if value, err := strconv.Atoi(attr(c, "value")); err == nil {
			number = value
		}
		var b bytes.Buffer
		ctx.RenderNodes(ctx, &b, c)
		content := blockText(ctx, b.Bytes())
		if content == "" {
			continue
		}
		prefix := strconv.Itoa(max(number, 0)) + ". " // Markdown has no negative numbers
		items = append(items, prefix+indent(content, strings.Repeat(" ", len(prefix))))
		number += step
	}
	write(w, "\n\n", strings.Join(items, "\n"), "\n\n")
	return converter.RenderSuccess
}

// renderDefinitions writes a definition list in the syntax of PHP Markdown Extra and Pandoc.
func renderDefinitions(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	write(w, "\n\n")
	definitions(ctx, w, n)
	write(w, "\n\n")
	return converter.RenderSuccess
}

func definitions(ctx converter.Context, w converter.Writer, n *html.Node) {
	for c := range n.ChildNodes() {
		content := blockText(ctx, rendered(ctx, c))
		switch {
		case c.DataAtom == atom.Div:
			definitions(ctx, w, c)
		case content == "":
		case c.DataAtom == atom.Dt:
			write(w, "\n\n", strings.ReplaceAll(content, "\n", " "))
		case c.DataAtom == atom.Dd:
			write(w, "\n:   ", indent(content, "    "))
		default:
			write(w, "\n\n", content)
		}
	}
}

// renderQuote writes a quotation. One with a kind is an admonition in the syntax of GitHub: its kind, and then the
// title if that says more than the kind.
func renderQuote(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	var head []string
	if kind := attr(n, "class"); kind != "" {
		head = append(head, "[!"+strings.ToUpper(kind)+"]")
		if title := cutTitle(n); title != "" {
			head = append(head, "**"+title+"**", "")
		}
	}
	content := blockText(ctx, rendered(ctx, n))
	if content == "" && len(head) < 2 {
		return converter.RenderSuccess
	}
	write(w, "\n\n", quoted(strings.Join(append(head, content), "\n")), "\n\n")
	return converter.RenderSuccess
}

// quoted puts the mark of a quotation before every line, those of listings too.
func quoted(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, string(marker.MarkerCodeBlockNewline), "\n"), "\n")
	for i, line := range lines {
		if lines[i] = "> " + line; strings.TrimSpace(line) == "" {
			lines[i] = ">"
		}
	}
	return strings.Join(lines, "\n")
}

// cutTitle removes the title of an admonition and returns it, or an empty string if it only names a common kind.
func cutTitle(n *html.Node) string {
	for c := range n.ChildNodes() {
		if isBlank(c) {
			continue
		}
		title, named := titleOf(c)
		if title == nil {
			return ""
		}
		text := strings.TrimSpace(textOf(title))
		switch kind := strings.ToLower(strings.TrimRight(text, ": ")); kind {
		case "note", "info", "tip", "hint", "important", "warning", "caution", "attention", "danger":
			text = ""
		default:
			if !named {
				return ""
			}
		}
		title.Parent.RemoveChild(title)
		return text
	}
	return ""
}

// titleOf returns the title at the start of an admonition, and whether it is named as one: else it is strong text.
func titleOf(first *html.Node) (title *html.Node, named bool) {
	if attr(first, "class") == "title" {
		return first, true
	}
	if first.DataAtom == atom.P && first.FirstChild != nil && first.FirstChild.DataAtom == atom.Strong {
		return first.FirstChild, false
	}
	return nil, false
}

// renderTask writes the box of an item in a list of tasks.
func renderTask(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	box := "[ ]"
	for _, a := range n.Attr {
		if a.Key == "checked" {
			box = "[x]"
		}
	}
	write(w, box)
	if next := n.NextSibling; next == nil || next.Type != html.TextNode || !strings.HasPrefix(next.Data, " ") {
		write(w, " ")
	}
	return converter.RenderSuccess
}

// blockText returns rendered content without empty lines at its ends, no two of them in a row. Line feeds of listings
// are marked until the end, so that they stay.
func blockText(ctx converter.Context, content []byte) string {
	s := string(ctx.UnEscapeContent(bytes.TrimSpace(content)))
	for strings.Contains(s, "\n\n\n") {
		s = strings.ReplaceAll(s, "\n\n\n", "\n\n")
	}
	return s
}

// indent indents all lines but the first, those of listings too.
func indent(s, by string) string {
	s = strings.ReplaceAll(s, string(marker.MarkerCodeBlockNewline), string(marker.MarkerCodeBlockNewline)+by)
	lines := strings.Split(s, "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" {
			lines[i] = by + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
