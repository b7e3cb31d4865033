package reservoir

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
)

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func encode(t fataler, r *Reservoir[[]uint32]) []byte {
	t.Helper()
	b, err := r.Encode()
	if err != nil || len(b) > r.Limits().Encoded {
		t.Fatalf("Encode: %d bytes, limit %d, %v", len(b), r.Limits().Encoded, err)
	}
	return b
}

func decode(t fataler, b []byte) *Reservoir[[]uint32] {
	t.Helper()
	r := roomy().reservoir()
	if err := r.Load(b); err != nil {
		t.Fatalf("Load: %v", err)
	}
	return r
}

// limited returns the contents of r in a reservoir whose encoding may take the given number of bytes.
func limited(t fataler, r *Reservoir[[]uint32], encoded int) *Reservoir[[]uint32] {
	t.Helper()
	small := config{r.most, r.Limits().Memory, encoded}.reservoir()
	if err := base.Merge(small, r); err != nil {
		t.Fatalf("Merge: %v", err)
	}
	return small
}

func TestDecodeIsTheInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := filled(roomy(), visits(t, "pages"))
		if rapid.Bool().Draw(t, "timeless") {
			r.Add(model.Visit{URL: "/99"}, nil)
		}
		b := encode(t, r)
		back := decode(t, b)
		if show(back) != show(r) || !bytes.Equal(encode(t, back), b) {
			t.Fatalf("%s became %s", show(r), show(back))
		}
		if back.Due(1) != (r.Len() > 0) {
			t.Fatal("a decoded reservoir is due for a fit if and only if it has pages")
		}
	})
}

// random returns a record of n random numbers.
func random(rng *rand.Rand, n int) []uint32 {
	record := make([]uint32, n)
	for i := range record {
		record[i] = rng.Uint32()
	}
	return record
}

func TestEncodingKeepsTheNewestThatFit(t *testing.T) {
	r := roomy().reservoir()
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 50 {
		r.Add(at(n, fmt.Sprint("/", n)), random(rng, 100))
	}
	before, full := show(r), encode(t, r)
	back := decode(t, encode(t, limited(t, r, len(full)/2)))
	if n, s := back.Len(), back.Stats(); n < 20 || n > 25 || s.Pages != 50 || !s.LastSeen.Equal(r.Learned.Last()) {
		t.Errorf("%d of 50 pages left in half the room, stats %+v", n, s)
	}
	for i, p := range back.pages {
		if p.URL != r.pages[i].URL {
			t.Fatalf("page %d is another: the newest were not kept", i)
		}
	}
	if show(r) != before {
		t.Error("encoding changed the reservoir")
	}
	if b, err := limited(t, r, 30).Encode(); err == nil {
		t.Errorf("%d bytes and no error for a limit of 30", len(b))
	}
}

// The URLs of many pages leave enough of the limit for the stored pages.
func TestEncodingShrinksWhatItRemembersOfURLs(t *testing.T) {
	r := config{10, 1 << 20, 1 << 20}.reservoir()
	for n := range 5000 {
		r.Add(at(n, fmt.Sprint("/", n)), random(rand.New(rand.NewPCG(1, uint64(n))), 10))
	}
	if back := decode(t, encode(t, limited(t, r, 2000))); back.Len() != 10 || back.Stats().Pages != 5000 {
		t.Errorf("%d pages kept, %d seen", back.Len(), back.Stats().Pages)
	}
}

// Common parts of pages are stored about once.
func TestSharedRecordsAreCompressed(t *testing.T) {
	r := roomy().reservoir()
	record := random(rand.New(rand.NewPCG(1, 2)), 1000)
	for n := range 50 {
		r.Add(at(n, fmt.Sprint("/", n)), record)
	}
	if b := encode(t, r); len(b) > 8000 {
		t.Errorf("%d bytes for 50 pages that share 4000", len(b))
	}
}

func TestDecodeRefuses(t *testing.T) {
	page := func(url uint64, seconds int64, record ...byte) []byte {
		b := binary.AppendVarint(binary.LittleEndian.AppendUint64(nil, url), seconds)
		return append(append(b, byte(len(record))), record...)
	}
	one := page(1, 9, 0)
	empty := []byte{0, 0, 0, 0}
	for name, body := range map[string][]byte{
		"a cut page":            deflated(t, empty, one[:len(one)-2]),
		"the same page twice":   deflated(t, empty, append(bytes.Clone(one), page(1, 8, 0)...)),
		"pages out of order":    deflated(t, empty, append(bytes.Clone(one), page(2, 10, 0)...)),
		"a record that is cut":  deflated(t, empty, page(1, 9, 200)),
		"a record with a tail":  deflated(t, empty, page(1, 9, 0, 0)),
		"a record of huge size": deflated(t, empty, append(page(1, 9)[:9], 255, 255, 255, 255, 15)),
		"a bomb":                deflated(t, empty, bytes.Repeat(one, 1<<20)),
		"no body":               {},
		"no compression":        append(bytes.Clone(empty), 1, 2, 3),
	} {
		if err := roomy().reservoir().Load(sign(body)); !errors.Is(err, model.ErrFormat) {
			t.Errorf("%s: %v, want ErrFormat", name, err)
		}
	}
	if r := decode(t, sign(deflated(t, empty, one))); r.Len() != 1 {
		t.Error("the sound page that the damaged ones were made from is not read")
	}
}

func sign(body []byte) []byte { return base.Format("test", "wtst").Seal(testKey(), body) }

// deflated returns a body with these pages.
func deflated(t testing.TB, head, plain []byte) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return enc.EncodeAll(plain, bytes.Clone(head))
}

func FuzzDecode(f *testing.F) {
	r := roomy().reservoir()
	r.Add(at(1, "/1"), []uint32{1, 2, 3})
	r.Add(at(2, "/2"), []uint32{1, 2, 4})
	var plain []byte
	for _, p := range r.pages {
		plain = r.appendPage(plain, p)
	}
	f.Add(r.Learned.Append(nil), plain)
	f.Add([]byte{0, 0, 0, 0}, []byte{})
	f.Fuzz(func(t *testing.T, head, plain []byte) {
		c := config{10, 4 << 10, 1 << 20}
		for _, b := range [][]byte{head, sign(head), sign(deflated(t, head, plain))} {
			r := c.reservoir()
			if err := r.Load(b); err != nil {
				if !errors.Is(err, model.ErrFormat) {
					t.Fatalf("error %v is not ErrFormat", err)
				}
				continue
			}
			if s := r.Stats(); r.Len() > c.pages || s.Bytes > c.memory {
				t.Fatalf("%d pages, %d bytes", r.Len(), s.Bytes)
			}
			again := c.reservoir()
			if err := again.Load(encode(t, r)); err != nil || show(again) != show(r) {
				t.Fatalf("%s became %s, %v", show(r), show(again), err)
			}
			r.Add(at(3, "/3"), []uint32{1})
			if err := base.Merge(r, again); err != nil {
				t.Fatal(err)
			}
		}
	})
}
