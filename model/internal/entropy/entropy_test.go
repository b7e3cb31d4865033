package entropy

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
)

// spread returns the sums of a feature with these occurrences on the pages.
func spread(counts ...uint32) (s Sums) {
	for _, c := range counts {
		s = s.Plus(Occurrences(c))
	}
	return s
}

// By hand: of 4 pages, an even spread over all is log_4 4 = 1, over two ½, on one alone 0; 3 and 1 on two pages are
// ¾·log_2 4/3 + ¼·log_2 4 = 0.8113.
func TestEntropy(t *testing.T) {
	for _, c := range []struct {
		counts []uint32
		pages  int
		want   float64
	}{
		{[]uint32{1, 1, 1, 1}, 4, 1},
		{[]uint32{5, 5, 5, 5}, 4, 1},
		{[]uint32{2, 2}, 4, 0.5},
		{[]uint32{9}, 4, 0},
		{[]uint32{3, 1}, 2, 0.8113},
	} {
		if got := spread(c.counts...).Entropy(math.Log(float64(c.pages))); math.Abs(got-c.want) > 2e-3 {
			t.Errorf("%v on %d pages: %.4f, want %.4f", c.counts, c.pages, got, c.want)
		}
	}
}

// The two sums agree with the definition.
func TestEntropyIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Uint32Range(1, 200), 2, 30).Draw(t, "counts")
		total, want := 0.0, 0.0
		for _, c := range counts {
			total += float64(c)
		}
		for _, c := range counts {
			want -= float64(c) / total * math.Log(float64(c)/total) / math.Log(float64(len(counts)))
		}
		if got := spread(counts...).Entropy(math.Log(float64(len(counts)))); math.Abs(got-want) > 5e-3 {
			t.Fatalf("%v: %v, want %v", counts, got, want)
		}
	})
}

// Sums saturate instead of wrapping around, and stay associative.
func TestSumsSaturate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Sums {
			near := rapid.OneOf(rapid.Uint32Range(0, 9), rapid.Uint32Range(math.MaxUint32-9, math.MaxUint32), rapid.Uint32())
			return Sums{Total: Count(near.Draw(t, name)), CLogC: near.Draw(t, name+" clogc")}
		}
		a, b, c := draw("a"), draw("b"), draw("c")
		if x, y := a.Plus(b).Plus(c), a.Plus(b.Plus(c)); x != y {
			t.Fatalf("(a+b)+c = %v, a+(b+c) = %v", x, y)
		}
		if s := a.Plus(b); s.Total < a.Total || s.CLogC < a.CLogC {
			t.Fatalf("%v + %v = %v, which is less", a, b, s)
		}
	})
}

func TestOccurrencesSaturate(t *testing.T) {
	if f := Occurrences(math.MaxUint32); f.Total != math.MaxUint32 || f.CLogC != math.MaxUint32 {
		t.Errorf("the most occurrences give %+v", f)
	}
}

func TestAppendRead(t *testing.T) {
	format, key := codec.Format{What: "sums", Magic: "sums"}, model.Key{1}
	rapid.Check(t, func(t *rapid.T) {
		want := Sums{Total: Count(rapid.Uint32().Draw(t, "total")), CLogC: rapid.Uint32().Draw(t, "clogc")}
		r, err := format.Open(key, 0, format.Seal(key, want.Append(nil)))
		if err != nil {
			t.Fatal(err)
		}
		if got := Read(r); got != want || r.Close() != nil {
			t.Fatalf("%+v became %+v (%v)", want, got, r.Err())
		}
	})
	r, err := format.Open(key, 0, format.Seal(key, []byte{1}))
	if err != nil {
		t.Fatal(err)
	}
	if Read(r); !errors.Is(r.Err(), model.ErrFormat) {
		t.Errorf("half of the sums: %v, want ErrFormat", r.Err())
	}
}
