package page

import (
	"fmt"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
)

// writeMarkdown writes the content as GitHub-flavoured Markdown (RFC 7763).
func (p *Page) writeMarkdown(m *Marking) (*Output, error) {
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(
			table.WithHeaderPromotion(true), // a table without a header is none in this dialect
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
		),
	))
	md, err := c.ConvertString(p.readerBody(m))
	if err != nil {
		return nil, fmt.Errorf("writing a page as Markdown: %w", err)
	}
	if md != "" {
		md += "\n"
	}
	return &Output{Body: []byte(md), ContentType: "text/markdown; charset=utf-8; variant=GFM", Removed: p.removedShare(m)}, nil
}
