package seen

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/internal/codec"
)

func testFormat() codec.Format { return codec.Format{What: "pages"} }

// Pages count once, whatever is dropped, merged and encoded, and stay within their share of the memory.
func TestPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const memory = 96 * 8 * 20 // 20 recent URLs, 60 in all
		draw := func(name string) (Pages, []uint64) {
			p := NewPages(memory)
			urls := rapid.SliceOfNDistinct(rapid.Uint64Range(0, 1e6), 0, 20, rapid.ID).Draw(t, name)
			for i, u := range urls {
				p.Saw(time.Unix(int64(i), 1))
				if !p.Add(u) || p.Add(u) || !p.Has(u) {
					t.Fatalf("adding %d to %+v", u, p)
				}
			}
			return p, urls
		}
		a, first := draw("a")
		b, second := draw("b")
		a.Merge(&b)
		all := slices.Concat(first, second)
		slices.Sort(all)
		distinct := len(slices.Compact(all))
		later := max(len(first), len(second)) - 1
		if a.Len() != distinct || a.Bytes() > MaxPagesBytes(memory) || later >= 0 && !a.Last().Equal(time.Unix(int64(later), 0)) {
			t.Fatalf("%d pages, want %d, the last at %v, %d bytes", a.Len(), distinct, a.Last(), a.Bytes())
		}
		shrunk := a
		for shrunk.Shrink() {
		}
		if shrunk.Len() != distinct || a.urls.Len() == 0 && distinct > 0 {
			t.Fatalf("%d pages after all URLs are forgotten, want %d", shrunk.Len(), distinct)
		}
		r, back := testFormat().Part(a.Append(nil)), NewPages(memory)
		back.Read(r)
		if err := r.Close(); err != nil || !slices.Equal(back.Append(nil), a.Append(nil)) || back.Len() != a.Len() {
			t.Fatalf("%+v became %+v: %v", a, back, err)
		}
	})
}

func FuzzReadPages(f *testing.F) {
	p := NewPages(1 << 20)
	p.Saw(time.Unix(1e9, 0))
	p.Add(7)
	f.Add(p.Append(nil))
	f.Add([]byte{0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, p := testFormat().Part(b), NewPages(1<<10)
		p.Read(r)
		if p.Len() < 0 || r.Err() == nil && p.Bytes() > MaxPagesBytes(1<<10) {
			t.Fatalf("%d pages of %d bytes", p.Len(), p.Bytes())
		}
	})
}
