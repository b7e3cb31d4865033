package saved

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/evaluate"
)

// maxHead is how much of a saved page is read to see what site it says it is of.
const maxHead = 64 << 10

// part divides the sites whose pages say that they are of several: the template of one teaches nothing about another.
// Pages that don't say stay with the site that most are of.
func (c *collector) part() {
	var parted []Site
	for _, s := range c.Sites {
		of := make([]string, len(s.Pages))
		counts := map[string]int{}
		for i := range s.Pages {
			if of[i] = s.Pages[i].savedFrom(); of[i] != "" {
				counts[of[i]]++
			}
		}
		if len(counts) < 2 {
			parted = append(parted, s)
			continue
		}
		names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
			return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
		})
		c.Notes = append(c.Notes, manySites(s.Host, names, counts))
		for n, name := range names {
			own := Site{Host: name}
			for i, in := range s.Pages {
				if of[i] == name || of[i] == "" && n == 0 {
					own.Pages = append(own.Pages, in)
				}
			}
			parted = append(parted, own)
		}
	}
	c.Sites = parted
}

// shownSites is the most sites that a message names.
const shownSites = 5

func manySites(folder string, names []string, counts map[string]int) string {
	var shown []string
	for _, n := range names[:min(len(names), shownSites)] {
		shown = append(shown, fmt.Sprintf("%s (%d)", n, counts[n]))
	}
	if len(names) > shownSites {
		shown = append(shown, fmt.Sprintf("%d more", len(names)-shownSites))
	}
	return fmt.Sprintf("%s holds pages of %d sites, each learned by itself: %s", folder, len(names), strings.Join(shown, ", "))
}

// savedFrom is the site that the page says it is of. A page that can't be read says nothing; that is reported when it
// is cleaned.
func (p *Page) savedFrom() string {
	if p.File == "" {
		return evaluate.SavedFrom(p.Data)
	}
	f, err := os.Open(p.File)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // it was only read
	head, err := io.ReadAll(io.LimitReader(f, maxHead))
	if err != nil {
		return ""
	}
	return evaluate.SavedFrom(head)
}
