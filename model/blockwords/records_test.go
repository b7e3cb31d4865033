package blockwords

import (
	"errors"
	"slices"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
)

func FuzzReadRecord(f *testing.F) {
	f.Add(records{}.Append(nil, []posting{{7, 1}, {1 << 31, 1<<32 - 1}}))
	f.Add([]byte{0})
	f.Add([]byte{1, 1, 0, 0, 0, 0}) // a word that does not occur
	f.Add([]byte{255, 255, 255, 255, 15})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := codec.Format{What: "test"}.Part(b)
		list := records{}.Read(r)
		if err := r.Close(); err != nil {
			if !errors.Is(err, model.ErrFormat) {
				t.Fatalf("error %v is not ErrFormat", err)
			}
			return
		}
		again := codec.Format{}.Part(records{}.Append(nil, list))
		if back := (records{}).Read(again); !slices.Equal(back, list) || again.Close() != nil {
			t.Fatalf("%v became %v", list, back)
		}
	})
}
