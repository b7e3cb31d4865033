package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/fill"
	"github.com/winnow-proxy/winnow/model/styletree"
	"github.com/winnow-proxy/winnow/model/taught"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// inspectCmd is winnow inspect.
type inspectCmd struct {
	flags.Store
	Host  flags.SiteName `placeholder:"NAME" help:"Mark the files with the model of this host, not only by what they show themselves."`
	Why   bool           `help:"Say below each block what its verdict rests on: what speaks for noise (+) and for content (-), in log-odds."`
	Depth int            `default:"12" help:"Levels of a style tree to show."`
	What  []string       `arg:"" placeholder:"HOST|FILE" help:"Hosts whose style tree to show, or files whose marks to show; - is standard input."`
}

// Help gives examples.
func (*inspectCmd) Help() string {
	return `For a file, it shows the parts that the detector names (articles, tables of contents, lists of records) with their weight, and then each block with its kind and the probability that it is noise; noise is dimmed. For a host, it shows the style tree that was learned: each element in its position, the number of pages that have it, and how important it is, from 0 (the same everywhere) to 1 (different everywhere).

Examples:

  winnow inspect page.html
  winnow inspect --why page.html
  winnow inspect --host example.org page.html
  winnow inspect example.org`
}

// Run inspects each argument.
func (c *inspectCmd) Run(ctx context.Context, p *console.Console, log *logs.Log, conf *settings.Parsed) error {
	var errs []error
	for i, what := range c.What {
		if len(c.What) > 1 {
			fmt.Fprintf(p.Stdout, "%s%s\n", strings.Repeat("\n", min(i, 1)), p.Paint()("1", what+":"))
		}
		if u, err := url.Parse(what); err == nil && u.Host != "" {
			errs = append(errs, console.Usagef("%s: inspect fetches nothing: save the page and give the file, or give the host %s", what, u.Host))
			continue
		}
		err := c.file(ctx, p, log, conf, what)
		if errors.Is(err, fs.ErrNotExist) {
			err = c.host(ctx, p, log, what)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	return errors.Join(errs...)
}

// file shows a page with its marks. It returns fs.ErrNotExist for a host.
func (c *inspectCmd) file(ctx context.Context, p *console.Console, log *logs.Log, conf *settings.Parsed, name string) error {
	in := saved.Page{File: name}
	if name == "-" {
		data, err := saved.ReadAtMost(p.Stdin, saved.MaxPage)
		if err != nil {
			return err
		}
		in = saved.Page{Data: data}
	} else if _, err := os.Stat(name); err != nil {
		return err
	}
	src, err := in.Read()
	if err != nil {
		return err
	}
	pg, err := page.Parse(src, "")
	if err != nil {
		return err
	}
	pg = fill.Page(ctx, pg)
	m, evidence, err := c.judge(ctx, log, pg)
	if err != nil {
		return err
	}
	if c.Why && evidence == nil {
		return console.Usagef("--why: the detector %s can't say what its verdicts rest on", c.Detector)
	}
	m = conf.Rules.For(string(c.Host)).Apply(pg, m)
	return printMarks(p, pg, m, evidence)
}

// judge marks the page with the model of --host, or with none. evidence is nil where nobody asks for it.
func (c *inspectCmd) judge(ctx context.Context, log *logs.Log, pg *page.Page) (m *page.Marking, evidence [][]model.Evidence, err error) {
	if c.Host != "" {
		err = flags.With(ctx, log.Logger, c.opener(string(c.Host)), func(models *cache.Models) error {
			if m, err = models.Mark(ctx, string(c.Host), pg, model.Visit{}); err == nil && c.Why {
				evidence, err = models.Explain(ctx, string(c.Host), pg, model.Visit{})
			}
			return err
		})
		return m, evidence, err
	}
	d, err := flags.Detector(c.Detector)
	if err != nil {
		return nil, nil, err
	}
	h := d.New(model.NewKey())
	if explainer, ok := h.(model.Explainer); ok && c.Why {
		evidence = explainer.Explain(pg, model.Visit{})
	}
	return h.Mark(pg, model.Visit{}), evidence, nil
}

// opener returns a function that opens the models for one host.
func (c *inspectCmd) opener(site string) func(context.Context, *slog.Logger) (*cache.Models, error) {
	return func(ctx context.Context, log *slog.Logger) (*cache.Models, error) {
		return c.OpenHost(ctx, log, site)
	}
}

// maxReasons is how much of the evidence about a block is printed.
const maxReasons = 4

// reasons returns the weightiest evidence about a block in words.
func reasons(evidence []model.Evidence) string {
	var words []string
	for _, e := range evidence[:min(len(evidence), maxReasons)] {
		words = append(words, fmt.Sprintf("%+.1f %s", e.Weight, e.Words))
	}
	return strings.Join(words, ", ")
}

// printMarks prints the blocks in order: kind, score and text, and the evidence where there is some.
func printMarks(p *console.Console, pg *page.Page, m *page.Marking, evidence [][]model.Evidence) error {
	paint := p.Paint()
	kinds := m.Kinds()
	var b strings.Builder
	fmt.Fprintf(&b, "%d blocks, %d marks, based on %d pages of the host\n", len(pg.Blocks), len(m.Marks), m.Pages)
	if m.PageKind != page.PageUnknown {
		fmt.Fprintf(&b, "kind of page: %s\n", m.PageKind)
	}
	printParts(&b, m)
	if m.Pass != "" {
		fmt.Fprintf(&b, "the page would pass unchanged: %s\n", m.Pass)
	}
	var text []byte
	for i, v := range m.Verdicts {
		text = pg.BlockText(text[:0], page.BlockID(i))
		line := fmt.Sprintf("%-13s %.2f  %s", kinds[i], v.Score, console.Printable(string(text)))
		switch {
		case !v.Noise:
		case v.Score >= 0.8:
			line = paint("2;31", line)
		default:
			line = paint("31", line)
		}
		fmt.Fprintln(&b, line)
		if i < len(evidence) {
			fmt.Fprintln(&b, paint("2", "                    "+reasons(evidence[i])))
		}
	}
	_, err := fmt.Fprint(p.Stdout, b.String())
	return err
}

// printParts lists the parts that the detector names: kind, weight and the numbers of their blocks, from 1.
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

// treeHolder is a model that contains a style tree.
type treeHolder interface {
	Tree() *styletree.Tree
}

// errNoTree says that a detector's models contain no style tree.
var errNoTree = errors.New("its model has no style tree: --detector " + styletree.Name + " learns one")

// host shows the style tree of a host.
func (c *inspectCmd) host(ctx context.Context, p *console.Console, log *logs.Log, name string) error {
	site, err := hostname.Site(name)
	if err != nil || saved.ReplaceExtension(name, "") != name {
		return fs.ErrNotExist
	}
	err = flags.With(ctx, log.Logger, c.opener(site), func(models *cache.Models) error {
		return models.View(ctx, site, func(h model.Host) error {
			tree, err := treeOf(h)
			if err != nil {
				return err
			}
			s := h.Stats()
			_, err = fmt.Fprintf(p.Stdout, "%d pages learned, %.0f KiB, last seen %s\n", s.Pages, float64(s.Bytes)/1024,
				s.LastSeen.Format(time.DateTime))
			if err != nil {
				return err
			}
			return printTree(p, tree, c.Depth)
		})
	})
	if errors.Is(err, cache.ErrNotFound) {
		return fmt.Errorf("there is no such file, and nothing was learned about a host of that name in %s", c.Data)
	}
	return err
}

func treeOf(h model.Host) (*styletree.Tree, error) {
	if t, ok := h.(*taught.Host); ok {
		h = t.Unwrap()
	}
	switch h := h.(type) {
	case *styletree.Tree:
		return h, nil
	case treeHolder:
		return h.Tree(), nil
	}
	return nil, errNoTree
}

// printTree prints the element nodes of a style tree, each below its parent: pages, importance, verdict and tag. Where
// an element had several sequences of children, each has a line of its own.
func printTree(p *console.Console, tree *styletree.Tree, depth int) error {
	t := &treePrinter{w: p.Stdout, paint: p.Paint(), depth: depth}
	t.printf("%8s %10s  %-10s\n", "pages", "importance", "verdict")
	t.styles(tree.Root(), 0)
	return t.err
}

type treePrinter struct {
	w     io.Writer
	paint console.Painter
	depth int
	err   error
}

func (t *treePrinter) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// styles prints everything below n. n's children are at the given level.
func (t *treePrinter) styles(n styletree.Node, level int) {
	if level > t.depth {
		return
	}
	several := 0
	for range n.Styles() {
		several++
	}
	indent := strings.Repeat("  ", level)
	for s := range n.Styles() {
		switch {
		case s.Hollow:
			t.printf("%8.4g %10s  %-10s%s%s\n", s.Pages, "", "", indent, t.paint("2", fmt.Sprintf("(%d sequences of children, dropped)", s.Count)))
		case several > 1:
			t.printf("%8.4g %10s  %-10s%s%s\n", s.Pages, "", "", indent, t.paint("2", fmt.Sprintf("sequence of %d children", s.Len)))
		}
		for child := range s.Nodes() {
			t.node(child, level, indent)
		}
	}
}

func (t *treePrinter) node(n styletree.Node, level int, indent string) {
	tag := n.Tag
	if tag == "" {
		tag = "(unknown tag)"
	}
	line := fmt.Sprintf("%8.4g %10.3f  %-10s%s%s", n.Pages, n.CompImp, n.Verdict, indent, tag)
	switch n.Verdict {
	case styletree.Noisy:
		line = t.paint("2;31", line)
	case styletree.Meaningful:
		line = t.paint("32", line)
	}
	t.printf("%s\n", line)
	t.styles(n, level+1)
}
