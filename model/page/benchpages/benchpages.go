// Package benchpages has the pages for benchmarks: those of a made-up site, and those of the measuring corpus if it is
// available. They are the same in every run, so that benchstat can compare runs.
package benchpages

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ContentType is the Content-Type of all pages.
const ContentType = "text/html; charset=utf-8"

// Site is a site with its pages in the order of their arrival.
type Site struct {
	// Name is the host.
	Name string
	// Pages are sources in HTML.
	Pages [][]byte
}

// URL returns the address of a page.
func (s *Site) URL(page int) string { return fmt.Sprintf("http://%s/%04d.html", s.Name, page) }

// Made returns a made-up site of n pages of about 20 kB each, with the menu, the teasers and the footer of a magazine.
func Made(n int) Site {
	s := Site{Name: "made.example"}
	for i := range n {
		s.Pages = append(s.Pages, MadePage(i))
	}
	return s
}

// MadePage returns the i-th page of the made-up site.
func MadePage(i int) []byte {
	rng := rand.New(rand.NewPCG(uint64(i), 31))
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%s ", stems[rng.IntN(len(stems))]+ends[rng.IntN(len(ends))])
		}
		return strings.TrimSpace(b.String())
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>%s - Made</title>"+
		"<style>.menu li{float:left}.off{display:none}</style></head><body class=\"page page-%d\">"+
		"<header id=top><a class=logo href=/><img src=/logo.png alt=Made></a><ul class=menu>", words(5), i)
	for j := range 40 {
		fmt.Fprintf(&b, `<li class="item level-%d"><a href="/section/%d?ref=nav&amp;x=%d">Section %s</a></li>`, j%3, j, j, stems[j%len(stems)])
	}
	fmt.Fprintf(&b, "</ul></header><main class=wrap><article id=a%d><h1>%s</h1><p class=byline>By %s, %d May 2024</p>", i, words(5), words(2), 1+i%28)
	for range 14 {
		fmt.Fprintf(&b, "<p>%s <em>%s</em>, and <a href=\"/page/%d\">%s</a> &ndash; %s.</p>\n", words(40), words(2), rng.IntN(900), words(2), words(20))
	}
	b.WriteString("</article><aside class=\"sidebar related\"><h3>More stories</h3><ul>")
	for range 24 {
		fmt.Fprintf(&b, `<li class=teaser><a href="/page/%d"><img src="/t/%d.jpg" alt=""><h4>%s</h4></a><p>%s. <span class=date>%d May</span></p></li>`,
			rng.IntN(900), rng.IntN(900), words(6), words(14), 1+rng.IntN(28))
	}
	b.WriteString("</ul><div class=ad><a href=\"//ads.example/1\">Buy this now</a></div></aside></main><footer class=footer><table>")
	for j := range 20 {
		fmt.Fprintf(&b, "<tr><td><a href=/f/%d>%s %s</a><td>Tel. %d", j, stems[j%len(stems)], ends[j%len(ends)], 1000+j)
	}
	b.WriteString("</table><p>© Made. All rights reserved. <a href=/legal>Imprint</a></p></footer><script>track(\"" + words(300) + "\")</script></body></html>")
	return b.Bytes()
}

//nolint:gochecknoglobals // parts of made-up words
var (
	stems = strings.Fields("bar cal dor fen gul hap ist jor kel lim mor nav oss pel quin ran sil tor ulm ver wis yar zel ambr brin clo drev")
	ends  = strings.Fields("a en or ish ata ing el um ant ost ive ora est ina")
)

// Corpus returns up to n sites of the measuring corpus that have more than the given number of pages. WINNOW_CORPUS
// names the folder of the corpus. Without it there are none.
func Corpus(b *testing.B, n, pages int) (sites []Site) {
	b.Helper()
	root := os.Getenv("WINNOW_CORPUS")
	if root == "" {
		return nil
	}
	folders, _ := filepath.Glob(filepath.Join(root, "sites", "*"))
	for _, folder := range folders {
		files, _ := filepath.Glob(filepath.Join(folder, "pages", "*.html"))
		if len(files) <= pages || len(sites) == n {
			continue
		}
		s := Site{Name: filepath.Base(folder)}
		for _, file := range files[:pages+1] {
			src, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			s.Pages = append(s.Pages, src)
		}
		sites = append(sites, s)
	}
	return sites
}
