package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/demo"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
)

// demoCmd is winnow demo.
type demoCmd struct {
	Serve    bool   `help:"Keep running, with a page that shows before and after in a browser."`
	Listen   string `default:"127.0.0.1:0" placeholder:"ADDR" help:"Address of that page."`
	Detector string `default:"${detector}" placeholder:"NAME" help:"Detector to use (default: ${default})."`
	Lines    int    `default:"8" help:"Lines of text to show of each page before and after."`
}

// Help gives examples.
func (*demoCmd) Help() string {
	return `Starts a small bundled site and the proxy on loopback, reads each page through the proxy twice, and shows what the proxy removed. It does not use the network and stores nothing.

Examples:

  winnow demo
  winnow demo --serve`
}

// Run shows the demo.
func (c *demoCmd) Run(ctx context.Context, p *console.Console, log *logs.Log) (err error) {
	detector, err := flags.Detector(c.Detector)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "winnow-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	stage, err := demo.Start(ctx, dir, detector, log.Logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Stop()) }()
	views, err := stage.VisitAll(ctx)
	if err != nil {
		return err
	}
	if err := printDemo(p, views, c.Lines); err != nil || !c.Serve {
		return err
	}
	l, err := flags.Listen(ctx, "--listen", c.Listen)
	if err != nil {
		return err
	}
	p.Warnf("ready: open http://%s/ in a browser, end with Ctrl-C", l.Addr())
	return stage.Show(ctx, l)
}

// printDemo prints a row per page and, of the first page, the first lines before and after.
func printDemo(p *console.Console, views []demo.View, lines int) error {
	paint := p.Paint()
	var b strings.Builder
	fmt.Fprintln(&b, paint("1", fmt.Sprintf("%-20s %10s %13s %13s %9s", "characters of text", "original", "first visit", "second visit", "removed")))
	var before, after int
	for _, v := range views {
		demoRow(&b, v.Name, v.Before.Chars, fmt.Sprint(v.First.Chars), v.Second.Chars)
		before += v.Before.Chars
		after += v.Second.Chars
	}
	demoRow(&b, "all pages", before, "", after)
	first := views[0]
	for _, part := range []struct {
		title string
		text  demo.Text
	}{{"before", first.Before}, {"after", first.Second}} {
		fmt.Fprintf(&b, "\n%s\n", paint("1", first.Name+", "+part.title+":"))
		for _, l := range part.text.Lines[:min(lines, len(part.text.Lines))] {
			fmt.Fprintln(&b, "  "+console.Shorten(l, 96))
		}
		fmt.Fprintf(&b, "  %s\n", paint("2", fmt.Sprintf("(%d lines in all)", len(part.text.Lines))))
	}
	_, err := fmt.Fprint(p.Stdout, b.String())
	return err
}

func demoRow(b *strings.Builder, name string, before int, first string, after int) {
	fmt.Fprintf(b, "%-20s %10d %13s %13d %7.0f %%\n", name, before, first, after, 100*(1-float64(after)/float64(max(before, 1))))
}
