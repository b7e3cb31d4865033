package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxInput is the most bytes of a saved page that are read.
const maxInput = 64 << 20

// input is one saved page.
type input struct {
	// name is what the user calls it, in messages.
	name string
	// rel is its path below the output folder, before the extension is changed.
	rel string
	// file is where it is, empty for standard input.
	file string
	// data is standard input, read once.
	data []byte
}

// inputSite are the pages that are learned together.
type inputSite struct {
	host  string
	pages []input
}

// leftOut is an input that nothing came of.
type leftOut struct {
	name string
	err  error
}

func (l leftOut) String() string { return l.name + ": left out: " + l.err.Error() }

// collector finds the pages that arguments name.
type collector struct {
	stdin io.Reader
	// host, when not empty, says that all pages are of this one host.
	host  string
	sites []inputSite
	left  []leftOut
	// notes are for the user: what was done otherwise than one may expect.
	notes []string
}

// collect sorts arguments into sites. Files are one site together; a folder is one, or one for each of its
// sub-folders where it holds no page itself.
func (c *collector) collect(paths []string) {
	var loose []input
	for _, path := range paths {
		if path == "-" {
			data, err := readAtMost(c.stdin, maxInput)
			if err != nil {
				c.leave("standard input", err)
				continue
			}
			loose = append(loose, input{name: "standard input", rel: "stdin.html", data: data})
			continue
		}
		st, err := os.Stat(path)
		switch {
		case err != nil:
			c.leave(path, errors.Unwrap(err))
		case st.IsDir():
			c.folder(path, len(paths) > 1)
		default:
			loose = append(loose, input{name: path, rel: relative(path, len(paths) > 1), file: path})
		}
	}
	if len(loose) > 0 {
		c.sites = append(c.sites, inputSite{host: "files", pages: loose})
	}
	c.join()
}

func (c *collector) leave(name string, err error) { c.left = append(c.left, leftOut{name, err}) }

// relative is the place of a file's output: its own path where that leads nowhere else, else its name.
func relative(path string, several bool) string {
	if several && filepath.IsLocal(path) {
		return filepath.Clean(path)
	}
	return filepath.Base(path)
}

// folder adds the pages below dir. With several arguments, each folder's outputs go to a folder of its name.
func (c *collector) folder(dir string, several bool) {
	prefix := ""
	if several {
		prefix = relative(dir, true)
	}
	bySub := map[string][]input{}
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
		bySub[sub] = append(bySub[sub], input{name: path, rel: filepath.Join(prefix, rel), file: path})
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

// addFolder makes one site of a folder that holds pages itself, else one of each sub-folder.
func (c *collector) addFolder(dir string, bySub map[string][]input) {
	var subs []string
	for s := range bySub {
		subs = append(subs, s)
	}
	slices.Sort(subs)
	if len(subs) == 0 {
		c.leave(dir, errors.New("there is no HTML page in this folder"))
		return
	}
	if len(subs) == 1 && len(bySub[subs[0]]) == 1 {
		c.notes = append(c.notes, dir+" holds one page, which is judged as on a first visit: there is no other to learn from")
	}
	whole := len(bySub[""]) > 0
	site := inputSite{host: filepath.Base(dir)}
	for _, s := range subs {
		if !whole {
			c.sites = append(c.sites, inputSite{host: s, pages: bySub[s]})
			continue
		}
		site.pages = append(site.pages, bySub[s]...)
	}
	if whole {
		c.sites = append(c.sites, site)
	}
}

// join makes one site of all where --host says that they are; else it sees whether the pages say otherwise.
func (c *collector) join() {
	if c.host == "" {
		c.part()
		return
	}
	all := inputSite{host: c.host}
	for _, s := range c.sites {
		all.pages = append(all.pages, s.pages...)
	}
	c.sites = nil
	if len(all.pages) > 0 {
		c.sites = []inputSite{all}
	}
}

// isPage reports whether a file in a folder is a page: by its extension, else by how it begins, as mirrors hold pages
// named "view.php?id=3" between the images and scripts.
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

// read returns the page's bytes, or an error when it can't be a page.
func (in *input) read() ([]byte, error) {
	b := in.data
	if in.file != "" {
		f, err := os.Open(in.file)
		if err != nil {
			return nil, errors.Unwrap(err)
		}
		defer f.Close() //nolint:errcheck // it was only read
		if b, err = readAtMost(f, maxInput); err != nil {
			return nil, err
		}
	}
	if t := http.DetectContentType(b); !strings.HasPrefix(t, "text/") {
		return nil, fmt.Errorf("not HTML, it looks like %s", t)
	}
	return b, nil
}

func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("larger than %d MiB", limit>>20)
	}
	return b, err
}
