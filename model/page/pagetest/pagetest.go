// Package pagetest has what tests of pages and outputs share: pages, markings, golden files, and pages in a browser.
package pagetest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/charset"
	"github.com/winnow-proxy/winnow/model/page/write/content"
	"github.com/winnow-proxy/winnow/model/page/write/plaintext"
)

// KeptBlocks returns what stays of each block, also if a mark is inside a block.
func KeptBlocks(p *page.Page, m *page.Marking) []string {
	gone, kept := p.Selected(m), []string{}
	for _, bl := range p.Blocks {
		var b strings.Builder
		for i := bl.TextStart; i < bl.TextEnd; i++ {
			if p.Texts[i].Block != page.None && !gone.Texts[i] && !gone.Holds(p, p.Texts[i].Parent) {
				b.WriteString(p.Texts[i].Data)
			}
		}
		if s := strings.Join(strings.Fields(b.String()), " "); s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// MustParse parses a page.
func MustParse(t rapid.TB, src []byte, contentType string) *page.Page {
	t.Helper()
	p, err := page.Parse(src, contentType)
	if err != nil {
		t.Fatalf("Parse(%q): %v", src, err)
	}
	return p
}

// None is a marking that finds no noise.
func None(p *page.Page) *page.Marking {
	return &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
}

// Describe lists the marked parts.
func Describe(p *page.Page, m *page.Marking) (s []string) {
	for _, k := range m.Marks {
		if k.Element == page.None {
			s = append(s, string(p.BlockText(nil, k.BlockStart)))
		} else {
			o := p.Elements[k.Element].Outer
			s = append(s, p.Elements[k.Element].Name+"="+string(p.Source[o.Start:o.End]))
		}
	}
	return s
}

// Numbered returns the numbered words of blocks, sorted, because foster parenting moves words.
func Numbered(blocks []string) []string {
	words := regexp.MustCompile(`\bw\d+\b`).FindAllString(strings.Join(blocks, " "), -1)
	slices.Sort(words)
	return words
}

var update = flag.Bool("update", false, "write the golden files anew") //nolint:gochecknoglobals // flags are

// MarkNoise marks each outermost element of class "noise", with its id as kind if it has one, and each block outside of
// these whose text starts with "NOISE".
func MarkNoise(p *page.Page) *page.Marking {
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Pages: 3, PageKind: page.PageArticle}
	for b := range p.Blocks {
		m.Verdicts[b].Score = 0.125
	}
	for e := page.ElementID(0); int(e) < len(p.Elements); {
		el := &p.Elements[e]
		if class, _ := p.Attr(e, "class"); class != "noise" {
			e++
			continue
		}
		m.Marks = append(m.Marks, page.Mark{Element: e, BlockStart: el.BlockStart, BlockEnd: el.BlockEnd, Kind: kindByName(p, e), Score: 0.75})
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			m.Verdicts[b] = page.Verdict{Noise: true, Score: 0.75}
		}
		e = el.Sub
	}
	for b := range p.Blocks {
		id := page.BlockID(b)
		if !m.Verdicts[b].Noise && bytes.HasPrefix(p.BlockText(nil, id), []byte("NOISE")) {
			m.Verdicts[b] = page.Verdict{Noise: true, Score: 0.75}
			m.Marks = append(m.Marks, page.Mark{Element: page.None, BlockStart: id, BlockEnd: id + 1, Kind: page.KindOther, Score: 0.75})
		}
	}
	slices.SortStableFunc(m.Marks, func(a, b page.Mark) int { return int(a.BlockStart) - int(b.BlockStart) })
	return m
}

func kindByName(p *page.Page, e page.ElementID) page.Kind {
	id, _ := p.Attr(e, "id")
	for k := page.KindOther; k <= page.KindTOC; k++ {
		if k.String() == id {
			return k
		}
	}
	return page.KindOther
}

// Golden compares with a golden file, which -update writes anew.
func Golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// WholeBlocks leaves out the marks that cut a block in two.
func WholeBlocks(p *page.Page, m *page.Marking) *page.Marking {
	m.Marks = slices.DeleteFunc(m.Marks, func(k page.Mark) bool { return k.Element != page.None && page.IsInline(p.Elements[k.Element].Tag) })
	m.Verdicts = make([]page.Verdict, len(p.Blocks))
	for _, k := range m.Marks {
		for b := k.BlockStart; b < k.BlockEnd; b++ {
			m.Verdicts[b] = page.Verdict{Noise: true, Score: 1}
		}
	}
	return m
}

// CorpusPages returns the files of up to n pages of each site of the corpus. It skips the test if there is none.
func CorpusPages(t *testing.T, n int) (files []string) {
	t.Helper()
	root := os.Getenv("WINNOW_CORPUS")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	sites, _ := filepath.Glob(filepath.Join(root, "sites", "*", "pages"))
	if len(sites) == 0 {
		t.Skip("corpus absent: set WINNOW_CORPUS to a folder with sites/")
	}
	for _, s := range sites {
		pages, _ := filepath.Glob(filepath.Join(s, "*"))
		files = append(files, pages[:min(n, len(pages))]...)
	}
	return files
}

// Allocated returns the total memory that f allocates, which is at least its peak.
func Allocated(f func()) uint64 {
	runtime.GC()
	runtime.GC() // the second empties the pools
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Decoded returns an output of p in UTF-8.
func Decoded(p *page.Page, body []byte) ([]byte, error) {
	enc, err := charset.ByName(p.Charset)
	if err != nil {
		return nil, err
	}
	return enc.Decode(body)
}

// PlainModes are the modes whose output is the page's text for programs and readers.
func PlainModes() []page.Mode {
	return []page.Mode{page.ModeText, page.ModeMarkdown, page.ModeJSON, page.ModeReader, page.ModeLite, page.ModeVintage}
}

// PlainText is the content as mode text writes it.
func PlainText(p *page.Page, m *page.Marking) string {
	text, _ := plaintext.Plain(p, content.Of(p, m, content.Options{}))
	return text
}
