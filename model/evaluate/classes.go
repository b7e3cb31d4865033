package evaluate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Classes say which class the pages of a corpus belong to, where site.json says nothing or something else.
type Classes struct {
	rules []classRule
}

type classRule struct {
	site, page *regexp.Regexp
	class      string
}

// ClassFiles are the names under which a file of classes is found beside a corpus.
func ClassFiles() []string { return []string{"classes.yaml", "classes.yml", "classes.json"} }

// FindClasses reads the file of classes in dir; without one it returns nil.
func FindClasses(dir string) (*Classes, error) {
	for _, name := range ClassFiles() {
		c, err := LoadClasses(filepath.Join(dir, name))
		if !errors.Is(err, os.ErrNotExist) {
			return c, err
		}
	}
	return nil, nil
}

// ClassesFor reads the named file of classes or, if file is empty, the one in dir. Without one it returns nil.
func ClassesFor(file, dir string) (*Classes, error) {
	if file != "" {
		return LoadClasses(file)
	}
	return FindClasses(dir)
}

// LoadClasses reads a file of classes in YAML or JSON, with a pattern and a class on each line. A pattern is a site's
// ID, or SITE/PAGE with a page's ID or the path of its URL; * matches any characters and ? one. The first pattern that
// matches a page decides.
func LoadClasses(file string) (*Classes, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c, err := parseClasses(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

func parseClasses(b []byte) (*Classes, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("want lines of the form PATTERN: CLASS")
	}
	c := &Classes{}
	pairs := doc.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		pattern, class := pairs[i], pairs[i+1]
		if pattern.Kind != yaml.ScalarNode || class.Kind != yaml.ScalarNode || class.Value == "" {
			return nil, fmt.Errorf("line %d: want PATTERN: CLASS, both of them strings", pattern.Line)
		}
		c.rules = append(c.rules, newClassRule(pattern.Value, class.Value))
	}
	return c, nil
}

func newClassRule(pattern, class string) classRule {
	site, page, ofPage := strings.Cut(pattern, "/")
	r := classRule{site: glob(site), class: class}
	if ofPage {
		r.page = glob(page)
	}
	return r
}

// glob compiles a pattern of * and ?. Unlike in path.Match, * matches slashes too, because the paths of pages are deep.
func glob(pattern string) *regexp.Regexp {
	expr := regexp.QuoteMeta(pattern)
	expr = strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(expr)
	return regexp.MustCompile(`^(?s:` + expr + `)$`) // always compiles, because all else is quoted
}

// Apply sets the classes of the pages by c alone: the classes from site.json are dropped, and pages that no pattern
// matches have no class.
func (c *Classes) Apply(sites []*Site) {
	for _, s := range sites {
		s.Class = c.of(s.ID, nil)
		for i := range s.Pages {
			p := &s.Pages[i]
			p.Class = c.of(s.ID, p)
		}
	}
}

// of is the class of a page or, if p is nil, of the whole site.
func (c *Classes) of(site string, p *Page) string {
	for _, r := range c.rules {
		if !r.site.MatchString(site) {
			continue
		}
		if r.page == nil || p != nil && (r.page.MatchString(p.ID) || r.page.MatchString(strings.TrimPrefix(p.Path, "/"))) {
			return r.class
		}
	}
	return ""
}
