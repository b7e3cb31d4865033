package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/epub"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
)

// Book cleans sites as [Cleaner.Sites] does, with Mode page.ModeJSON, and writes all their pages as one book to w, with
// the pictures that lie beside them. Nothing is fetched.
func (c *Cleaner) Book(ctx context.Context, sites []saved.Site, w io.Writer) (out Outcome, err error) {
	book := epub.Book{Date: c.Now}
	folders := folders{}
	defer folders.close()
	for _, s := range sites {
		results, chapters := make([]result, len(s.Pages)), make([]epub.Chapter, len(s.Pages))
		if err := c.site(ctx, s, results, func(host judge, i int) (r result) {
			chapters[i], r = c.chapter(ctx, host, s.Host, &s.Pages[i])
			return r
		}); err != nil {
			return out, err
		}
		for i, r := range results {
			if r.err == nil {
				book.Chapters = append(book.Chapters, chapters[i])
				folders.open(s.Host, &s.Pages[i])
			}
		}
		out.count(s, results)
	}
	if len(book.Chapters) == 0 {
		return out, errors.New("there is no page for a book")
	}
	return out, epub.Write(w, book, folders.picture)
}

// savedSuffix ends the names of hosts whose pages were saved, for addresses within them that lead nowhere else (RFC
// 6761 §6.4).
const savedSuffix = ".invalid"

// chapter cleans one page for a book.
func (c *Cleaner) chapter(ctx context.Context, host judge, site string, in *saved.Page) (chapter epub.Chapter, r result) {
	r.err = contained(func() error {
		src, err := in.Read()
		if err != nil {
			return err
		}
		v := c.visit(site, in)
		at := c.visit(site+savedSuffix, in).URL
		out, _, err := c.renderAs(ctx, write.Form{Mode: page.ModeJSON, URL: at}, host, v, src)
		if err != nil {
			return err
		}
		var d jsondoc.Document
		if err := json.Unmarshal(out.Body, &d); err != nil {
			return fmt.Errorf("reading the page's JSON: %w", err)
		}
		chapter, r.removed = epub.ChapterOf(&d), out.Removed
		chapter.Source = d.Metadata.Canonical // where it was saved from is not known otherwise
		return nil
	})
	return chapter, r
}

// folders are those that sites were saved in, by host.
type folders map[string]*os.Root

// open opens the folder that a page of a host lies in, if it lies in one. What is not to be opened has no pictures.
func (f folders) open(host string, in *saved.Page) {
	dir, ok := strings.CutSuffix(filepath.Clean(in.File), filepath.Clean(in.Rel))
	if _, there := f[host]; there || in.File == "" || !ok {
		return
	}
	if dir == "" {
		dir = "."
	}
	if root, err := os.OpenRoot(dir); err == nil {
		f[host] = root
	}
}

// maxPicture is the largest picture in bytes.
const maxPicture = 8 << 20

// picture reads a picture by the address that the page has for it. It is an [epub.Images].
func (f folders) picture(_ epub.Chapter, address string) ([]byte, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, false
	}
	root := f[strings.TrimSuffix(u.Host, savedSuffix)]
	if root == nil {
		return nil, false
	}
	file, err := root.Open(filepath.FromSlash(strings.TrimPrefix(u.Path, "/")))
	if err != nil {
		return nil, false
	}
	defer file.Close() //nolint:errcheck // it was only read
	if st, err := file.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, false
	}
	data, err := saved.ReadAtMost(file, maxPicture)
	return data, err == nil
}

func (f folders) close() {
	for _, root := range f {
		_ = root.Close() // what was read in it is closed
	}
}
