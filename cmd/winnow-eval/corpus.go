package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/cmd/winnow-eval/synthetic"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// syntheticCorpus is the argument for a made-up corpus instead of a folder.
const syntheticCorpus = "synthetic"

// corpus is the input of the tasks.
type corpus struct {
	dir   string
	sites []*evaluate.Site
	notes []string
	left  []saved.LeftOut
	// temporary is a folder to remove at the end, empty for none.
	temporary string
}

func (c *corpus) close() error {
	if c.temporary == "" {
		return nil
	}
	return os.RemoveAll(c.temporary)
}

// pages is the number of pages of all sites.
func (c *corpus) pages() (n int) {
	for _, s := range c.sites {
		n += len(s.Pages)
	}
	return n
}

// open detects the kind of the corpus and reads its description, but not its pages.
func (c *tasksCmd) open() (_ *corpus, err error) {
	in := &corpus{dir: c.Corpus}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close())
		}
	}()
	if c.Corpus == syntheticCorpus {
		if in.temporary, err = os.MkdirTemp("", "winnow-synthetic-"); err != nil {
			return nil, fmt.Errorf("folder for the synthetic corpus: %w", err)
		}
		in.dir = in.temporary
		if err = synthetic.Write(in.dir, synthetic.Options{Seed: c.Seed}); err != nil {
			return nil, err
		}
	}
	if evaluate.IsSingles(in.dir) {
		return nil, console.Usagef("--corpus: the tasks are for sites; %s holds single pages", in.dir)
	}
	in.sites, err = evaluate.LoadSites(in.dir, c.Sites...)
	if errors.Is(err, evaluate.ErrNoCorpus) {
		err = c.openFolder(in)
	}
	if err == nil {
		err = c.Classify(in.sites, in.dir)
	}
	return in, err
}

// openFolder reads folders of pages without a site.json like winnow clean: a folder of pages is a site.
func (c *tasksCmd) openFolder(in *corpus) error {
	if st, err := os.Stat(in.dir); err != nil || !st.IsDir() {
		return console.Usagef("--corpus: there is no folder %s", in.dir)
	}
	found := saved.Find([]string{in.dir}, saved.Options{})
	in.left, in.notes = found.Left, found.Notes
	for _, from := range found.Sites {
		if len(c.Sites) > 0 && !slices.Contains(c.Sites, from.Host) {
			continue
		}
		s := &evaluate.Site{ID: from.Host}
		for _, pg := range from.Pages {
			rel := strings.TrimPrefix(filepath.ToSlash(pg.Rel), from.Host+"/")
			s.Pages = append(s.Pages, evaluate.Page{ID: strings.TrimSuffix(rel, path.Ext(rel)), File: pg.File, Path: "/" + rel})
		}
		in.sites = append(in.sites, s)
	}
	if len(in.sites) == 0 {
		return errors.Join(saved.Join(found.Left), fmt.Errorf("nothing to measure in %s", in.dir))
	}
	return nil
}
