package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// inspectCmd is winnow inspect.
type inspectCmd struct {
	storeFlags
	Host  siteName `placeholder:"NAME" help:"Judge the files with what was learned of this host; otherwise with what they show themselves."`
	Depth int      `default:"12" help:"Levels of a style tree to show."`
	What  []string `arg:"" placeholder:"HOST|FILE" help:"Hosts whose style tree to show, or files whose marks to show; - is standard input."`
}

// Help gives examples.
func (*inspectCmd) Help() string {
	return `A file is shown block by block: its noise dimmed, with its kind and the probability that it is noise, after the parts that the detector names (articles, tables of contents, lists of records), with their weight. A host is shown as the style tree that was learned of it: each kind of place on its pages, on how many pages it stands and how important it is, from 0 (the same everywhere) to 1 (different everywhere).

Examples:

  winnow inspect page.html
  winnow inspect --host example.org page.html
  winnow inspect example.org`
}

// Run inspects each argument.
func (c *inspectCmd) Run(ctx context.Context, p *program) error {
	var errs []error
	for i, what := range c.What {
		if len(c.What) > 1 {
			fmt.Fprintf(p.stdout, "%s%s\n", strings.Repeat("\n", min(i, 1)), p.paint()("1", what+":"))
		}
		err := c.file(ctx, p, what)
		if errors.Is(err, fs.ErrNotExist) {
			err = c.host(ctx, p, what)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	return errors.Join(errs...)
}

// file shows a page with its marks. It returns fs.ErrNotExist for a host.
func (c *inspectCmd) file(ctx context.Context, p *program, name string) error {
	in := input{file: name}
	if name == "-" {
		data, err := readAtMost(p.stdin, maxInput)
		if err != nil {
			return err
		}
		in = input{data: data}
	} else if _, err := os.Stat(name); err != nil {
		return err
	}
	src, err := in.read()
	if err != nil {
		return err
	}
	pg, err := page.Parse(src, "")
	if err != nil {
		return err
	}
	m, err := c.judge(ctx, p, pg)
	if err != nil {
		return err
	}
	m = p.overrides.For(string(c.Host)).Apply(pg, m)
	return printMarks(p, pg, m)
}

// judge marks the page with the model of --host, or with none.
func (c *inspectCmd) judge(ctx context.Context, p *program, pg *page.Page) (m *page.Marking, err error) {
	if c.Host != "" {
		err = c.with(ctx, p, c.openExisting, func(models *cache.Models) error {
			m, err = models.Mark(ctx, string(c.Host), pg, model.Visit{})
			return err
		})
		return m, err
	}
	d, err := detectorNamed(c.Detector)
	if err != nil {
		return nil, err
	}
	return d.New(model.NewKey()).Mark(pg, model.Visit{}), nil
}

// printMarks prints the blocks in order: kind, score and text.
func printMarks(p *program, pg *page.Page, m *page.Marking) error {
	paint := p.paint()
	kinds := m.Kinds()
	var b strings.Builder
	fmt.Fprintf(&b, "%d blocks, %d marks, judged with %d pages of the host\n", len(pg.Blocks), len(m.Marks), m.Pages)
	if m.PageKind != page.PageUnknown {
		fmt.Fprintf(&b, "kind of page: %s\n", m.PageKind)
	}
	printParts(&b, m)
	if m.Pass != "" {
		fmt.Fprintf(&b, "the page would pass untouched: %s\n", m.Pass)
	}
	var text []byte
	for i, v := range m.Verdicts {
		text = pg.BlockText(text[:0], page.BlockID(i))
		line := fmt.Sprintf("%-13s %.2f  %s", kinds[i], v.Score, printable(text))
		switch {
		case !v.Noise:
		case v.Score >= 0.8:
			line = paint("2;31", line)
		default:
			line = paint("31", line)
		}
		fmt.Fprintln(&b, line)
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}

// printParts lists the parts that the detector names: kind, weight, and which blocks they are, counted from 1.
func printParts(w io.Writer, m *page.Marking) {
	for _, part := range m.Parts {
		where := "no block of its own"
		if part.BlockStart < part.BlockEnd {
			where = fmt.Sprintf("blocks %d to %d", part.BlockStart+1, part.BlockEnd)
		}
		if part.Kind == page.KindRecords {
			where += fmt.Sprintf(", %d records", len(part.Records))
		}
		fmt.Fprintf(w, "%-13s %.2f  %s\n", part.Kind, part.Weight, where)
	}
}

// printable puts text on one line. Control characters go: a page must not steer the reader's terminal.
func printable(text []byte) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, string(text))
	return strings.Join(strings.Fields(clean), " ")
}
