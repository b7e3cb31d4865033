package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
)

func testFormat() Format { return Format{What: "test", Magic: "wtst", Version: 3} }

func TestSealOpen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Uint64()).Draw(t, "values")
		slices.Sort(values)
		values = slices.Compact(values)
		at := rapid.SampledFrom([]time.Time{{}, time.Unix(1e9, 0).UTC(), time.Unix(-5, 0).UTC()}).Draw(t, "at")
		r, err := testFormat().Open(model.Key{1}, 0, testFormat().Seal(model.Key{1}, AppendTime(AppendAscending(nil, values), at)))
		if err != nil {
			t.Fatal(err)
		}
		if got := Ascending[uint64](r); !slices.Equal(got, values) {
			t.Fatalf("values %v became %v", values, got)
		}
		if got := r.Time(); !got.Equal(at) {
			t.Fatalf("time %v became %v", at, got)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	good := testFormat().Seal(model.Key{1}, []byte("body"))
	newer := testFormat()
	newer.Version++
	foreign := testFormat()
	foreign.Magic = "blob"
	for name, b := range map[string][]byte{
		"nothing":     nil,
		"magic alone": []byte("wtst"),
		"foreign":     foreign.Seal(model.Key{1}, nil),
		"newer":       newer.Seal(model.Key{1}, nil),
		"another key": testFormat().Seal(model.Key{2}, nil),
		"a tail":      append(bytes.Clone(good), 0),
		"too large":   append(bytes.Clone(good), make([]byte, 5<<20)...),
	} {
		if _, err := testFormat().Open(model.Key{1}, 0, b); !errors.Is(err, model.ErrFormat) {
			t.Errorf("%s: error %v, want ErrFormat", name, err)
		} else if errors.Is(err, model.ErrMismatch) != (name == "another key") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		if _, err := testFormat().Open(model.Key{1}, 0, bad); !errors.Is(err, model.ErrFormat) {
			t.Errorf("byte %d changed: error %v", i, err)
		}
	}
}

func TestReaderBelievesNothing(t *testing.T) {
	huge := binary.AppendUvarint(nil, math.MaxUint64)
	for name, tt := range map[string]struct {
		body []byte
		read func(*Reader)
	}{
		"a count of more items than bytes": {huge, func(r *Reader) { r.Count(1) }},
		"a number over its limit":          {[]byte{5}, func(r *Reader) { r.Number(4) }},
		"a number over 64 bits":            {bytes.Repeat([]byte{0xff}, 11), func(r *Reader) { r.Number(math.MaxUint64) }},
		"bytes that are not there":         {[]byte{1, 2, 3}, func(r *Reader) { r.Uint32() }},
		"no time":                          {nil, func(r *Reader) { r.Time() }},
		"one value twice":                  {[]byte{2, 7, 0}, func(r *Reader) { Ascending[uint64](r) }},
		"a value over 32 bits":             {append([]byte{1}, huge...), func(r *Reader) { Ascending[uint32](r) }},
		"bytes left over":                  {[]byte{1, 2}, func(r *Reader) { r.Number(9) }},
	} {
		r, err := testFormat().Open(model.Key{1}, 0, testFormat().Seal(model.Key{1}, tt.body))
		if err != nil {
			t.Fatal(err)
		}
		tt.read(r)
		if err := r.Close(); !errors.Is(err, model.ErrFormat) || r.Len() > 0 {
			t.Errorf("%s: error %v, want ErrFormat", name, err)
		}
	}
}
