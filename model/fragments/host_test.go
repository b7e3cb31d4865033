package fragments

import (
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

func TestServicePartsGo(t *testing.T) {
	site := modeltest.Site(6)
	if noise := modeltest.Noise(t, modeltest.Learned(t, Detector{}, site[:3]...), site[5], 5); noise != nil {
		t.Errorf("noise after three pages, which are no cluster: %q", noise)
	}
	h := modeltest.Learned(t, Detector{}, site[:5]...)
	for n, doc := range site { // the last one is new
		if diff := cmp.Diff(modeltest.Template(), modeltest.Noise(t, h, doc, n)); diff != "" {
			t.Errorf("page %d:\n%s", n, diff)
		}
	}
}

// A page of another kind that has a part of the template is left over, and cleaned with the chains of the clusters.
func TestLeftoverPages(t *testing.T) {
	site := modeltest.Site(5)
	menu := site[4][strings.Index(site[4], "<ul class=menu>"):strings.Index(site[4], "<div class=main>")]
	odd := "<title>Ships</title><body><h1>All ships</h1><p>Anna, Berta.</p>" + menu + "<p>Carla, Dora.</p><hr><p>Emma."
	h := modeltest.Learned(t, Detector{}, site...)
	want := modeltest.Template()[1:6]
	for name, n := range map[string]int{"new": 9, "left over": 5} {
		if name == "left over" {
			h.Observe(modeltest.Parse(t, odd), modeltest.Visit(5))
		}
		// The chain that ends in the menu's first tag contains a fragment of the page itself, so only the rest is
		// removed.
		if got := modeltest.Noise(t, h, odd, n); !cmp.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Pictures of the service part are removed, and the page's own stay.
func TestPictures(t *testing.T) {
	banner := `<div class=banner><img src="/banner.gif"><img src="/sponsor.gif"></div>`
	var docs []string
	for _, doc := range modeltest.Site(5) {
		docs = append(docs, strings.Replace(doc, "<div class=main>", banner+`<div class=main><img src="`+doc[60:70]+`.png">`, 1))
	}
	h := modeltest.Learned(t, Detector{}, docs...)
	p := modeltest.Parse(t, docs[2])
	var gone []string
	for _, m := range h.Mark(p, modeltest.Visit(2)).Marks {
		if m.BlockStart == m.BlockEnd {
			gone = append(gone, string(p.Source[p.Elements[m.Element].StartTag.Start:p.Elements[m.Element].StartTag.End]))
		}
	}
	want := []string{`<div class=banner>`}
	if !slices.Equal(gone, want) {
		t.Errorf("removed elements without text: %q, want %q", gone, want)
	}
}

// The model learns a redesign with the pages that show it: the old ones leave the reservoir.
func TestRedesign(t *testing.T) {
	d := Detector{Options: Options{Pages: 8}}
	h := modeltest.Learned(t, d, modeltest.Site(12)...)
	redesigned := strings.NewReplacer("class=menu", "class=nav", "News today", "Headlines", "Ships in port", "Vessels",
		"class=foot", "class=bottom", "class=top", "class=head")
	for n, doc := range modeltest.Site(24)[12:] {
		h.Observe(modeltest.Parse(t, redesigned.Replace(doc)), modeltest.Visit(12+n))
	}
	noise := modeltest.Noise(t, h, redesigned.Replace(modeltest.Site(25)[24]), 24)
	if !slices.Contains(noise, "Headlines") || !slices.Contains(noise, "All rights reserved by the harbour office.") {
		t.Errorf("noise %q", noise)
	}
}

func TestNoBody(t *testing.T) {
	h := Detector{}.New(modeltest.Key())
	h.Observe(&page.Page{Body: page.None}, modeltest.Visit(1))
	if s := h.Stats(); s.Pages != 0 {
		t.Errorf("Stats %+v", s)
	}
}

func FuzzRecord(f *testing.F) {
	r := read(modeltest.Parse(f, modeltest.Site(1)[0]), modeltest.Key().Hasher()).out
	f.Add(records{}.Append(nil, &r))
	f.Add([]byte{})
	f.Add([]byte{255, 255, 255, 255, 15})
	f.Fuzz(func(t *testing.T, b []byte) {
		in := codec.Format{What: "test"}.Part(b)
		r := records{}.Read(in)
		if in.Close() != nil {
			return
		}
		again := codec.Format{What: "test"}.Part(records{}.Append(nil, r))
		if back := (records{}).Read(again); again.Close() != nil || !slices.Equal(back.hashes, r.hashes) || !slices.Equal(back.lengths, r.lengths) {
			t.Fatalf("%v became %v", r, back)
		}
		if len(r.hashes) != len(r.lengths) || (records{}).Bytes(r) < fragmentBytes*len(r.hashes) {
			t.Fatalf("%d hashes, %d lengths, %d bytes", len(r.hashes), len(r.lengths), records{}.Bytes(r))
		}
		newDocument(r.chains(modeltest.Key().Hasher(), 6))
	})
}

// The size that a model reports is close to its size on the heap.
func TestBytesIsWhatTheHeapShows(t *testing.T) {
	site := largeSite(t, 40)
	modeltest.CheckSize(t, 5, .6, 1.2, func() model.Host {
		h := Detector{}.New(modeltest.Key())
		for n, p := range site {
			h.Observe(p, modeltest.Visit(n))
		}
		return h
	})
}

// A page that came after the last fit takes the cluster that it would have joined, like a new page. It is not cleaned
// with the chains of all clusters like a leftover page.
func TestPagesSinceTheFit(t *testing.T) {
	const other = `<table><tr><td>One story</td><td>about boats</td></tr><tr><td>and harbours</td><td>here</td></tr></table>`
	h := Detector{}.New(modeltest.Key()).(*host)
	site := modeltest.Site(6)
	hash := h.Hasher()
	chains := func(doc string) document {
		return newDocument(read(modeltest.Parse(t, doc), hash).out.chains(hash, 6))
	}
	for _, doc := range []string{site[0], other} {
		c := cluster{least: 1}
		for _, ch := range chains(doc) {
			c.nav = append(c.nav, ch.hash)
		}
		h.clusters = append(h.clusters, c)
	}
	p := modeltest.Parse(t, site[5]+other)
	want := modeltest.Noise(t, h, site[5]+other, 5)
	h.Add(modeltest.Visit(5), read(p, hash).out.trimmed(100_000))
	if diff := cmp.Diff(want, modeltest.Noise(t, h, site[5]+other, 5)); diff != "" || slices.Contains(want, "One story") {
		t.Errorf("noise %q:\n%s", want, diff)
	}
	h.member = map[uint64]int{hash.String(modeltest.Visit(5).URL): leftover}
	if noise := modeltest.Noise(t, h, site[5]+other, 5); !slices.Contains(noise, "One story") {
		t.Errorf("left over: noise %q", noise)
	}
}
