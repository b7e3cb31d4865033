package console

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is a table of texts. The first column names the row.
type Table struct {
	Head []string
	Rows [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Text writes the table for people: the first column is left-aligned, all others right-aligned.
func (t Table) Text(b *strings.Builder, paint Painter) {
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	line := func(row []string) string {
		var l strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				l.WriteString(cell + pad)
				continue
			}
			l.WriteString("   " + pad + cell)
		}
		return strings.TrimRight(l.String(), " ")
	}
	fmt.Fprintln(b, paint("1", line(t.Head)))
	for _, row := range t.Rows {
		fmt.Fprintln(b, line(row))
	}
}

// WriteMarkdown writes tables in Markdown. Cells must not contain a vertical bar.
func WriteMarkdown(w io.Writer, tables []Table) error {
	var b strings.Builder
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(t.Head, " | "), strings.Repeat("---|", len(t.Head)))
		for _, row := range t.Rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
