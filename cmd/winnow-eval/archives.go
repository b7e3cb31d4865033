package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/warc"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// archivesCmd is winnow-eval archives.
type archivesCmd struct {
	Corpus string `required:"" placeholder:"DIR" help:"Corpus of sites, as winnow eval reads it."`
	Files  int    `default:"1" placeholder:"N" help:"Number of archives; the pages of each site are dealt out to them in turn (default: ${default})."`
	Size   int64  `placeholder:"MIB" help:"Repeat the corpus, each time with new hosts, until the records have so many MiB before they are packed (default: the corpus once)."`
	Dir    string `arg:"" help:"New folder to write the archives to."`
}

// Help gives examples.
func (*archivesCmd) Help() string {
	return `Writes web archives of a corpus's pages, as a crawler would: a response record in a gzip member of its own for each page. The host of a page is SITE.example, and in the Nth repetition SITE.rN.example.

Examples:

  winnow-eval archives --corpus ../shared/corpus/sites --files 64 shards
  winnow-eval archives --corpus ../shared/corpus/sites --size 10240 large`
}

// Run writes the archives.
func (c *archivesCmd) Run(ctx context.Context, p *console.Console) (err error) {
	if c.Files < 1 {
		return console.Usagef("--files: there must be at least one")
	}
	sites, err := evaluate.LoadSites(c.Corpus)
	if err != nil {
		return fmt.Errorf("--corpus: %w", err)
	}
	if err := os.Mkdir(c.Dir, 0o755); err != nil {
		return console.Usagef("DIR: %w", err)
	}
	a := &archiver{}
	defer func() { err = errors.Join(err, a.close()) }()
	for i := range c.Files {
		if err := a.create(filepath.Join(c.Dir, fmt.Sprintf("%05d.warc.gz", i))); err != nil {
			return err
		}
	}
	for round := 0; round == 0 || a.bytes < c.Size<<20; round++ {
		if err := a.corpus(ctx, sites, round, c.Size<<20); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(p.Stdout, "%d pages in %d archives, %d bytes before they are packed\n", a.pages, c.Files, a.bytes)
	return err
}

// archiver writes pages to archives in turn.
type archiver struct {
	files   []*os.File
	buffers []*bufio.Writer
	writers []*warc.Writer
	pages   int
	// bytes is the size of the records before they are packed.
	bytes int64
}

func (a *archiver) create(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(f, 1<<20)
	a.files, a.buffers, a.writers = append(a.files, f), append(a.buffers, buf), append(a.writers, warc.NewWriter(buf))
	return nil
}

func (a *archiver) close() (err error) {
	for i, f := range a.files {
		err = errors.Join(err, a.buffers[i].Flush(), f.Close())
	}
	return err
}

// corpus writes the first page of each site, then the second of each, and so on, as crawlers that visit many sites side
// by side do. It ends early where the size is reached; 0 is no bound.
func (a *archiver) corpus(ctx context.Context, sites []*evaluate.Site, round int, most int64) error {
	for i, more := 0, true; more; i++ {
		more = false
		for _, s := range sites {
			if i >= len(s.Pages) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if most > 0 && a.bytes >= most {
				return nil
			}
			more = true
			if err := a.page(ctx, s, i, round); err != nil {
				return err
			}
		}
	}
	return nil
}

// page writes the response record of a page.
func (a *archiver) page(ctx context.Context, s *evaluate.Site, i, round int) error {
	src, err := os.ReadFile(s.Pages[i].File)
	if err != nil {
		return err
	}
	visit := s.Visit(i)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, visit.URL, http.NoBody)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Pages[i].File, err)
	}
	if round > 0 {
		req.URL.Host = fmt.Sprintf("%s.r%d.example", s.ID, round)
	}
	var block bytes.Buffer
	fmt.Fprintf(&block, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", cmp.Or(s.Pages[i].ContentType, "text/html"), len(src))
	block.Write(src)
	fields := []warc.Field{
		{Name: "WARC-Type", Value: "response"},
		{Name: "WARC-Target-URI", Value: req.URL.String()},
		{Name: "WARC-Date", Value: visit.At.Format("2006-01-02T15:04:05Z")},
		{Name: "WARC-Record-ID", Value: fmt.Sprintf("<urn:winnow:page:%d>", a.pages)},
		{Name: "Content-Type", Value: "application/http; msgtype=response"},
	}
	to := a.pages % len(a.writers)
	a.pages++
	a.bytes += int64(block.Len())
	return a.writers[to].Write(fields, block.Bytes())
}
