package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/evaluate/synthetic"
)

// syntheticCorpus is the word that stands for a made-up corpus in place of a folder.
const syntheticCorpus = "synthetic"

// evalCorpus is what eval measures on.
type evalCorpus struct {
	dir string
	// singles says that dir holds single pages; all other fields are for sites.
	singles bool
	sites   []*evaluate.Site
	// texts are sites whose gold is text, to be scored; sites is empty then.
	texts []*evaluate.Site
	// withoutGold says that the sites are folders of pages, of which nobody has said what is content.
	withoutGold bool
	notes       []string
	left        []leftOut
	// temporary is a folder to remove in the end.
	temporary string
}

func (c *evalCorpus) close() error {
	if c.temporary == "" {
		return nil
	}
	return os.RemoveAll(c.temporary)
}

// open finds out what kind of corpus there is and reads what it says of itself, not its pages.
func (c *evalCmd) open() (corpus *evalCorpus, err error) {
	corpus = &evalCorpus{dir: c.Corpus}
	if c.Corpus == syntheticCorpus {
		if err := c.makeUp(corpus); err != nil {
			return nil, errors.Join(err, corpus.close())
		}
	}
	if evaluate.IsSingles(corpus.dir) {
		corpus.singles = true
		return corpus, nil
	}
	corpus.sites, err = evaluate.LoadSites(corpus.dir, c.Sites...)
	if errors.Is(err, evaluate.ErrNoCorpus) {
		err = c.openFolder(corpus)
	}
	if err == nil {
		err = c.classify(corpus)
	}
	if c.Task[0] == taskScore && slices.ContainsFunc(corpus.sites, (*evaluate.Site).HasText) {
		corpus.sites, corpus.texts = nil, corpus.sites
	}
	if err != nil {
		return nil, errors.Join(err, corpus.close())
	}
	return corpus, nil
}

// makeUp writes the synthetic corpus to where it was asked for, or to a temporary folder.
func (c *evalCmd) makeUp(corpus *evalCorpus) error {
	if corpus.dir = c.OutCorpus; corpus.dir == "" {
		dir, err := os.MkdirTemp("", "winnow-synthetic-")
		if err != nil {
			return fmt.Errorf("folder for the synthetic corpus: %w", err)
		}
		corpus.dir, corpus.temporary = dir, dir
	}
	if err := synthetic.Write(corpus.dir, synthetic.Options{Seed: c.Seed}); err != nil {
		return usagef("--out-corpus: %w", err)
	}
	return nil
}

// openFolder takes folders of pages without a site.json as winnow clean does: a folder of pages is a site.
func (c *evalCmd) openFolder(corpus *evalCorpus) error {
	if st, err := os.Stat(corpus.dir); err != nil || !st.IsDir() {
		return usagef("--corpus: there is no folder %s", corpus.dir)
	}
	found := collector{}
	found.collect([]string{corpus.dir})
	corpus.withoutGold, corpus.left, corpus.notes = true, found.left, found.notes
	for _, in := range found.sites {
		if len(c.Sites) > 0 && !slices.Contains(c.Sites, in.host) {
			continue
		}
		s := &evaluate.Site{ID: in.host}
		for _, pg := range in.pages {
			rel := strings.TrimPrefix(filepath.ToSlash(pg.rel), in.host+"/")
			s.Pages = append(s.Pages, evaluate.Page{ID: strings.TrimSuffix(rel, path.Ext(rel)), File: pg.file, Path: "/" + rel})
		}
		corpus.sites = append(corpus.sites, s)
	}
	if len(corpus.sites) == 0 {
		left := &leftOuts{list: found.left}
		return errors.Join(left.each(), fmt.Errorf("nothing to measure in %s", corpus.dir))
	}
	return nil
}

// classify gives pages the classes of the file that was named, or that lies beside the corpus.
func (c *evalCmd) classify(corpus *evalCorpus) error {
	var classes *evaluate.Classes
	var err error
	if c.Classes != "" {
		classes, err = evaluate.LoadClasses(c.Classes)
	} else {
		classes, err = evaluate.FindClasses(corpus.dir)
	}
	if err != nil {
		return usagef("--classes: %w", err)
	}
	if classes != nil {
		classes.Apply(corpus.sites)
	}
	return nil
}

// leftOuts gathers what was left out, from several goroutines.
type leftOuts struct {
	mu   sync.Mutex
	list []leftOut
}

func (l *leftOuts) add(site, page string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, leftOut{site + "/" + page, err})
}

// report names what was left out and returns an error, if any was, of total.
func (l *leftOuts) report(p *program, total int) error {
	slices.SortFunc(l.list, func(a, b leftOut) int { return cmp.Compare(a.name, b.name) })
	for _, out := range l.list {
		p.warnf("%s", out)
	}
	if len(l.list) > 0 {
		return fmt.Errorf("%d of %d pages left out", len(l.list), total)
	}
	return nil
}

// each joins an error for each that was left out.
func (l *leftOuts) each() (err error) {
	for _, out := range l.list {
		err = errors.Join(err, errors.New(out.String()))
	}
	return err
}
