package pagelets

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
	"github.com/winnow-proxy/winnow/model/page"
)

func TestContract(t *testing.T) {
	modeltest.Check(t, Detector{}, model.DefaultLimits())
	small := model.Limits{Memory: 64 << 10, Encoded: 16 << 10}
	modeltest.Check(t, Detector{Options: Options{Limits: small}}, small)
}

// Partitions computed by hand: between = and ; are the id and the text of a pagelet.
func TestPartition(t *testing.T) {
	const a = "<a href=/>x</a>"
	three := a + a + a
	for _, tt := range []struct{ name, body, want string }{
		{"a page with few links is one pagelet", `<div id=d>text` + a + a + `</div>`, "body=textxx"},
		{"so is one whose links are spread", `<p>` + a + `</p><p>` + a + a + `</p><p>` + a + `</p>`, "body=xxxx"},
		{"a child with three links splits its parent, and all children are looked at",
			`<ul id=menu><li>` + a + `<li>` + a + `<li>` + a + `</ul><div id=d>text</div>`, "menu=xxx;d=text"},
		{"and so on below", `<div><ul id=menu>` + three + `</ul><p id=p>one</p></div><div id=d><b>two</b>` + a + a + `</div>`,
			"menu=xxx;p=one;d=twoxx"},
		{"three links in a child of a child split twice", `<div><div><div id=in>` + three + `</div><p id=p>q</p></div></div>`, "in=xxx;p=q"},
		{"text beside pagelets is in none", `beside<div id=in>` + three + `</div>`, "in=xxx"},
		{"names are no links", `<div><a name=x>a</a><a name=y>b</a><a name=z>c</a></div>`, "body=abc"},
		{"an element without text is no pagelet", `<div id=in>` + three + `</div><div><img src=x></div>`, "in=xxx"},
	} {
		p := modeltest.Parse(t, "<body>"+tt.body)
		var got []string
		for _, e := range partition(p, 3) {
			name, ok := p.Attr(e, "id")
			if !ok {
				name = p.Elements[e].Name
			}
			text := name + "="
			for _, tx := range p.Texts[p.Elements[e].TextStart:p.Elements[e].TextEnd] {
				text += strings.TrimSpace(tx.Data)
			}
			got = append(got, text)
		}
		if s := strings.Join(got, ";"); s != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, s, tt.want)
		}
	}
}

// Recurring text is removed from the second page on. Text of the page itself stays.
func TestTemplatesGo(t *testing.T) {
	site := modeltest.Site(4)
	h := modeltest.Learned(t, Detector{}, site[0])
	if noise := modeltest.Noise(t, h, site[0], 0); noise != nil {
		t.Errorf("the first page, fetched again: noise %q", noise)
	}
	// Partition finds the menu, the share box and the rows of the footer as pagelets. The header, the heading and the
	// paragraphs around them are pagelets too, because body has children with three links.
	for n, doc := range site { // all but the first are new
		var others []string
		if n > 0 {
			others = modeltest.Template()
		}
		if diff := cmp.Diff(others, modeltest.Noise(t, h, doc, n)); diff != "" {
			t.Errorf("page %d:\n%s", n, diff)
		}
	}
}

// A page that the site serves under several URLs is not its own template.
func TestDuplicatesCountOnce(t *testing.T) {
	site := modeltest.Site(2)
	h := modeltest.Learned(t, Detector{}, site[0], site[0], site[0])
	if noise := modeltest.Noise(t, h, site[0], 9); noise != nil {
		t.Errorf("noise %q", noise)
	}
	p := modeltest.Parse(t, site[1])
	m := h.Mark(p, modeltest.Visit(9))
	for b, v := range m.Verdicts {
		if v.Noise && v.Score != 0.5 { // one other page: 1/(1+1)
			t.Errorf("%s: score %v", p.BlockText(nil, page.BlockID(b)), v.Score)
		}
	}
	if len(m.Marks) == 0 {
		t.Error("no template")
	}
}

func TestRecurs(t *testing.T) {
	d := Detector{Options: Options{Recurs: 3}}
	site := modeltest.Site(3)
	if noise := modeltest.Noise(t, modeltest.Learned(t, d, site[:1]...), site[2], 2); noise != nil {
		t.Errorf("noise on two pages: %q", noise)
	}
	if noise := modeltest.Noise(t, modeltest.Learned(t, d, site[:2]...), site[2], 2); noise == nil {
		t.Error("no noise on three pages")
	}
}

// A small change usually keeps the shingle, and another text has another one.
func TestShingle(t *testing.T) {
	h := Detector{Options: Options{Words: 3, Sketch: 2}}.New(modeltest.Key()).(*host)
	of := func(words ...string) uint64 {
		var hashes []uint64
		for _, w := range words {
			hashes = append(hashes, h.Hasher().String(w))
		}
		return h.shingle(hashes)
	}
	if of("a", "b") == of("a", "c") || of("a", "b", "c") == of("a", "b") || of() == of("a") {
		t.Error("short texts are not told apart")
	}
	var long []string
	for i := range 100 {
		long = append(long, fmt.Sprint("w", i))
	}
	same := 0
	for i := range long {
		changed := slices.Clone(long)
		changed[i] = "other"
		if of(changed...) == of(long...) {
			same++
		}
	}
	// The shingle consists of two sequences of three words: it shows a change of one of six words, and a few more words
	// add a sequence that comes first.
	if same < 84 || same > 94 {
		t.Errorf("%d of %d changes leave the shingle", same, len(long))
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(records{}.Append(nil, &record{1, []uint64{2, 3}}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		in := codec.Format{What: "test"}.Part(b)
		r := records{}.Read(in)
		if in.Close() != nil {
			return
		}
		again := codec.Format{What: "test"}.Part(records{}.Append(nil, r))
		if back := (records{}).Read(again); again.Close() != nil || back.page != r.page || !slices.Equal(back.shingles, r.shingles) {
			t.Fatalf("%v became %v", r, back)
		}
		if (records{}).Bytes(r) < 8*len(r.shingles) {
			t.Fatalf("%d bytes for %d shingles", records{}.Bytes(r), len(r.shingles))
		}
	})
}

// One operation marks a page beside 500 others.
func BenchmarkMark(b *testing.B) {
	site := modeltest.Site(500)
	h := modeltest.Learned(b, Detector{}, site...)
	p := modeltest.Parse(b, site[0])
	for b.Loop() {
		h.Mark(p, modeltest.Visit(0))
	}
}
