package blend

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

func detector(t interface{ Fatal(...any) }) *Detector {
	d, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func parse(t interface{ Fatal(...any) }, src string) *page.Page {
	p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sitePage is page i of a little site: a template around an article.
func sitePage(i int) string {
	words := strings.Fields("river stone lamp harbour winter copper garden letter market engine island candle window forest bridge silver")
	var body strings.Builder
	for s := range 6 {
		body.WriteString("<p>")
		for w := range 24 {
			fmt.Fprintf(&body, "%s ", words[(i*7+s*5+w*(i+s+1))%len(words)])
		}
		fmt.Fprintf(&body, "number %d of %d.</p>", s, i)
	}
	return fmt.Sprintf(`<html><head><title>Story %d</title></head><body><div class="top"><a href="/">Start</a> <a href="/a">Stories</a>
		<a href="/b">About us</a></div><div class="story"><h1>Story %d</h1>%s</div><div class="end"><p>All stories on this site
		belong to the people who wrote them and may be read by everybody at any time.</p><a href="/c">Imprint</a></div></body></html>`,
		i, i, body.String())
}

func visit(i int) model.Visit {
	return model.Visit{URL: fmt.Sprintf("http://host.example/%d", i), At: time.Unix(int64(1e9+i), 0)}
}

// taught is a host model that has learned the pages in order.
func taught(t interface{ Fatal(...any) }, d *Detector, pages ...int) *Host {
	h := d.newHost(model.Key{})
	for _, i := range pages {
		h.Observe(parse(t, sitePage(i)), visit(i))
	}
	return h
}

// noisyText joins the texts of the noisy blocks.
func noisyText(p *page.Page, m *page.Marking) string {
	var b []byte
	for i, v := range m.Verdicts {
		if v.Noise {
			b = append(p.BlockText(b, page.BlockID(i)), '\n')
		}
	}
	return string(b)
}

func TestHostLearnsTheTemplate(t *testing.T) {
	h := taught(t, detector(t), 1, 2, 3, 4, 5)
	p := parse(t, sitePage(9))
	m := h.Mark(p, visit(9))
	got := noisyText(p, m)
	for _, s := range []string{"About us", "belong to the people", "Imprint"} {
		if !strings.Contains(got, s) {
			t.Errorf("%q stays", s)
		}
	}
	if strings.Contains(got, "number 3 of 9") || strings.Contains(got, "Story 9") {
		t.Errorf("content goes: %q", got)
	}
	if m.Pages != 5 {
		t.Errorf("the marking rests on %d pages, want 5", m.Pages)
	}
	if got := h.Tree().Pages(); got != 5 {
		t.Errorf("the style tree has learned %d pages, want 5", got)
	}
}

func TestFirstPageKeepsItsArticle(t *testing.T) {
	p := parse(t, sitePage(1))
	m := detector(t).New(model.Key{}).Mark(p, visit(1))
	if got := noisyText(p, m); strings.Contains(got, "number") {
		t.Errorf("content goes on the first page: %q", got)
	}
}

// A page that is fetched again must have the same marking as the first time, even if there are few other pages.
func TestAPageIsNoRepetitionOfItself(t *testing.T) {
	d := detector(t)
	for _, others := range [][]int{nil, {2}, {2, 3, 4}} {
		before, after := taught(t, d, others...), taught(t, d, others...)
		p := parse(t, sitePage(1))
		want := noisyText(p, before.Mark(p, visit(1)))
		for range 50 {
			after.Observe(p, visit(1))
		}
		if got := noisyText(p, after.Mark(p, visit(1))); got != want {
			t.Errorf("after %d others, noise on the second visit is %q, on the first %q", len(others), got, want)
		}
		if got := noisyText(p, after.Mark(p, model.Visit{URL: "http://host.example/1?session=7"})); strings.Contains(got, "number") {
			t.Errorf("after %d others, content goes under another URL: %q", len(others), got)
		}
	}
}

func TestMergeAndEncode(t *testing.T) {
	d := detector(t)
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 30), 0, 4), 3, 3).Draw(t, "pages")
		for i := range parts { // no page in two parts
			for j := range parts[i] {
				parts[i][j] = parts[i][j]*3 + i
			}
		}
		model := func(i int) *Host { return taught(t, d, parts[i]...) }
		merge := func(a, b *Host) *Host {
			if err := a.Merge(b); err != nil {
				t.Fatal(err)
			}
			return a
		}
		encode := func(h *Host) string {
			b, err := h.Encode()
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		left := encode(merge(merge(model(0), model(1)), model(2)))
		if right := encode(merge(model(0), merge(model(1), model(2)))); left != right {
			t.Error("merging is not associative")
		}
		if turned := encode(merge(merge(model(2), model(0)), model(1))); left != turned {
			t.Error("merging is not commutative")
		}
		back, err := d.Decode(merge(model(0), model(1)).key, []byte(left))
		if err != nil {
			t.Fatal(err)
		}
		if encode(back.(*Host)) != left {
			t.Error("decoding does not give back what was encoded")
		}
	})
}

func TestMergeRefusesStrangers(t *testing.T) {
	d := detector(t)
	if err := d.newHost(model.Key{1}).Merge(d.newHost(model.Key{2})); !errors.Is(err, model.ErrMismatch) {
		t.Errorf("models of different keys: %v, want ErrMismatch", err)
	}
}

func TestBudgets(t *testing.T) {
	d := detector(t)
	d.limits = model.Limits{Memory: 96 << 10, Encoded: 24 << 10}
	h := d.newHost(model.Key{})
	for i := range 60 {
		var b strings.Builder
		for j := range 200 {
			fmt.Fprintf(&b, "<div id=x%dy%d><p>unheard of %d-%d</p></div>", i, j, i, j*i)
		}
		h.Observe(parse(t, "<title>"+fmt.Sprint(i)+"</title><body>"+b.String()), visit(i))
		if got := h.memory.bytes(); got > h.memory.budget {
			t.Fatalf("after %d pages the memory takes %d bytes, more than %d", i+1, got, h.memory.budget)
		}
	}
	b, err := h.Encode()
	if err != nil || len(b) > d.limits.Encoded {
		t.Fatalf("the encoding takes %d bytes, more than %d: %v", len(b), d.limits.Encoded, err)
	}
	if _, err := d.Decode(model.Key{}, b); err != nil {
		t.Fatal(err)
	}
}

func TestEncodeSaysThatTheLimitIsTooLow(t *testing.T) {
	h := taught(t, detector(t), 1, 2)
	tree, err := h.tree.Encode()
	if err != nil {
		t.Fatal(err)
	}
	h.d.limits.Encoded = len(tree)
	if _, err := h.Encode(); err == nil || !strings.Contains(err.Error(), "raise it") {
		t.Errorf("a model without room for its memory: %v, want an error that says what to do", err)
	}
}

func TestDecayForgets(t *testing.T) {
	m := newMemory(1 << 20)
	v := viewOf(t, "<body><p>one</p><p>two</p>")
	for range 2*horizon - 1 {
		m.add(m.increment(v, []float32{0, 1}))
	}
	if m.pages != 2*horizon-1 {
		t.Fatalf("%d pages before the decay", m.pages)
	}
	m.add(m.increment(viewOf(t, "<body><p>three</p>"), []float32{0}))
	if m.pages != horizon {
		t.Errorf("%d pages after it, want %d", m.pages, horizon)
	}
	if r := (recall{m: m}).rate(mix(v.blocks[0].text, saltText)); r.since < .95 || r.since > 1 {
		t.Errorf("a text of nearly every page is seen on %.2f of them after the decay", r.since)
	}
	if r := (recall{m: m}).rate(mix(viewOf(t, "<body><p>three</p>").blocks[0].text, saltText)); r.count != 0 {
		t.Error("a text of one page outlives the decay")
	}
}

func FuzzDecode(f *testing.F) {
	d := detector(f)
	b, err := taught(f, d, 1, 2).Encode()
	if err != nil {
		f.Fatal(err)
	}
	const checksum = 8
	f.Add(b[format().Overhead()-checksum : len(b)-checksum])
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, b := range [][]byte{body, format().Seal(model.Key{}, body)} {
			h, err := d.Decode(model.Key{}, b)
			if err != nil {
				if !errors.Is(err, model.ErrFormat) {
					t.Fatalf("%v is not ErrFormat", err)
				}
				continue
			}
			h.Mark(parse(t, sitePage(3)), visit(3))
			h.Observe(parse(t, sitePage(4)), visit(4))
			if s := h.Stats(); s.Bytes > model.DefaultLimits().Memory {
				t.Fatalf("%d bytes in memory", s.Bytes)
			}
		}
	})
}

func BenchmarkMark(b *testing.B) {
	h := taught(b, detector(b), 1, 2, 3, 4, 5, 6, 7, 8)
	var body strings.Builder
	for i := range 16 {
		body.WriteString(sitePage(i + 20))
	}
	p := parse(b, body.String())
	b.SetBytes(int64(len(p.Source)))
	for b.Loop() {
		h.Mark(p, visit(9))
	}
}
