package page

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// randomMarking marks elements and runs of blocks at random, disjoint and in document order, with matching verdicts.
func randomMarking(p *Page, draw func(n int) int) *Marking {
	m := &Marking{Verdicts: make([]Verdict, len(p.Blocks))}
	rate := 2 + draw(8)
	for e := max(p.Body, 0); int(e) < len(p.Elements); {
		el := &p.Elements[e]
		if e <= p.Body || draw(rate) != 0 || el.Tag == 0 && draw(2) == 0 {
			if b, ok := p.looseBlock(e); ok && draw(rate) == 0 {
				m.Marks = append(m.Marks, Mark{Element: None, BlockStart: b, BlockEnd: b + 1, Kind: KindOther})
				m.Verdicts[b] = Verdict{true, 1}
			}
			e++
			continue
		}
		m.Marks = append(m.Marks, Mark{Element: e, BlockStart: el.BlockStart, BlockEnd: el.BlockEnd, Kind: Kind(1 + draw(14)), Score: 1})
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			m.Verdicts[b] = Verdict{true, 1}
		}
		e = el.Sub
	}
	return m
}

// looseBlock returns a block directly in e, without anything inside that could be marked.
func (p *Page) looseBlock(e ElementID) (BlockID, bool) {
	el := &p.Elements[e]
	for b := el.BlockStart; b < el.BlockEnd; b++ {
		bl := p.Blocks[b]
		loose := bl.Element == e && bl.TextEnd-bl.TextStart == 1 && p.Texts[bl.TextStart].Parent == e
		if loose && (el.BlockEnd-el.BlockStart > 1) && el.TextEnd-el.TextStart > 1 {
			return b, true
		}
	}
	return None, false
}

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

// wellFormed draws an HTML fragment in which everything is closed and nested as the standard requires.
func wellFormed(t *rapid.T) string {
	var b strings.Builder
	n := 0
	text := func() { n++; fmt.Fprintf(&b, " w%d ", n) }
	var flow func(depth int)
	phrase := func() {
		switch rapid.IntRange(0, 5).Draw(t, "phrase") {
		case 0:
			b.WriteString(`<a href="/x?a=1&amp;b=2">`)
			text()
			b.WriteString("</a>")
		case 1:
			b.WriteString("<em>")
			text()
			b.WriteString("</em>")
		case 2:
			b.WriteString(`<img src="a.png" alt="x">`)
		case 3:
			b.WriteString("<!-- > comment -->")
		default:
			text()
		}
	}
	flow = func(depth int) {
		for range rapid.IntRange(1, 4).Draw(t, "siblings") {
			kind := rapid.IntRange(0, 9).Draw(t, "flow")
			switch {
			case kind <= 2 || depth == 0:
				phrase()
			case kind == 3:
				b.WriteString("<p>")
				phrase()
				phrase()
				b.WriteString("</p>")
			case kind == 4:
				b.WriteString("<ul>")
				for range 2 {
					b.WriteString("<li>")
					flow(depth - 1)
					b.WriteString("</li>")
				}
				b.WriteString("</ul>")
			case kind == 5:
				b.WriteString("<table><tbody>")
				for range 2 {
					b.WriteString("<tr><td>")
					flow(depth - 1)
					b.WriteString("</td><td>")
					text()
					b.WriteString("</td></tr>")
				}
				b.WriteString("</tbody></table>")
			case kind == 6:
				b.WriteString("<script>if (a<b) document.write('</p>')</script>")
			case kind == 7:
				b.WriteString("<h2>")
				phrase()
				b.WriteString("</h2>")
			default:
				b.WriteString(`<div class="c">`)
				flow(depth - 1)
				b.WriteString("</div>")
			}
		}
	}
	flow(3)
	return "<!DOCTYPE html><html><head><title>t</title></head><body>" + b.String() + "</body></html>"
}

// implied draws HTML without the end tags that the standard lets authors omit. Other elements are closed.
func implied(t *rapid.T) string {
	src := wellFormed(t)
	optional := regexp.MustCompile(`</(p|li|td|tr|tbody|body|html)>`)
	return optional.ReplaceAllStringFunc(src, func(tag string) string {
		if rapid.Bool().Draw(t, "leave out") {
			return ""
		}
		return tag
	})
}

// soup draws tags and texts without any order.
func soup(t *rapid.T) string {
	parts := []string{"<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<a href=x>", "</a>", "<table>", "</table>", "<tr>", "<td>",
		"</td>", "<ul>", "<li>", "</ul>", "<i>", "</i>", "<br>", "<h1>", "</h1>", "<span>", "</span>", "<!-- c -->", "<font size=1>",
		"<script>x<y</script>", "<style>p{}</style>", "<svg><style>x</style><path/></svg>", "&amp;", "&am", "p;", "<", " ", "é", "<b",
		"<form>", "</form>", "<th>", "<caption>", "<select><option>", "</select>", "<button>", "<textarea>", "</textarea>"}
	var b strings.Builder
	for i, n := range rapid.SliceOfN(rapid.IntRange(0, 2*len(parts)-1), 0, 40).Draw(t, "soup") {
		if n < len(parts) {
			b.WriteString(parts[n])
		} else {
			fmt.Fprintf(&b, " w%d ", i)
		}
	}
	return b.String()
}

func drawer(t *rapid.T) func(n int) int {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "mark") }
}

func mustParse(t rapid.TB, src []byte, contentType string) *Page {
	t.Helper()
	p, err := Parse(src, contentType)
	if err != nil {
		t.Fatalf("Parse(%q): %v", src, err)
	}
	return p
}

func TestRemoveLeavesExactlyTheContent(t *testing.T) {
	for name, gen := range map[string]func(*rapid.T) string{"well formed": wellFormed, "end tags implied": implied} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				src := gen(t)
				p := mustParse(t, []byte(src), "")
				m := randomMarking(p, drawer(t))
				out, err := Write(p, m, ModeRemove)
				if err != nil {
					t.Fatalf("%v in %s", err, src)
				}
				again := mustParse(t, out.Body, "")
				if diff := cmp.Diff(keptBlocks(p, m), keptBlocks(again, none(again))); diff != "" {
					t.Fatalf("blocks (-kept +in the output):\n%s\nsource %s\noutput %s\nmarks %v", diff, src, out.Body, describe(p, m))
				}
			})
		})
	}
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

// In tag soup a removed element may have changed how the parser reads the rest (reopened formatting, content moved out
// of tables), so blocks may join or split. But no word of content may get lost, and no word of noise may stay.
func TestRemoveKeepsTheWordsOfTagSoup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := soup(t)
		p := mustParse(t, []byte(src), "text/html; charset=utf-8")
		m := randomMarking(p, drawer(t))
		out, err := Write(p, m, ModeRemove)
		if err != nil {
			return
		}
		again := mustParse(t, out.Body, "text/html; charset=utf-8")
		want, got := numbered(keptBlocks(p, m)), numbered(keptBlocks(again, none(again)))
		if !slices.Equal(want, got) {
			t.Fatalf("words kept %v, want %v\nsource %s\noutput %s\nmarks %v", got, want, src, out.Body, describe(p, m))
		}
	})
}

// numbered returns the numbered words of blocks, sorted, because foster parenting moves words.
func numbered(blocks []string) []string {
	words := regexp.MustCompile(`\bw\d+\b`).FindAllString(strings.Join(blocks, " "), -1)
	slices.Sort(words)
	return words
}

func TestWithoutMarksNothingChanges(t *testing.T) {
	check := func(t rapid.TB, src []byte, contentType string) {
		p, err := Parse(src, contentType)
		if err != nil {
			return
		}
		for _, mode := range []Mode{ModeOff, ModeRemove} {
			out, err := Write(p, none(p), mode)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Body, src) {
				t.Errorf("%s of %q gives %q", mode, src, out.Body)
			}
		}
	}
	for _, src := range malformed() {
		check(t, []byte(src), "")
	}
	rapid.Check(t, func(t *rapid.T) { check(t, []byte(soup(t)), "text/html; charset=utf-8") })
}

// stripTags removes the attributes of tag mode.
func stripTags(b []byte) []byte {
	return regexp.MustCompile(` data-winnow="[a-z]+" data-winnow-kind="[a-z-]+" data-winnow-score="[0-9.]+"`).ReplaceAll(b, nil)
}

func TestTagAddsAttributesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.OneOf(rapid.Custom(soup), rapid.Custom(wellFormed)).Draw(t, "source")
		p := mustParse(t, []byte(src), "text/html; charset=utf-8")
		out, err := Write(p, randomMarking(p, drawer(t)), ModeTag)
		if errors.Is(err, ErrUnsafe) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := string(stripTags(out.Body)); got != src {
			t.Fatalf("without the attributes\n got %q\nwant %q", got, src)
		}
		// The parser must see attributes and nothing else new.
		again := mustParse(t, out.Body, "text/html; charset=utf-8")
		if len(again.Elements) != len(p.Elements) || len(again.Blocks) != len(p.Blocks) {
			t.Fatalf("tagging changed the tree of %q into that of %q", src, out.Body)
		}
	})
}

func TestRemoveKeepsScriptsThatStay(t *testing.T) {
	raw := regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`)
	rapid.Check(t, func(t *rapid.T) {
		src := wellFormed(t)
		p := mustParse(t, []byte(src), "")
		m := randomMarking(p, drawer(t))
		for i := range m.Marks {
			m.Marks[i].Kind = KindNav // adverts take their scripts along
		}
		out, err := Write(p, m, ModeRemove)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(raw.FindAllString(src, -1), raw.FindAllString(string(out.Body), -1)); diff != "" {
			t.Fatalf("scripts (-source +output):\n%s", diff)
		}
	})
}
