package base_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/codec"
)

// words is the smallest model with a state: it counts the pages that show each word.
type words struct {
	base.Base
	pages map[uint32]uint32
	// settled counts the calls of Settle.
	settled int
}

func newWords(key model.Key, magic string, limits model.Limits) *words {
	return &words{Base: base.New(key, base.Format("test", magic), limits), pages: map[uint32]uint32{}}
}

func fresh() *words { return newWords(model.Key{1}, "wtst", model.Limits{}) }

func (w *words) State() *words { return w }
func (w *words) Settle()       { w.settled++ }

func (w *words) learn(v model.Visit, shown ...uint32) {
	if !w.Admit(v) {
		return
	}
	for _, s := range shown {
		w.pages[s]++
	}
}

func (w *words) AppendBody(b []byte) []byte {
	b = codec.AppendAscending(b, slices.Sorted(maps.Keys(w.pages)))
	for _, s := range slices.Sorted(maps.Keys(w.pages)) {
		b = binary.AppendUvarint(b, uint64(w.pages[s]))
	}
	return b
}

func (w *words) ReadBody(r *codec.Reader) {
	for _, s := range codec.Ascending[uint32](r) {
		w.pages[s] = uint32(r.Int())
	}
}

func (w *words) MergeBody(other *words, _ base.Overlap) {
	for s, n := range other.pages {
		w.pages[s] += n
	}
}

// Smaller drops the greatest word.
func (w *words) Smaller(base.Overrun) (*words, bool) {
	if len(w.pages) == 0 {
		return nil, false
	}
	small := *w
	small.pages = maps.Clone(w.pages)
	delete(small.pages, slices.Max(slices.Collect(maps.Keys(w.pages))))
	return &small, true
}

// embedding is a detector's model that embeds a state, like models on a table or a reservoir.
type embedding struct{ *words }

func visit(n int) model.Visit {
	return model.Visit{URL: fmt.Sprintf("http://a.example/%d", n), At: time.Unix(1e9+int64(n), 0).UTC()}
}

func encode(t rapid.TB, w *words) []byte {
	t.Helper()
	b, err := base.Encode(w)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drawn generates a model that has learned pages of the given range.
func drawn(t *rapid.T, name string, from, to int) *words {
	w := fresh()
	for _, n := range rapid.SliceOfN(rapid.IntRange(from, to), 0, 8).Draw(t, name) {
		w.learn(visit(n), rapid.SliceOfNDistinct(rapid.Uint32Range(0, 20), 0, 5, rapid.ID).Draw(t, "words")...)
	}
	return w
}

func merged(t rapid.TB, models ...*words) *words {
	t.Helper()
	sum := fresh()
	for _, w := range models {
		before := encode(t, w)
		if err := base.Merge(sum, embedding{w}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encode(t, w), before) {
			t.Fatal("merging changed the model that was merged in")
		}
	}
	return sum
}

// Merging is associative and commutative, and the empty model is its neutral element. A page that two models learned
// counts once among the pages.
func TestMergeIsACommutativeMonoid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawn(t, "a", 0, 10), drawn(t, "b", 5, 15), drawn(t, "c", 10, 20)
		want := encode(t, merged(t, a, b, c))
		for name, got := range map[string]*words{
			"c, b, a": merged(t, c, b, a), "a, (b, c)": merged(t, a, merged(t, b, c)), "a, b, c, nothing": merged(t, a, b, c, fresh()),
		} {
			if !bytes.Equal(encode(t, got), want) {
				t.Fatalf("%s differs from a, b, c", name)
			}
		}
		distinct := 0
		for n := range 21 {
			if a.Knows(visit(n)) || b.Knows(visit(n)) || c.Knows(visit(n)) {
				distinct++
			}
		}
		if got := merged(t, a, b, c, a).StatsOf(0); got.Pages != distinct {
			t.Fatalf("%d pages, want %d", got.Pages, distinct)
		}
	})
}

// However the pages of one site are split among models, the models merge to the one that saw all pages.
func TestMergeIsLearning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, parts := fresh(), []*words{fresh(), fresh(), fresh()}
		for n := range rapid.IntRange(0, 12).Draw(t, "pages") {
			shown := rapid.SliceOfNDistinct(rapid.Uint32Range(0, 20), 0, 5, rapid.ID).Draw(t, "words")
			all.learn(visit(n), shown...)
			parts[rapid.IntRange(0, 2).Draw(t, "part")].learn(visit(n), shown...)
		}
		if got := merged(t, parts...); !bytes.Equal(encode(t, got), encode(t, all)) {
			t.Fatalf("merged %+v, learned %+v", got, all)
		}
	})
}

func TestMergeRefuses(t *testing.T) {
	for name, other := range map[string]any{
		"another key":    newWords(model.Key{2}, "wtst", model.Limits{}),
		"another format": newWords(model.Key{1}, "else", model.Limits{}),
		"another type":   base.Stateless("test"),
		"nothing":        nil,
	} {
		w := fresh()
		if err := base.Merge(w, other); !errors.Is(err, model.ErrMismatch) || w.settled > 0 {
			t.Errorf("%s: error %v, want ErrMismatch", name, err)
		}
	}
}

func TestLoadIsTheInverseOfEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, back := drawn(t, "model", 0, 30), fresh()
		b := encode(t, w)
		if err := base.Load(back, b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(w.StatsOf(0).Pages, back.StatsOf(0).Pages); diff != "" || back.settled != 1 {
			t.Fatalf("settled %d times; pages:\n%s", back.settled, diff)
		}
		if !bytes.Equal(encode(t, back), b) {
			t.Fatalf("%+v became %+v", w, back)
		}
	})
}

// Any encoding fits the limit or is refused. The model does not change.
func TestEncodeKeepsTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := model.Limits{Encoded: rapid.IntRange(1, 400).Draw(t, "limit")}
		w := newWords(model.Key{1}, "wtst", limits)
		for n := range rapid.IntRange(0, 40).Draw(t, "pages") {
			w.learn(visit(n), uint32(n), uint32(100+n))
		}
		was, pages := maps.Clone(w.pages), w.Learned.Append(nil)
		b, err := base.Encode(w)
		switch least := w.Format().Overhead() + 9; { // time, no URL, and no word
		case err == nil && len(b) > limits.Encoded:
			t.Fatalf("%d bytes, limit %d", len(b), limits.Encoded)
		case err != nil && limits.Encoded >= least+limits.Encoded/4:
			t.Fatalf("limit %d: %v", limits.Encoded, err)
		}
		if !maps.Equal(w.pages, was) || !bytes.Equal(w.Learned.Append(nil), pages) {
			t.Fatal("encoding changed the model")
		}
		if err != nil {
			return
		}
		back := newWords(model.Key{1}, "wtst", limits)
		if err := base.Load(back, b); err != nil || back.Learned.Len() != w.Learned.Len() {
			t.Fatalf("%d pages became %d: %v", w.Learned.Len(), back.Learned.Len(), err)
		}
	})
}

func FuzzLoad(f *testing.F) {
	w := fresh()
	w.learn(visit(1), 2, 3)
	const checksum = 8
	whole := encode(f, w)
	f.Add(whole[w.Format().Overhead()-checksum : len(whole)-checksum])
	f.Fuzz(func(t *testing.T, body []byte) {
		w := fresh()
		if err := base.Load(w, w.Format().Seal(w.Key(), body)); err != nil {
			if !errors.Is(err, model.ErrFormat) {
				t.Fatalf("error %v is not ErrFormat", err)
			}
			return
		}
		again := fresh()
		if err := base.Load(again, encode(t, w)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestOrDefault(t *testing.T) {
	type options struct {
		N      int
		Share  float64
		List   []string
		Tells  func() bool
		Limits model.Limits
		On     bool
	}
	defaults := options{N: 1, Share: 0.5, List: []string{"a"}, Tells: func() bool { return true }, Limits: model.DefaultLimits()}
	got := base.OrDefault(options{N: -1, List: []string{}, Limits: model.Limits{Encoded: 9}}, defaults)
	if got.N != -1 || got.Share != 0.5 || len(got.List) != 0 || !got.Tells() || got.On ||
		got.Limits != (model.Limits{Memory: model.DefaultLimits().Memory, Encoded: 9}) {
		t.Errorf("got %+v", got)
	}
	if got := base.OrDefault(options{}, defaults); len(got.List) != 1 || got.Limits != defaults.Limits {
		t.Errorf("all defaults: %+v", got)
	}
}
