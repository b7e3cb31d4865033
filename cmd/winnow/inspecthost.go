package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/styletree"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// treeHolder is a model that has a style tree among other things.
type treeHolder interface {
	Tree() *styletree.Tree
}

// errNoTree says that a detector's models hold no style tree.
var errNoTree = errors.New("its model holds no style tree: --detector " + styletree.Name + " learns one")

// host shows the style tree of a host.
func (c *inspectCmd) host(ctx context.Context, p *program, name string) error {
	site, err := hostname.Site(name)
	if err != nil || withExtension(name, "") != name {
		return fs.ErrNotExist
	}
	err = c.with(ctx, p, c.openExisting, func(models *cache.Models) error {
		return models.View(ctx, site, func(h model.Host) error {
			tree, err := treeOf(h)
			if err != nil {
				return err
			}
			s := h.Stats()
			_, err = fmt.Fprintf(p.stdout, "%d pages learned, %.0f KiB, last seen %s\n", s.Pages, float64(s.Bytes)/1024,
				s.LastSeen.Format(time.DateTime))
			if err != nil {
				return err
			}
			return printTree(p, tree, c.Depth)
		})
	})
	if errors.Is(err, cache.ErrNotFound) {
		return fmt.Errorf("there is no such file, and nothing was learned of a host of that name in %s", c.Data)
	}
	return err
}

func treeOf(h model.Host) (*styletree.Tree, error) {
	switch h := h.(type) {
	case *styletree.Tree:
		return h, nil
	case treeHolder:
		return h.Tree(), nil
	}
	return nil, errNoTree
}

// printTree prints the element nodes of a style tree, each below its parent: pages, importance, verdict and tag.
// Where a place has had several sequences of children, each is announced by a line of its own.
func printTree(p *program, tree *styletree.Tree, depth int) error {
	t := &treePrinter{w: p.stdout, paint: p.paint(), depth: depth}
	t.printf("%8s %10s  %-10s\n", "pages", "importance", "verdict")
	t.styles(tree.Root(), 0)
	return t.err
}

type treePrinter struct {
	w     io.Writer
	paint func(style, text string) string
	depth int
	err   error
}

func (t *treePrinter) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// styles prints what is below n, whose children stand at the given level.
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
