package taught

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// plain is a detector for which the elements of class "noise" are noise.
type plain struct{ model.Detector }

func newPlain() model.Detector { return plain{styletree.Detector{}} }

func (d plain) New(key model.Key) model.Host { return plainHost{d.Detector.New(key)} }

func (d plain) Decode(key model.Key, b []byte) (model.Host, error) {
	h, err := d.Detector.Decode(key, b)
	return plainHost{h}, err
}

type plainHost struct{ model.Host }

func (h plainHost) Merge(other model.Host) error {
	o, ok := other.(plainHost)
	if !ok {
		return model.ErrMismatch
	}
	return h.Host.Merge(o.Host)
}

func (plainHost) Mark(p *page.Page, _ model.Visit) *page.Marking {
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
	for e, el := range p.Elements {
		if class, _ := p.Attr(page.ElementID(e), "class"); class == "noise" {
			m.Marks = append(m.Marks, page.Mark{Element: page.ElementID(e), BlockStart: el.BlockStart, BlockEnd: el.BlockEnd, Kind: page.KindNav, Score: .9})
			for b := el.BlockStart; b < el.BlockEnd; b++ {
				m.Verdicts[b] = page.Verdict{Noise: true, Score: .9}
			}
		}
	}
	return m
}

// article is the n-th page of a site, with a box of other articles that the detector keeps and a figure that it
// removes.
func article(n int) string {
	return fmt.Sprintf(`<html><body class="page-%[1]d"><div class=noise>Menu</div><main id=post-%[1]d><h1>Title %[1]d</h1>
<p>Story %[1]d that is told at length, so that it is the greater part of what the page has to say to its readers.</p>
<p>Second paragraph %[1]d, also long enough to count for something among all the others that are here to be read.</p>
<div class="related box-%[1]d"><a href=/1>Other %[1]d</a></div><div class=noise><div class=figure>Table %[1]d</div></div></main>
<table><tr><td>Left %[1]d</td><td>Right %[1]d</td></tr></table></body></html>`, n)
}

func newHost() *Host { return Wrap(newPlain()).New(modeltest.Key()).(*Host) }

// teach teaches h the verdict on the element of page n with that class, id or tag.
func teach(t testing.TB, h *Host, n int, name string, v Verdict) Lesson {
	t.Helper()
	p := modeltest.Parse(t, article(n))
	for e := range p.Elements {
		class, _ := p.Attr(page.ElementID(e), "class")
		if slices.Contains(strings.Fields(class), name) || p.Elements[e].Name == name {
			l, ok := h.Propose(p, h.Mark(p, modeltest.Visit(n)), page.ElementID(e), v, time.UnixMilli(int64(1000+n)))
			if !ok {
				t.Fatalf("nothing can be taught about %s", name)
			}
			h.Teach(l)
			return l
		}
	}
	t.Fatalf("there is no %s", name)
	return Lesson{}
}

// A lesson from one page applies to another from then on, and changes nothing else.
func TestLessons(t *testing.T) {
	for _, tc := range []struct {
		name, part string
		verdict    Verdict
		want       []string
	}{
		{"nothing", "", Revoked, []string{"Menu", "Table 2"}},
		{"this is noise", "related", Noise, []string{"Menu", "Other 2", "Table 2"}},
		{"bring this back", "figure", Content, []string{"Menu"}},
		{"one cell of a table", "td", Noise, []string{"Menu", "Table 2", "Left 2"}},
		{"the title of every page", "h1", Noise, []string{"Menu", "Table 2", "Title 2"}},
		{"a paragraph among others is identified by its words", "p", Noise, []string{"Menu", "Table 2",
			"Story 2 that is told at length, so that it is the greater part of what the page has to say to its readers."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := newHost()
			if tc.part != "" {
				teach(t, h, 1, tc.part, tc.verdict)
			}
			noise := modeltest.Noise(t, h, article(2), 2)
			slices.Sort(noise)
			slices.Sort(tc.want)
			if !slices.Equal(noise, tc.want) {
				t.Errorf("noise is %q, want %q", noise, tc.want)
			}
		})
	}
}

// A lesson that would remove most of a page does nothing there, and no lesson leaves a page empty.
func TestLessonsAreRestrained(t *testing.T) {
	h := newHost()
	teach(t, h, 1, "related", Noise)
	for _, doc := range []string{
		`<body><p>Short.</p><div class=related>This page is nearly all a list of other pages, as the front page of a site is.</div></body>`,
		`<body><div class=related>Nothing else.</div></body>`,
	} {
		if noise := modeltest.Noise(t, h, doc, 5); len(noise) > 0 {
			t.Errorf("noise is %q", noise)
		}
	}
}

func TestNothingCanBeTaughtAboutBody(t *testing.T) {
	h := newHost()
	p := modeltest.Parse(t, article(1))
	m := h.Mark(p, modeltest.Visit(1))
	for _, e := range []page.ElementID{-1, 0, p.Body, page.ElementID(len(p.Elements))} {
		if _, ok := h.Propose(p, m, e, Noise, time.Now()); ok {
			t.Errorf("a lesson is proposed for element %d", e)
		}
	}
}

// After teaching and revoking, the marks, the list and the fingerprint are as before.
func TestRevoke(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newHost()
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 2), 0, 2).Draw(rt, "before") {
			teach(t, h, n, []string{"related", "figure", "td"}[n], []Verdict{Noise, Content, Noise}[n])
		}
		p := modeltest.Parse(t, article(9))
		marks, lessons, before := h.Mark(p, modeltest.Visit(9)), h.Lessons(), h.Fingerprint()
		l := teach(t, h, 3, rapid.SampledFrom([]string{"p", "h1"}).Draw(rt, "part"), Noise)
		if h.Fingerprint() == before {
			rt.Fatal("a lesson does not change the fingerprint")
		}
		if !h.Revoke(l.Key, 0) || h.Revoke(l.Key, 0) || h.Revoke(12345, 0) {
			rt.Fatal("revoking works not exactly once")
		}
		if d := cmp.Diff(marks, h.Mark(p, modeltest.Visit(9)), modeltest.SameMarking()); d != "" {
			rt.Fatal(d)
		}
		if !slices.Equal(lessons, h.Lessons()) || h.Fingerprint() != before {
			rt.Fatal("something is left of the lesson")
		}
	})
}

func anyLesson(t *rapid.T) Lesson {
	return Lesson{Key: rapid.Uint64Range(1, 9).Draw(t, "key"), Verdict: Verdict(rapid.IntRange(0, 2).Draw(t, "verdict")),
		level: level(rapid.IntRange(int(named), int(worded)).Draw(t, "level")), share: rapid.Byte().Draw(t, "share"),
		At: rapid.Int64Range(0, 5).Draw(t, "at")}
}

func anyHost(t *rapid.T, label string) *Host {
	h := newHost()
	for _, l := range rapid.SliceOfN(rapid.Custom(anyLesson), 0, 12).Draw(t, label) {
		h.Teach(l)
	}
	return h
}

// Merging is commutative, associative and idempotent: the encodings are equal.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		merged := func(hosts ...*Host) []byte {
			sum := newHost()
			for _, h := range hosts {
				if err := sum.Merge(h); err != nil {
					rt.Fatal(err)
				}
			}
			return modeltest.Encoded(t, sum)
		}
		a, b, c := anyHost(rt, "a"), anyHost(rt, "b"), anyHost(rt, "c")
		bc := newHost()
		if err := errors.Join(bc.Merge(b), bc.Merge(c)); err != nil {
			rt.Fatal(err)
		}
		want := merged(a, b, c)
		for _, got := range [][]byte{merged(c, b, a), merged(a, bc), merged(a, b, c, b)} {
			if !bytes.Equal(got, want) {
				rt.Fatal("the order of merging matters")
			}
		}
	})
}

// Decoding returns the lessons. Without lessons, the encoding is the detector's own.
func TestEncoding(t *testing.T) {
	d := Wrap(newPlain())
	bare, h := newHost(), newHost()
	if own := modeltest.Encoded(t, bare.Unwrap()); !bytes.Equal(modeltest.Encoded(t, bare), own) {
		t.Error("the encoding of an untaught model is not the detector's")
	}
	teach(t, h, 1, "related", Noise)
	l := teach(t, h, 2, "figure", Content)
	h.Revoke(l.Key, 0)
	b := modeltest.Encoded(t, h)
	if bytes.Contains(b, []byte("related")) {
		t.Error("an encoding contains a class name")
	}
	again, err := d.Decode(modeltest.Key(), b)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.(*Host); !slices.Equal(got.lessons.sorted(), h.lessons.sorted()) || got.Stats().Taught != 1 {
		t.Errorf("%+v, want %+v", got.lessons, h.lessons)
	}
	for i := range b {
		damaged := slices.Clone(b)
		damaged[i] ^= 1
		if _, err := d.Decode(modeltest.Key(), damaged); !errors.Is(err, model.ErrFormat) {
			t.Fatalf("with byte %d damaged: %v", i, err)
		}
	}
	if _, err := d.Decode(model.Key{9}, b); err == nil {
		t.Error("lessons of another installation are accepted")
	}
}

// When there are too many lessons, the newest stay.
func TestLessonsAreBounded(t *testing.T) {
	h := newHost()
	for i := range int64(maxLessons + 10) {
		h.Teach(Lesson{Key: uint64(i + 1), Verdict: Noise, level: named, At: i})
	}
	if n := len(h.lessons); n != maxLessons || h.lessons[1].Key != 0 || h.lessons[maxLessons+10].Key == 0 {
		t.Errorf("%d lessons, the oldest %+v", n, h.lessons[1])
	}
}

// FuzzLesson decodes bytes like those that a form or a replica sends.
func FuzzLesson(f *testing.F) {
	b, err := Lesson{Key: 7, Verdict: Noise, level: exact, At: 5}.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var l Lesson
		if l.UnmarshalBinary(b) != nil {
			return
		}
		again, err := l.MarshalBinary()
		var same Lesson
		if err != nil || same.UnmarshalBinary(again) != nil || same != l || l.Scope() == "nothing" {
			t.Fatalf("%+v became %+v", l, same)
		}
	})
}
