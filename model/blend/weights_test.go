package blend

import (
	"bytes"
	"compress/gzip"
	"io"
	"reflect"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/judge"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
)

// The embedded weights are compressed, and mean the same uncompressed. A damaged file is refused.
func TestEmbeddedWeightsArePacked(t *testing.T) {
	plain := unpacked(t)
	if len(embedded) > len(plain)*3/4 {
		t.Errorf("the embedded weights take %d bytes of %d: gzip -9n them, see fit/fit.sh", len(embedded), len(plain))
	}
	want, err := judge.Read(plain)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"packed": embedded, "plain": plain} {
		got, err := judge.Read(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(markedBy(t, got), markedBy(t, want)) {
			t.Errorf("%s: other weights", name)
		}
	}
	damaged := bytes.Clone(embedded)
	damaged[len(damaged)/2] ^= 1
	if _, err := judge.Read(damaged); err == nil {
		t.Error("damaged weights are taken")
	}
}

// markedBy returns how a host's first page is marked.
func markedBy(t *testing.T, w *judge.Weights) *page.Marking {
	t.Helper()
	m := NewWith(w).New(model.Key{}).Mark(viewtest.Parse(t, viewtest.SitePage(1)), visit(1))
	m.Reading = nil // it names the detector
	return m
}

// unpacked returns the embedded weights as fit.py wrote them.
func unpacked(t testing.TB) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(embedded))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func FuzzDecodeWeights(f *testing.F) {
	f.Add(unpacked(f))
	f.Add(judge.Header())
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := judge.Read(b)
		if err != nil {
			return
		}
		// What is accepted must answer without a panic.
		v := viewtest.ViewOf(t, "<body><p>a<p>b")
		w.Judge(&features.Input{Page: v}, nil).Release()
	})
}
