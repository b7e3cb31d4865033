package page

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
)

// keptBlocks returns what stays of each block, also if a mark is inside a block.
func keptBlocks(p *Page, m *Marking) []string {
	gone, kept := p.selected(m), []string{}
	for _, bl := range p.Blocks {
		var b strings.Builder
		for i := bl.TextStart; i < bl.TextEnd; i++ {
			if p.Texts[i].Block != None && !gone.texts[i] && !gone.holds(p, p.Texts[i].Parent) {
				b.WriteString(p.Texts[i].Data)
			}
		}
		if s := strings.Join(strings.Fields(b.String()), " "); s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

func mustParse(t rapid.TB, src []byte, contentType string) *Page {
	t.Helper()
	p, err := Parse(src, contentType)
	if err != nil {
		t.Fatalf("Parse(%q): %v", src, err)
	}
	return p
}

// none is a marking that finds no noise.
func none(p *Page) *Marking { return &Marking{Verdicts: make([]Verdict, len(p.Blocks))} }

func describe(p *Page, m *Marking) (s []string) {
	for _, k := range m.Marks {
		if k.Element == None {
			s = append(s, string(p.BlockText(nil, k.BlockStart)))
		} else {
			o := p.Elements[k.Element].Outer
			s = append(s, p.Elements[k.Element].Name+"="+string(p.Source[o.Start:o.End]))
		}
	}
	return s
}

// numbered returns the numbered words of blocks, sorted, because foster parenting moves words.
func numbered(blocks []string) []string {
	words := regexp.MustCompile(`\bw\d+\b`).FindAllString(strings.Join(blocks, " "), -1)
	slices.Sort(words)
	return words
}

var update = flag.Bool("update", false, "write the golden files anew") //nolint:gochecknoglobals // flags are

// markNoise marks each outermost element of class "noise", with its id as kind if it has one, and each block outside of
// these whose text starts with "NOISE".
func markNoise(p *Page) *Marking {
	m := &Marking{Verdicts: make([]Verdict, len(p.Blocks)), Pages: 3, PageKind: PageArticle}
	for b := range p.Blocks {
		m.Verdicts[b].Score = 0.125
	}
	for e := ElementID(0); int(e) < len(p.Elements); {
		el := &p.Elements[e]
		if class, _ := p.Attr(e, "class"); class != "noise" {
			e++
			continue
		}
		m.Marks = append(m.Marks, Mark{Element: e, BlockStart: el.BlockStart, BlockEnd: el.BlockEnd, Kind: kindByName(p, e), Score: 0.75})
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			m.Verdicts[b] = Verdict{true, 0.75}
		}
		e = el.Sub
	}
	for b := range p.Blocks {
		id := BlockID(b)
		if !m.Verdicts[b].Noise && bytes.HasPrefix(p.BlockText(nil, id), []byte("NOISE")) {
			m.Verdicts[b] = Verdict{true, 0.75}
			m.Marks = append(m.Marks, Mark{Element: None, BlockStart: id, BlockEnd: id + 1, Kind: KindOther, Score: 0.75})
		}
	}
	slices.SortStableFunc(m.Marks, func(a, b Mark) int { return int(a.BlockStart) - int(b.BlockStart) })
	return m
}

func kindByName(p *Page, e ElementID) Kind {
	id, _ := p.Attr(e, "id")
	for k := KindOther; k <= KindTOC; k++ {
		if k.String() == id {
			return k
		}
	}
	return KindOther
}

func golden(t *testing.T, file string, got []byte) {
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

// wholeBlocks leaves out the marks that cut a block in two.
func wholeBlocks(p *Page, m *Marking) *Marking {
	m.Marks = slices.DeleteFunc(m.Marks, func(k Mark) bool { return k.Element != None && IsInline(p.Elements[k.Element].Tag) })
	m.Verdicts = make([]Verdict, len(p.Blocks))
	for _, k := range m.Marks {
		for b := k.BlockStart; b < k.BlockEnd; b++ {
			m.Verdicts[b] = Verdict{true, 1}
		}
	}
	return m
}

// corpusPages returns the files of up to n pages of each site of the corpus. It skips the test if there is none.
func corpusPages(t *testing.T, n int) (files []string) {
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

// allocated returns the total memory that f allocates, which is at least its peak.
func allocated(f func()) uint64 {
	runtime.GC()
	runtime.GC() // the second empties the pools
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func decoded(p *Page, body []byte) ([]byte, error) {
	enc, err := encodingByName(p.Charset)
	if err != nil {
		return nil, err
	}
	return enc.decode(body)
}

// plainModes are the modes whose output is the page's text for programs and readers.
func plainModes() []Mode {
	return []Mode{ModeText, ModeMarkdown, ModeJSON, ModeReader, ModeLite, ModeVintage}
}

func plainText(p *Page, m *Marking) string {
	text, _ := p.plainText(p.viewContent(m, viewOptions{}))
	return text
}
