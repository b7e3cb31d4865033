package evaluate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/andybalholm/cascadia"

	"github.com/winnow-proxy/winnow/model"
)

// Site is one site of a corpus: its pages in arrival order and the selectors that say what is content on them.
type Site struct {
	// ID is the name of the site's folder.
	ID    string
	Pages []Page
	// Class is the class of all pages that have none of their own: "class" in site.json, or else "genre". It is empty
	// where neither is given.
	Class string
	// Language is the language of the pages, empty where it is not known.
	Language string

	gold selectors
}

// Page is one saved page of a site.
type Page struct {
	// ID is the base name of File without its extension; outputs are named after it.
	ID string
	// File is where the page's bytes are.
	File string
	// Path is the path part of the URL that the page was saved from, empty where that is not known.
	Path string
	// ContentType is the Content-Type that the page was served with, empty where that is not known.
	ContentType string
	// Class is the page's own class, for sites with pages of several classes. Where it is empty, the site's class
	// applies.
	Class string
	// GoldFile is the file with the text of the page's content. It is empty where selectors or facts define the
	// content.
	GoldFile string
	// Facts are values that the cleaned page must still have, each in any one of several spellings.
	Facts map[string][]string
}

// selectors define the content: everything in a match of content that is not in a match of exclude. What is in a match
// of optional is neither content nor noise.
type selectors struct {
	content, exclude []cascadia.Sel
	optional         []optionalKind
}

// ErrNoCorpus says that a folder has neither sites nor single pages.
var ErrNoCorpus = errors.New("no corpus")

// siteFile is the form of site.json.
type siteFile struct {
	Content, Exclude oneOrMany
	Optional         map[string]oneOrMany
	Class, Genre     string
	Language         string
	Pages            []struct {
		File        string
		Path        string
		ContentType string `json:"content_type"`
		Class       string
		Gold        string
		Facts       map[string][]string
	}
}

// oneOrMany is a JSON string or an array of strings.
type oneOrMany []string

func (l *oneOrMany) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var one string
	if json.Unmarshal(b, &one) == nil {
		*l = oneOrMany{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(l))
}

// LoadSites reads the corpus dir/<site>/site.json, or dir/sites/<site>/site.json where dir has other files too, ordered
// by name. It reads the sites named in only, or all of them. The error wraps ErrNoCorpus where there is no site.
func LoadSites(dir string, only ...string) ([]*Site, error) {
	files, err := siteFiles(dir)
	if err != nil {
		return nil, err
	}
	files, err = choose(files, only)
	if err != nil {
		return nil, fmt.Errorf("corpus %s: %w", dir, err)
	}
	sites := make([]*Site, 0, len(files))
	for _, f := range files {
		s, err := loadSite(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		sites = append(sites, s)
	}
	return sites, nil
}

// siteFiles finds the site.json of all sites.
func siteFiles(dir string) ([]string, error) {
	for _, sub := range []string{"", "sites"} {
		files, err := filepath.Glob(filepath.Join(dir, sub, "*", "site.json"))
		if err != nil {
			return nil, fmt.Errorf("corpus %s: %w", dir, err)
		}
		if len(files) > 0 {
			return files, nil
		}
	}
	return nil, fmt.Errorf("%w: there is no <site>/site.json in %s", ErrNoCorpus, dir)
}

// choose keeps the site files whose folders are named in only, in order of name.
func choose(files, only []string) ([]string, error) {
	sort.Strings(files)
	if len(only) == 0 {
		return files, nil
	}
	byID := map[string]string{}
	for _, f := range files {
		byID[filepath.Base(filepath.Dir(f))] = f
	}
	var chosen []string
	for _, id := range only {
		f, ok := byID[id]
		if !ok {
			return nil, fmt.Errorf("there is no site %q", id)
		}
		chosen = append(chosen, f)
	}
	sort.Strings(chosen)
	return chosen, nil
}

func loadSite(file string) (*Site, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var f siteFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, err
	}
	s := &Site{ID: filepath.Base(filepath.Dir(file)), Class: cmp.Or(f.Class, f.Genre), Language: f.Language}
	if s.gold, err = compileGold(f.Content, f.Exclude); err != nil {
		return nil, err
	}
	if s.gold.optional, err = compileOptional(f.Optional); err != nil {
		return nil, err
	}
	folder := filepath.Dir(file)
	seen := map[string]bool{}
	for _, p := range f.Pages {
		base := path.Base(p.File)
		id := strings.TrimSuffix(base, path.Ext(base))
		if seen[id] {
			return nil, fmt.Errorf("two pages are named %s, and outputs are named after pages", id)
		}
		seen[id] = true
		pg := Page{ID: id, File: filepath.Join(folder, filepath.FromSlash(p.File)), Path: p.Path, ContentType: p.ContentType,
			Class: p.Class, Facts: p.Facts}
		if p.Gold != "" {
			pg.GoldFile = filepath.Join(folder, filepath.FromSlash(p.Gold))
		}
		s.Pages = append(s.Pages, pg)
	}
	if len(s.gold.content) == 0 && !s.HasText() {
		return nil, errors.New("no content selector, no gold text, no facts")
	}
	return s, nil
}

// compileGold compiles the selectors of a site.
func compileGold(content, exclude []string) (s selectors, err error) {
	if s.content, err = compile(content); err != nil {
		return s, err
	}
	s.exclude, err = compile(exclude)
	return s, err
}

func compile(exprs []string) (out []cascadia.Sel, err error) {
	for _, e := range exprs {
		group, err := cascadia.ParseGroup(e)
		if err != nil {
			return nil, fmt.Errorf("selector %q: %w", e, err)
		}
		out = append(out, group...)
	}
	return out, nil
}

// HasGold reports whether selectors define the content of the site's pages.
func (s *Site) HasGold() bool { return len(s.gold.content) > 0 }

// HasText reports whether the site's pages have gold as text, or facts that must stay.
func (s *Site) HasText() bool {
	return slices.ContainsFunc(s.Pages, func(p Page) bool { return p.GoldFile != "" || len(p.Facts) > 0 })
}

// ClassOf is the class of the i-th page, empty where it has none.
func (s *Site) ClassOf(i int) string { return cmp.Or(s.Pages[i].Class, s.Class) }

// Visit makes up the URL and the time of the i-th page: one page a minute, so that runs can be repeated exactly.
func (s *Site) Visit(i int) model.Visit {
	p := s.Pages[i]
	if p.Path == "" {
		p.Path = "/" + p.ID
	}
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	return model.Visit{URL: "http://" + s.ID + ".example" + p.Path, At: epoch.Add(time.Duration(i) * time.Minute)}
}
