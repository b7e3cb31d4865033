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

// maxHead bounds how much of a saved page is read to find the site that it declares.
const maxHead = 64 << 10

// part divides sites whose pages declare different sites, because the template of one says nothing about another. Pages
// without a declaration stay with the most frequent site.
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

// shownSites bounds how many sites a message names.
const shownSites = 5

func manySites(folder string, names []string, counts map[string]int) string {
	var shown []string
	for _, n := range names[:min(len(names), shownSites)] {
		shown = append(shown, fmt.Sprintf("%s (%d)", n, counts[n]))
	}
	if len(names) > shownSites {
		shown = append(shown, fmt.Sprintf("%d more", len(names)-shownSites))
	}
	return fmt.Sprintf("%s has pages of %d sites, each learned separately: %s", folder, len(names), strings.Join(shown, ", "))
}

// savedFrom is the site that the page declares. A page that can't be read declares none; cleaning reports it.
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
