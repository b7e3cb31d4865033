package markdown

import (
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html"
)

// renderLink writes a link in the chosen style.
func (d *document) renderLink(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	href := attr(n, "href")
	if strings.HasPrefix(href, "#") && d.options.URL != "" {
		page, _, _ := strings.Cut(d.options.URL, "#")
		href = page + href
		setAttr(n, "href", href)
	}
	if d.options.Links == Inline && href != "" {
		return converter.RenderTryNext
	}
	content := string(rendered(ctx, n))
	if strings.TrimSpace(content) == "" || href == "" || d.options.Links == Dropped {
		write(w, content)
		return converter.RenderSuccess
	}
	i, known := d.numbers[href]
	if !known {
		i = len(d.targets)
		d.numbers[href] = i
		d.targets = append(d.targets, href)
	}
	text := strings.TrimSpace(content)
	before, after, _ := strings.Cut(content, text)
	write(w, before, "[", strings.Join(strings.Fields(text), " "), "][", strconv.Itoa(i+1), "]", after)
	return converter.RenderSuccess
}

func setAttr(n *html.Node, key, val string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = val
		}
	}
}
