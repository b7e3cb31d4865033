package reservoir

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/codec"
)

func testKey() model.Key { return model.Key{1} }

// words is a codec of records that are lists of numbers.
type words struct{}

func (words) Bytes(r []uint32) int { return 24 + 4*len(r) }

func (words) Append(b []byte, r []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(len(r)))
	for _, v := range r {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func (words) Read(r *codec.Reader) []uint32 {
	record := make([]uint32, r.Count(4))
	for i := range record {
		record[i] = r.Uint32()
	}
	return record
}

// config says how a reservoir is made.
type config struct {
	pages           int
	memory, encoded int
}

func (c config) reservoir() *Reservoir[[]uint32] {
	limits := model.Limits{Memory: c.memory, Encoded: c.encoded}
	return New(base.New(testKey(), base.Format("test", "wtst"), limits), c.pages, words{})
}

func roomy() config { return config{100, 1 << 20, 1 << 20} }

// at returns a visit to the page of this name at the n-th second of some time.
func at(n int, url string) model.Visit { return model.Visit{URL: url, At: time.Unix(1e9+int64(n), 0)} }

// show lists the pages that are kept: name, second and record.
func show(r *Reservoir[[]uint32]) string {
	names := map[uint64]string{}
	for n := range 100 {
		names[testKey().Hasher().String(fmt.Sprint("/", n))] = fmt.Sprint("/", n)
	}
	stats := r.Stats()
	s := fmt.Sprintf("seen %d last %d:", stats.Pages, stats.LastSeen.Unix()-1e9)
	for p := range r.All() {
		s += fmt.Sprintf(" %s@%d%v", names[p.URL], p.At.Unix()-1e9, p.Record)
	}
	return s
}

func TestAdd(t *testing.T) {
	r := roomy().reservoir()
	r.Add(at(1, "/7"), []uint32{1})
	r.Add(at(3, "/5"), []uint32{2})
	r.Add(at(2, "/9"), []uint32{3})
	if got, want := show(r), "seen 3 last 3: /5@3[2] /9@2[3] /7@1[1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.Add(at(9, "/7"), []uint32{4}) // a new visit replaces the page
	r.Add(at(0, "/5"), []uint32{5}) // an old one does not
	if got, want := show(r), "seen 3 last 9: /7@9[4] /5@3[2] /9@2[3]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if p, ok := r.Get(at(0, "/9")); !ok || p.Record[0] != 3 {
		t.Errorf("Get(/9) = %v, %v", p, ok)
	}
	if _, ok := r.Get(at(0, "/1")); ok || r.Knows(at(0, "/1")) || !r.Knows(at(0, "/9")) {
		t.Error("/1 is known, or /9 is not")
	}
}

func TestTheNewestAreKept(t *testing.T) {
	r := config{3, 1 << 20, 1 << 20}.reservoir()
	for n := range 10 {
		r.Add(at(n, fmt.Sprint("/", n)), nil)
	}
	if got, want := show(r), "seen 10 last 9: /9@9[] /8@8[] /7@7[]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.Add(at(20, "/2"), nil) // comes back, and was counted
	if got, want := show(r), "seen 10 last 20: /2@20[] /9@9[] /8@8[]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, ok := r.Get(at(0, "/3")); ok || !r.Knows(at(0, "/3")) {
		t.Error("/3 is kept, or no longer known")
	}
}

// A page that alone exceeds the budget counts, and does not evict the others.
func TestATooLargePageEvictsNoOther(t *testing.T) {
	r := config{10, 8 << 10, 1 << 20}.reservoir()
	for n := range 3 {
		r.Add(at(n, fmt.Sprint("/", n)), nil)
	}
	r.Add(at(9, "/9"), make([]uint32, 4<<10))
	if got, want := show(r), "seen 4 last 9: /2@2[] /1@1[] /0@0[]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// While a clock runs ahead, all stored pages may get its time. After the clock is set right, new pages still replace
// older ones, and the time of the latest visit stays correct.
func TestAClockThatIsSetBack(t *testing.T) {
	r := config{3, 1 << 20, 1 << 20}.reservoir()
	const years = 70 * 365 * 86400
	for n := range 5 {
		r.Add(at(years+n, fmt.Sprint("/", n)), nil)
	}
	for n := 5; n < 10; n++ {
		r.Add(at(n, fmt.Sprint("/", n)), nil)
	}
	r.Add(at(10, "/8"), []uint32{1})
	var kept []uint64
	for p := range r.All() {
		kept = append(kept, p.URL)
	}
	hash := testKey().Hasher()
	if want := []uint64{hash.String("/8"), hash.String("/9"), hash.String("/7")}; !slices.Equal(kept, want) {
		t.Errorf("kept: %s, want /8, /9 and /7", show(r))
	}
	if got := r.Stats().LastSeen; !got.Equal(at(years+4, "").At) {
		t.Errorf("last seen %v", got)
	}
}

func TestDue(t *testing.T) {
	r := config{40, 1 << 20, 1 << 20}.reservoir()
	if r.Due(0.1) {
		t.Error("due without a page")
	}
	var fits []int
	for n := 1; n <= 60; n++ {
		r.Add(at(n, fmt.Sprint("/", n)), []uint32{uint32(n)})
		if r.Due(0.1) {
			fits = append(fits, n)
			r.Fitted()
		}
	}
	// From 10 pages on, after a tenth more; from 40 pages on, which is the maximum, after every 4.
	want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 23, 26, 29, 33, 37, 41, 45, 49, 53, 57}
	if !slices.Equal(fits, want) {
		t.Errorf("fits at %v, want %v", fits, want)
	}
	r.Fitted()
	r.Add(at(61, "/60"), []uint32{60}) // the same again
	if r.Due(0.0001) {
		t.Error("due although no page has changed")
	}
	r.Add(at(62, "/60"), []uint32{61})
	if !r.Due(0.0001) {
		t.Error("not due although a page has changed")
	}
}

// visit is a page to add.
type visit struct {
	model.Visit
	record []uint32
}

// visits generates pages with few URLs, times and contents, so that they often coincide.
func visits(t *rapid.T, name string) []visit {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) visit {
		return visit{
			at(rapid.IntRange(0, 5).Draw(t, "at"), fmt.Sprint("/", rapid.IntRange(1, 12).Draw(t, "url"))),
			rapid.SliceOfN(rapid.Uint32Range(0, 3), 0, 3).Draw(t, "record"),
		}
	}), 0, 12).Draw(t, name)
}

func filled(c config, pages ...[]visit) *Reservoir[[]uint32] {
	r := c.reservoir()
	for _, p := range slices.Concat(pages...) {
		r.Add(p.Visit, p.record)
	}
	return r
}

func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		merged := func(rs ...*Reservoir[[]uint32]) *Reservoir[[]uint32] {
			m := roomy().reservoir()
			for _, r := range rs {
				if err := base.Merge(m, r); err != nil {
					t.Fatal(err)
				}
			}
			return m
		}
		va, vb, vc := visits(t, "a"), visits(t, "b"), visits(t, "c")
		a, b, c := filled(roomy(), va), filled(roomy(), vb), filled(roomy(), vc)
		want := show(filled(roomy(), va, vb, vc))
		for name, got := range map[string]*Reservoir[[]uint32]{
			"a b c": merged(a, b, c), "c b a": merged(c, b, a), "a (b c)": merged(a, merged(b, c)), "a a b c": merged(a, a, b, c),
		} {
			if show(got) != want {
				t.Fatalf("%s: %s, want %s", name, show(got), want)
			}
		}
	})
}

func TestLimitsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := config{rapid.IntRange(1, 8).Draw(t, "pages"), rapid.IntRange(800, 2000).Draw(t, "memory"), 1 << 20}
		r := filled(c, visits(t, "a"))
		if err := base.Merge(r, filled(roomy(), visits(t, "b"))); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for p := range r.All() {
			sum += pageBytes + words{}.Bytes(p.Record)
		}
		if got := r.Stats().Bytes; r.Len() > c.pages || sum != r.bytes || got > c.memory {
			t.Fatalf("%d pages of %d bytes, counted as %d; %d bytes in all; %+v", r.Len(), sum, r.bytes, got, c)
		}
	})
}

func TestManyPagesAreBounded(t *testing.T) {
	const memory = 64 << 10
	r := config{10, memory, 1 << 20}.reservoir()
	for n := range 10000 {
		r.Add(at(n, fmt.Sprint("/", n)), []uint32{1})
		if got := r.Stats().Bytes; got > memory {
			t.Fatalf("%d bytes after %d pages", got, n)
		}
	}
	if got := r.Stats().Pages; got != 10000 {
		t.Errorf("seen %d", got)
	}
}
