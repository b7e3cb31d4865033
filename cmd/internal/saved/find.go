// Package saved finds saved pages on disk and sorts them into sites.
package saved

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Site holds the pages that are learned together.
type Site struct {
	Host  string
	Pages []Page
}

// Options say how to find pages.
type Options struct {
	// Stdin is the input for the argument "-".
	Stdin io.Reader
	// Host, when not empty, is the host of all pages.
	Host string
}

// Found is the result of Find.
type Found struct {
	Sites []Site
	Left  []LeftOut
	// Notes tell the user where the division into sites may be unexpected.
	Notes []string
}

// Pages is the number of pages found.
func (f Found) Pages() (n int) {
	for _, s := range f.Sites {
		n += len(s.Pages)
	}
	return n
}

// Find finds the pages that paths name and sorts them into sites. All files together are one site. A folder with pages
// is one site; a folder without pages is one site per sub-folder. Pages that declare different sites are divided,
// unless o.Host is set.
func Find(paths []string, o Options) Found {
	c := &collector{Options: o}
	c.collect(paths)
	return c.Found
}

// collector collects the result of Find.
type collector struct {
	Options
	Found
}

// collect sorts arguments into sites.
func (c *collector) collect(paths []string) {
	var loose []Page
	for _, path := range paths {
		if path == "-" {
			data, err := ReadAtMost(c.Stdin, MaxPage)
			if err != nil {
				c.leave("standard input", err)
				continue
			}
			loose = append(loose, Page{Name: "standard input", Rel: "stdin.html", Data: data})
			continue
		}
		st, err := os.Stat(path)
		switch {
		case err != nil:
			c.leave(path, errors.Unwrap(err))
		case st.IsDir():
			c.folder(path, len(paths) > 1)
		default:
			loose = append(loose, Page{Name: path, Rel: relative(path, len(paths) > 1), File: path})
		}
	}
	if len(loose) > 0 {
		c.Sites = append(c.Sites, Site{Host: "files", Pages: loose})
	}
	c.join()
}

func (c *collector) leave(name string, err error) { c.Left = append(c.Left, LeftOut{name, err}) }

// relative is the output path of a file: its own path if that stays below the output folder, otherwise its name.
func relative(path string, several bool) string {
	if several && filepath.IsLocal(path) {
		return filepath.Clean(path)
	}
	return filepath.Base(path)
}

// folder adds the pages below dir. With several arguments, each folder has an output folder of its name.
func (c *collector) folder(dir string, several bool) {
	prefix := ""
	if several {
		prefix = relative(dir, true)
	}
	bySub := map[string][]Page{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			c.leave(path, err)
			return nil
		}
		if path != dir && strings.HasPrefix(d.Name(), ".") {
			return skip(d)
		}
		if !d.Type().IsRegular() || !c.isPage(path) {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		sub, _, below := strings.Cut(filepath.ToSlash(rel), "/")
		if !below {
			sub = ""
		}
		bySub[sub] = append(bySub[sub], Page{Name: path, Rel: filepath.Join(prefix, rel), File: path})
		return nil
	})
	if err != nil {
		c.leave(dir, err)
	}
	c.addFolder(dir, bySub)
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// addFolder makes one site of a folder with pages, or one site of each sub-folder.
func (c *collector) addFolder(dir string, bySub map[string][]Page) {
	var subs []string
	for s := range bySub {
		subs = append(subs, s)
	}
	slices.Sort(subs)
	if len(subs) == 0 {
		c.leave(dir, errors.New("this folder has no HTML page"))
		return
	}
	if len(subs) == 1 && len(bySub[subs[0]]) == 1 {
		c.Notes = append(c.Notes, dir+" has only one page, which is cleaned as on a first visit: there are no other pages to learn from")
	}
	whole := len(bySub[""]) > 0
	site := Site{Host: filepath.Base(dir)}
	for _, s := range subs {
		if !whole {
			c.Sites = append(c.Sites, Site{Host: s, Pages: bySub[s]})
			continue
		}
		site.Pages = append(site.Pages, bySub[s]...)
	}
	if whole {
		c.Sites = append(c.Sites, site)
	}
}

// join makes one site of all pages if --host is set. Otherwise it divides pages that declare different sites.
func (c *collector) join() {
	if c.Host == "" {
		c.part()
		return
	}
	all := Site{Host: c.Host}
	for _, s := range c.Sites {
		all.Pages = append(all.Pages, s.Pages...)
	}
	c.Sites = nil
	if len(all.Pages) > 0 {
		c.Sites = []Site{all}
	}
}

// isPage reports whether a file in a folder is a page, by its extension or else by its first bytes: mirrors have pages
// named "view.php?id=3" among images and scripts.
func (c *collector) isPage(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm", ".xhtml", ".xht", ".shtml":
		return true
	case ".css", ".js", ".mjs", ".json", ".svg", ".txt", ".md", ".xml", ".rss":
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		c.leave(path, errors.Unwrap(err))
		return false
	}
	defer f.Close() //nolint:errcheck // it was only read
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	return (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) && strings.HasPrefix(http.DetectContentType(head[:n]), "text/html")
}
