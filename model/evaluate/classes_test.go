package evaluate

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClasses(t *testing.T) {
	c, err := parseClasses([]byte(`
forum-*/viewtopic*: thread
forum-*/0003: three   # by the page's ID
forum-a: forum
"shop-?": shop
news-a/2014/*/snow*: weather
`))
	if err != nil {
		t.Fatal(err)
	}
	sites := []*Site{
		{ID: "forum-a", Class: "genre of old", Pages: []Page{
			{ID: "0001", Path: "/viewtopic.php?t=3", Class: "class of old"}, {ID: "0002", Path: "/index.php"}, {ID: "0003"},
		}},
		{ID: "shop-b", Pages: []Page{{ID: "0001"}}},
		{ID: "shop-bb", Class: "genre of old", Pages: []Page{{ID: "0001"}}},
		{ID: "news-a", Pages: []Page{{ID: "0001", Path: "/2014/05/12/snow-in-may"}, {ID: "0002", Path: "/2014/05"}}},
	}
	c.Apply(sites)
	var got []string
	for _, s := range sites {
		for i := range s.Pages {
			got = append(got, s.ClassOf(i))
		}
	}
	if d := cmp.Diff([]string{"thread", "forum", "three", "shop", "", "weather", ""}, got); d != "" {
		t.Errorf("classes (-want +got):\n%s", d)
	}
}

func TestClassesFromSiteFile(t *testing.T) {
	sites, err := LoadSites(writeSite(t, `{"content": "p", "genre": "forum", "language": "de", "exclude": null,
		"pages": [{"file": "1.html"}, {"file": "2.html", "class": "tea"}]}`, nil))
	if err != nil {
		t.Fatal(err)
	}
	if s := sites[0]; s.ClassOf(0) != "forum" || s.ClassOf(1) != "tea" || s.Language != "de" || !s.HasGold() {
		t.Errorf("site %+v", s)
	}
}

func TestBadClasses(t *testing.T) {
	for _, bad := range []string{"", "- a", "a: [b]", "a:", "{", "[a]: b"} {
		if c, err := parseClasses([]byte(bad)); err == nil {
			t.Errorf("classes %q are read as %+v", bad, c)
		}
	}
	if _, err := parseClasses([]byte("a: b\n\nc: [d]")); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("error %v should name the line", err)
	}
}

func TestFindClasses(t *testing.T) {
	dir := t.TempDir()
	if c, err := FindClasses(dir); c != nil || err != nil {
		t.Errorf("no file of classes: %v, %v", c, err)
	}
	writeFile(t, filepath.Join(dir, "classes.json"), `{"a": "b"}`)
	if c, err := FindClasses(dir); err != nil || c == nil || len(c.rules) != 1 {
		t.Errorf("classes in JSON: %v, %v", c, err)
	}
	writeFile(t, filepath.Join(dir, "classes.yaml"), `- a`)
	if _, err := FindClasses(dir); err == nil || !strings.Contains(err.Error(), "classes.yaml") {
		t.Errorf("error %v should name the file", err)
	}
	if _, err := LoadClasses(filepath.Join(dir, "nonesuch")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
}

// The files of classes that come with the project fit the corpus that they were written for: every pattern matches
// pages, every topic has two sites, and every kind of page is on two sites, often enough for a confounded trial.
func TestCorpusClasses(t *testing.T) {
	for file, least := range map[string]int{"topics.yaml": 30, "sections.yaml": 4} {
		c, err := LoadClasses(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		sites, err := LoadSites(filepath.Join(corpusDir(t), "sites"))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range c.rules {
			if one := (&Classes{rules: []classRule{r}}); !one.findsAny(sites) {
				t.Errorf("%s: %s%v finds no page", file, r.site, r.page)
			}
		}
		c.Apply(sites)
		pages := map[string]map[string]int{}
		for _, s := range sites {
			for i := range s.Pages {
				if class := s.ClassOf(i); class != "" {
					if pages[class] == nil {
						pages[class] = map[string]int{}
					}
					pages[class][s.ID]++
				}
			}
		}
		for class, bySite := range pages {
			if n := slices.Min(slices.Collect(maps.Values(bySite))); len(bySite) < 2 || n < least {
				t.Errorf("%s: %s has pages %v, want two sites of %d or more", file, class, bySite, least)
			}
		}
	}
}

// findsAny reports whether some page is given a class.
func (c *Classes) findsAny(sites []*Site) bool {
	c.Apply(sites)
	return slices.ContainsFunc(sites, func(s *Site) bool {
		return slices.ContainsFunc(s.Pages, func(p Page) bool { return p.Class != "" })
	})
}

// Reading any file of classes ends in rules or an error, and the rules can be applied.
func FuzzClasses(f *testing.F) {
	for _, seed := range []string{"a: b", "a/*: b\nc?/d: e", `{"a\\b(": "c"}`, "a: &x b\nc: *x", "? [a]\n: b", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := parseClasses(b)
		if err != nil {
			return
		}
		sites := []*Site{{ID: "a", Pages: []Page{{ID: "b", Path: "/c"}}}}
		c.Apply(sites)
		for _, r := range c.rules {
			if r.class == "" {
				t.Errorf("a rule without a class: %+v", r)
			}
		}
	})
}
