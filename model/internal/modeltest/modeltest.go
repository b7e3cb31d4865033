// Package modeltest tests the contract of [model.Detector] and [model.Host], which every detector must keep.
package modeltest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/source"
)

// Key is the key of the tests. It is constant, so that failures are repeatable.
func Key() model.Key { return model.Key{1, 2, 3, 4, 5, 6, 7, 8} }

// Parse parses a valid document.
func Parse(t testing.TB, doc string) *page.Page {
	t.Helper()
	p, err := page.Parse([]byte(doc), "text/html; charset=utf-8")
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return p
}

// Visit returns a visit to the n-th page of a site, n seconds after some time.
func Visit(n int) model.Visit {
	return model.Visit{URL: fmt.Sprintf("https://site.example/%d", n), At: time.Unix(1e9+int64(n), 0)}
}

// Learned returns a model that has learned the documents, each as the visit of its index.
func Learned(t testing.TB, d model.Detector, docs ...string) model.Host {
	t.Helper()
	h := d.New(Key())
	for i, doc := range docs {
		h.Observe(Parse(t, doc), Visit(i))
	}
	return h
}

// Encoded returns the encoding of h.
func Encoded(t testing.TB, h model.Host) []byte {
	t.Helper()
	b, err := h.Encode()
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	return b
}

// Noise lists the texts of the noisy blocks that h finds on the document, visited as the n-th page.
func Noise(t testing.TB, h model.Host, doc string, n int) []string {
	t.Helper()
	p := Parse(t, doc)
	var noise []string
	for b, v := range h.Mark(p, Visit(n)).Verdicts {
		if v.Noise {
			noise = append(noise, string(p.BlockText(nil, page.BlockID(b))))
		}
	}
	return noise
}

// Check tests the contract on models of the detector. Decoding refuses damaged bytes and encodings of another key. A
// page counts once however often it is learned. A decoded model marks like the original. Merging is commutative and
// associative and refuses foreign models. Encodings contain no text and no URL. Limits hold on hostile pages. Readers
// may run concurrently, which the race detector checks. limits are those of the detector's models.
func Check(t *testing.T, d model.Detector, limits model.Limits) {
	t.Run("a fresh model", func(t *testing.T) { checkFresh(t, d) })
	t.Run("a page counts once", func(t *testing.T) { checkOnce(t, d) })
	t.Run("decode marks the same", func(t *testing.T) { checkDecode(t, d) })
	t.Run("decode refuses", func(t *testing.T) { checkRefusal(t, d) })
	t.Run("merge", func(t *testing.T) { checkMerge(t, d) })
	t.Run("models of one page merge to what all pages teach", func(t *testing.T) { checkPageByPage(t, d) })
	t.Run("merge refuses", func(t *testing.T) { checkForeign(t, d) })
	t.Run("no text in the encoding", func(t *testing.T) { checkPrivacy(t, d) })
	t.Run("limits hold", func(t *testing.T) { checkLimits(t, d, limits) })
	t.Run("marks any page", func(t *testing.T) { checkHostile(t, d) })
	t.Run("readers side by side", func(t *testing.T) { checkReaders(t, d) })
}

func checkFresh(t *testing.T, d model.Detector) {
	h := d.New(Key())
	if s := h.Stats(); s.Pages != 0 || !s.LastSeen.IsZero() {
		t.Errorf("Stats %+v", s)
	}
	p := Parse(t, Site(1)[0])
	if m := h.Mark(p, Visit(0)); len(m.Verdicts) != len(p.Blocks) || m.Pages != 0 {
		t.Errorf("%d verdicts on %d blocks, based on %d pages", len(m.Verdicts), len(p.Blocks), m.Pages)
	}
	if back, err := d.Decode(Key(), Encoded(t, h)); err != nil || back.Stats().Pages != 0 {
		t.Errorf("decoding it: %v", err)
	}
}

func checkOnce(t *testing.T, d model.Detector) {
	site := Site(4)
	once, twice := Learned(t, d, site...), Learned(t, d, site...)
	for i, doc := range site {
		twice.Observe(Parse(t, doc), Visit(i))
	}
	if !bytes.Equal(Encoded(t, once), Encoded(t, twice)) || once.Stats().Pages != twice.Stats().Pages {
		t.Errorf("learned twice: %+v, once: %+v", twice.Stats(), once.Stats())
	}
	if s := once.Stats(); learns(s) && (s.Pages != len(site) || !s.LastSeen.Equal(Visit(len(site)-1).At)) {
		t.Errorf("Stats %+v after %d pages", s, len(site))
	}
}

// learns distinguishes detectors that learn from those that look at one page only.
func learns(s model.Stats) bool { return s.Pages > 0 }

func checkDecode(t *testing.T, d model.Detector) {
	site := Site(9)
	h := Learned(t, d, site[:8]...)
	back, err := d.Decode(Key(), Encoded(t, h))
	if err != nil {
		t.Fatal(err)
	}
	checkSameMarks(t, h, back, site...)
	if a, b := h.Stats(), back.Stats(); a.Pages != b.Pages || !a.LastSeen.Equal(b.LastSeen) {
		t.Errorf("Stats %+v became %+v", a, b)
	}
	if !bytes.Equal(Encoded(t, h), Encoded(t, back)) {
		t.Error("the second encoding differs")
	}
	h.Observe(Parse(t, site[8]), Visit(8))
	back.Observe(Parse(t, site[8]), Visit(8))
	checkSameMarks(t, h, back, site...)
}

// SameMarking compares markings by what they say, without what the detector keeps for learning.
func SameMarking() cmp.Option { return cmpopts.IgnoreFields(page.Marking{}, "Reading") }

func checkSameMarks(t *testing.T, a, b model.Host, docs ...string) {
	t.Helper()
	for i, doc := range docs {
		p := Parse(t, doc)
		if diff := cmp.Diff(a.Mark(p, Visit(i)), b.Mark(p, Visit(i)), SameMarking()); diff != "" {
			t.Fatalf("page %d is marked differently:\n%s", i, diff)
		}
	}
}

func checkRefusal(t *testing.T, d model.Detector) {
	good := Encoded(t, Learned(t, d, Site(4)...))
	refuse := func(what string, b []byte) {
		if h, err := d.Decode(Key(), b); !errors.Is(err, model.ErrFormat) || h != nil {
			t.Fatalf("%s: %v, %v, want a nil model and ErrFormat", what, h, err)
		}
	}
	refuse("nothing", nil)
	refuse("rubbish", []byte("rubbish"))
	refuse("a tail", append(bytes.Clone(good), 0))
	for n := 0; n < len(good); n += 1 + len(good)/500 {
		refuse(fmt.Sprintf("cut to %d of %d bytes", n, len(good)), good[:n])
		flipped := bytes.Clone(good)
		flipped[n] ^= 1
		refuse(fmt.Sprintf("a bit flipped in byte %d of %d", n, len(good)), flipped)
	}
	if !learns(Learned(t, d, Site(4)...).Stats()) {
		return // without hashes, keys make no difference
	}
	if _, err := d.Decode(model.Key{9}, good); !errors.Is(err, model.ErrFormat) {
		t.Errorf("another key's: %v", err)
	}
}

func checkMerge(t *testing.T, d model.Detector) {
	site := Site(8)
	part := func(from, to int) model.Host {
		h := d.New(Key())
		for i := from; i < to; i++ {
			h.Observe(Parse(t, site[i]), Visit(i))
		}
		return h
	}
	merge := func(hosts ...model.Host) model.Host {
		m := d.New(Key())
		for _, h := range hosts {
			if err := m.Merge(h); err != nil {
				t.Fatal(err)
			}
		}
		return m
	}
	a, b, c := part(0, 3), part(3, 6), part(6, 8)
	before := Encoded(t, b)
	want := merge(a, b, c)
	for name, h := range map[string]model.Host{
		"c, b, a": merge(c, b, a), "a, (b, c)": merge(a, merge(b, c)),
	} {
		if !bytes.Equal(Encoded(t, h), Encoded(t, want)) {
			t.Errorf("merging %s differs from a, b, c", name)
		}
	}
	if !bytes.Equal(Encoded(t, b), before) {
		t.Error("merging changed the model that was merged in")
	}
	if all := Learned(t, d, site...); all.Stats().Pages != want.Stats().Pages {
		t.Errorf("%d pages merged, %d learned", want.Stats().Pages, all.Stats().Pages)
	}
	for name, again := range map[string]model.Host{"what it had": merge(want, a), "more than it had": merge(a, want)} {
		if !bytes.Equal(Encoded(t, again), Encoded(t, want)) {
			t.Errorf("merging %s differs from merging it once: %+v, %+v", name, again.Stats(), want.Stats())
		}
	}
}

// checkPageByPage merges models of one page each, as replicas do: every replica learns some of the pages and then gets
// all of them, in any order and any number of times. Every page must count once in all sums.
func checkPageByPage(t *testing.T, d model.Detector) {
	site := Site(8)
	want := Learned(t, d, site...)
	ones := make([]model.Host, len(site))
	for i, doc := range site {
		ones[i] = d.New(Key())
		ones[i].Observe(Parse(t, doc), Visit(i))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		replica := d.New(Key())
		for _, i := range rng.Perm(len(site))[:rng.IntN(4)] {
			replica.Observe(Parse(t, site[i]), Visit(i))
		}
		for _, i := range append(rng.Perm(len(site))[:3], rng.Perm(len(site))...) {
			if err := replica.Merge(ones[i]); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(Encoded(t, replica), Encoded(t, want)) {
			t.Fatalf("merged page by page: %+v, learned: %+v", replica.Stats(), want.Stats())
		}
		checkSameMarks(t, replica, want, site[:2]...)
	}
}

// foreign is a model of no detector.
type foreign struct{ model.Host }

func checkForeign(t *testing.T, d model.Detector) {
	h := Learned(t, d, Site(2)...)
	if err := h.Merge(foreign{}); !errors.Is(err, model.ErrMismatch) {
		t.Errorf("another detector's model: %v, want ErrMismatch", err)
	}
	if err := h.Merge(d.New(model.Key{9})); learns(h.Stats()) && !errors.Is(err, model.ErrMismatch) {
		t.Errorf("another key's model: %v, want ErrMismatch", err)
	}
}

func checkPrivacy(t *testing.T, d model.Detector) {
	site := Site(6)
	b := Encoded(t, Learned(t, d, site...))
	for _, doc := range site {
		p := Parse(t, doc)
		for _, text := range p.Texts {
			for w := range page.Words(text.Data) {
				if len(w) > 4 && bytes.Contains(b, []byte(w)) {
					t.Errorf("the encoding contains %q", w)
				}
			}
		}
	}
	if bytes.Contains(b, []byte("site.example")) {
		t.Error("the encoding contains a URL")
	}
}

func checkLimits(t *testing.T, d model.Detector, limits model.Limits) {
	for name, generate := range Hostile() {
		rng := rand.New(rand.NewPCG(1, 2))
		h, other := d.New(Key()), d.New(Key())
		for n := range 10 {
			h.Observe(Parse(t, generate(rng, n)), Visit(n))
			checkBudget(t, name, h, limits)
		}
		for n := range 3 {
			other.Observe(Parse(t, generate(rng, 100+n)), Visit(100+n))
		}
		if err := h.Merge(other); err != nil {
			t.Fatal(err)
		}
		checkBudget(t, name, h, limits)
		back, err := d.Decode(Key(), Encoded(t, h))
		if err != nil {
			t.Fatalf("%s: decoding: %v", name, err)
		}
		checkBudget(t, name, back, limits)
	}
}

func checkBudget(t *testing.T, name string, h model.Host, limits model.Limits) {
	t.Helper()
	if got := h.Stats().Bytes; got > limits.Memory {
		t.Fatalf("%s: %d bytes in memory, limit %d", name, got, limits.Memory)
	}
	if b := Encoded(t, h); len(b) > limits.Encoded {
		t.Fatalf("%s: %d bytes encoded, limit %d", name, len(b), limits.Encoded)
	}
}

// checkHostile marks every odd page with a model of odd pages. There must be one verdict per block, and marks must be
// in order and disjoint.
func checkHostile(t *testing.T, d model.Detector) {
	rng := rand.New(rand.NewPCG(1, 2))
	docs := []string{"", "<frameset><frame src=x></frameset>", "<p>", "text", "<table>foster<tr><td>x</table>"}
	for _, generate := range Hostile() {
		docs = append(docs, generate(rng, 1))
	}
	slices.Sort(docs)
	h := Learned(t, d, docs...)
	for i, doc := range docs {
		p := Parse(t, doc)
		m := h.Mark(p, Visit(i))
		if len(m.Verdicts) != len(p.Blocks) {
			t.Fatalf("%d verdicts on %d blocks of %.60q", len(m.Verdicts), len(p.Blocks), doc)
		}
		for b, v := range m.Verdicts {
			if !(v.Score >= 0 && v.Score <= 1) {
				t.Fatalf("block %d of %.60q: score %v", b, doc, v.Score)
			}
		}
		for _, mode := range []page.Mode{page.ModeRemove, page.ModeTag, page.ModeJSON} {
			if _, err := write.Page(p, m, mode); err != nil && m.Pass == "" && !errors.Is(err, source.ErrUnplaced) {
				t.Fatalf("writing %.60q as %s: %v", doc, mode, err)
			}
		}
	}
}

// checkReaders calls Mark, Encode and Stats from several goroutines at once, which the contract allows.
func checkReaders(t *testing.T, d model.Detector) {
	site := Site(5)
	h := Learned(t, d, site...)
	p, want := Parse(t, site[0]), Encoded(t, h)
	marks := h.Mark(p, Visit(0))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if diff := cmp.Diff(marks, h.Mark(p, Visit(0)), SameMarking()); diff != "" {
				t.Errorf("marked differently:\n%s", diff)
			}
			h.Stats()
			if b, err := h.Encode(); err != nil || !bytes.Equal(b, want) {
				t.Errorf("encoded differently: %v", err)
			}
		})
	}
	wg.Wait()
}
