// Package synthetic writes a corpus that the project makes up itself, so that anyone can repeat its tables without
// other people's pages: ten sites in two languages, each with a template of its own kind, whose pages mix five topics.
//
// The gold follows from the templates, and the topic of each page is its class. The corpus is hard in the same ways as
// real sites. Each site's template has a topic of its own on every page. Adverts, teasers and user boxes vary from page
// to page and are inside the content's own box. Teasers have the titles of other pages. Labels of the content recur.
// Content is short where templates are long. Still, it is made up: prose from word lists is more even than people's,
// and ten templates are not the web. Figures on it only compare detectors with each other.
package synthetic

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// DefaultPages is the number of pages of each site.
const DefaultPages = 40

// Options set the size of the corpus and its seed. The zero value is usable.
type Options struct {
	// Seed selects the corpus: the same seed gives the same bytes.
	Seed uint64
	// Pages is the number of pages of each site, DefaultPages when 0.
	Pages int
}

// siteFile is the format of site.json, as package evaluate reads it.
type siteFile struct {
	ID       string     `json:"id"`
	Genre    string     `json:"genre"`
	Language string     `json:"language"`
	Content  []string   `json:"content"`
	Exclude  []string   `json:"exclude,omitempty"`
	Pages    []pageFile `json:"pages"`
}

type pageFile struct {
	File  string `json:"file"`
	Path  string `json:"path"`
	Class string `json:"class"`
}

// Write writes the corpus to dir/<site>/site.json and dir/<site>/pages/<page>.html. It creates a missing dir and
// refuses a folder that is not empty, so that two corpora never mix.
func Write(dir string, o Options) error {
	if err := wantEmpty(dir); err != nil {
		return err
	}
	if o.Pages <= 0 {
		o.Pages = DefaultPages
	}
	for i, d := range designs() {
		s, err := newSite(d, i, o)
		if err != nil {
			return fmt.Errorf("synthetic site %s: %w", d.id, err)
		}
		if err := s.write(filepath.Join(dir, d.id)); err != nil {
			return fmt.Errorf("synthetic site %s: %w", d.id, err)
		}
	}
	return nil
}

func wantEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: name a new folder for the corpus", dir)
	}
	return nil
}

func (s *site) write(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "pages"), 0o755); err != nil {
		return err
	}
	f := siteFile{ID: s.id, Genre: s.genre, Language: s.language, Content: s.content, Exclude: s.exclude}
	for i := range s.outlines {
		body, err := s.render(i)
		if err != nil {
			return err
		}
		p := pageFile{File: fmt.Sprintf("pages/%04d.html", i+1), Path: s.outlines[i].Path, Class: s.outlines[i].topic}
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(p.File)), body, 0o644); err != nil {
			return err
		}
		f.Pages = append(f.Pages, p)
	}
	b, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "site.json"), append(b, '\n'), 0o644)
}
