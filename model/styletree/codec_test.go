package styletree_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/styletree"
)

func TestEncodeDecodeIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := exact()
		opts.DecayEvery = rapid.SampledFrom([]int{-1, 2}).Draw(t, "decay")
		opts.MaxStyles = rapid.SampledFrom([]int{-1, 1}).Draw(t, "styles")
		opts.MaxFeatures = rapid.SampledFrom([]int{-1, 2}).Draw(t, "features")
		opts.DuplicateShare = rapid.SampledFrom([]float64{-1, 0.9}).Draw(t, "duplicates")
		tree := learned(t, opts, bodies(0, 6).Draw(t, "pages")...)
		back := copyOf(t, tree, opts)
		checkSame(t, "decoded", tree, back)
		if a, b := tree.Stats(), back.Stats(); a.Pages != b.Pages || !a.LastSeen.Equal(b.LastSeen) {
			t.Fatalf("Stats %+v became %+v", a, b)
		}
	})
}

// A decoded tree goes on learning exactly as the original would.
func TestDecodedTreeLearnsOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := exact()
		opts.DuplicateShare = 0.9
		pages := bodies(2, 6).Draw(t, "pages")
		tree := learned(t, opts, pages[:len(pages)/2]...)
		back := copyOf(t, tree, opts)
		for i, b := range pages {
			tree.Observe(parse(t, b), visit(i))
			back.Observe(parse(t, b), visit(i))
		}
		checkSame(t, "learned on", tree, back)
	})
}

func TestDecodeRefuses(t *testing.T) {
	good := encoded(t, learned(t, exact(), site()...))
	flip := func(i int) []byte {
		b := bytes.Clone(good)
		b[i] ^= 1
		return b
	}
	tests := map[string][]byte{
		"more than can be": append([]byte("wsst\x01"), make([]byte, 5<<20)...),
		"nothing":          nil,
		"another format":   []byte(`{"pages": 3, "styles": []}`),
		"magic alone":      []byte("wsst"),
		"a newer version":  flip(4),
		"another key's":    flip(5),
		"a flipped bit":    flip(len(good) / 2),
		"a wrong checksum": flip(len(good) - 1),
		"a cut":            good[:len(good)-9],
		"a tail":           append(bytes.Clone(good), 0),
	}
	for name, b := range tests {
		if _, err := styletree.Decode(testKey(), styletree.Options{}, b); !errors.Is(err, model.ErrFormat) {
			t.Errorf("%s: error %v, want ErrFormat", name, err)
		}
	}
	_, err := styletree.Decode(model.Key{7}, exact(), good)
	if !errors.Is(err, model.ErrMismatch) || !errors.Is(err, model.ErrFormat) {
		t.Errorf("another key: error %v, want ErrMismatch and ErrFormat", err)
	}
	for n := range good {
		if _, err := styletree.Decode(testKey(), exact(), good[:n]); !errors.Is(err, model.ErrFormat) {
			t.Fatalf("cut to %d bytes: error %v", n, err)
		}
	}
}

// sign frames a body as Encode does, so that hostile bodies get past the checksum.
func sign(body []byte) []byte {
	b := append([]byte("wsst\x01"), binary.LittleEndian.AppendUint64(nil, testKey().ID())...)
	b = append(b, body...)
	return binary.LittleEndian.AppendUint64(b, testKey().Hasher().Bytes(b))
}

// unsign returns the body of an encoding.
func unsign(b []byte) []byte { return b[13 : len(b)-8] }

func TestSignIsWhatEncodeDoes(t *testing.T) {
	b := encoded(t, learned(t, exact(), site()...))
	if !bytes.Equal(sign(unsign(b)), b) {
		t.Fatal("the frame has changed: hostile bodies below no longer reach the decoder")
	}
}

func TestDecodeRefusesSignedNonsense(t *testing.T) {
	empty := []byte{0, 0, 0, 0, 0, 0} // no time, none forgotten, no URLs, no sketches
	huge := binary.AppendUvarint(nil, 1<<62)
	kind := append([]byte{1}, 9, 0, 0, 0, 0, 0, 0, 0, 3) // one kind
	deep := append(bytes.Clone(empty), kind...)
	for range 3000 {
		deep = append(deep, 1, 4, 16, 0) // one style node of one element, on one page
	}
	deep = append(deep, 0) // and below the last nothing
	tests := map[string][]byte{
		"no body":                 {},
		"a huge number of URLs":   append([]byte{0, 0}, huge...),
		"URLs out of order":       {0, 0, 2, 5, 0},
		"a sketch of no hashes":   {0, 0, 0, 0, 1, 0, 0, 0, 0, 0},
		"a huge number of kinds":  append(bytes.Clone(empty), huge...),
		"a huge number of styles": append(append(bytes.Clone(empty), 0), huge...),
		"a style of huge length":  append(append(bytes.Clone(empty), 0, 1), huge...),
		"an unknown kind":         append(bytes.Clone(empty), 0, 1, 4, 16, 0),
		"one style twice":         append(append(bytes.Clone(empty), kind...), 2, 4, 16, 0, 4, 16, 0, 0, 0),
		"a tree too deep":         deep,
		"features out of order":   append(bytes.Clone(empty), 0, 1, 3, 16, 2, 0, 5, 32, 0, 32),
		"a number over 64 bits":   bytes.Repeat([]byte{0xff}, 11),
	}
	for name, body := range tests {
		if _, err := styletree.Decode(testKey(), exact(), sign(body)); !errors.Is(err, model.ErrFormat) {
			t.Errorf("%s: error %v, want ErrFormat", name, err)
		}
	}
	shallow := append(append(bytes.Clone(empty), kind...), 1, 4, 16, 0, 0)
	ordered := append(bytes.Clone(empty), 0, 1, 3, 16, 2, 0, 5, 32, 1, 32)
	for name, body := range map[string][]byte{"empty": append(bytes.Clone(empty), 0, 0), "shallow": shallow,
		"ordered": ordered} {
		if _, err := styletree.Decode(testKey(), exact(), sign(body)); err != nil {
			t.Errorf("the %s tree, which those are made from: %v", name, err)
		}
	}
}

func TestEncodingKeepsToItsLimit(t *testing.T) {
	opts := exact()
	var pages []string
	for i := range 40 {
		pages = append(pages, redesign("same", i)+"<div>"+strings.Repeat("<p>x", i)+fmt.Sprint("word", i)+"</div>")
	}
	full := encoded(t, learned(t, opts, pages...))
	opts.Limits.Encoded = len(full) / 3
	tree := learned(t, opts, pages...)
	before := tree.Stats()
	small := encoded(t, tree)
	if len(small) > opts.Limits.Encoded {
		t.Errorf("%d bytes, limit %d", len(small), opts.Limits.Encoded)
	}
	if after := tree.Stats(); after != before {
		t.Errorf("encoding changed the tree: %+v, then %+v", before, after)
	}
	back, err := styletree.Decode(testKey(), opts, small)
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, pages[0])
	if len(back.Mark(p, model.Visit{}).Marks) == 0 || back.Pages() != tree.Pages() {
		t.Error("the template, which all pages share, was not kept")
	}
}

func TestEncodingOfManyPagesKeepsToItsLimit(t *testing.T) {
	opts := exact()
	opts.Limits.Encoded = 2 << 10
	tree := styletree.New(testKey(), opts)
	p := parse(t, `<p>menu`)
	for n := range 1000 {
		tree.Observe(p, visit(n))
	}
	if b := encoded(t, tree); len(b) > opts.Limits.Encoded {
		t.Errorf("%d bytes, limit %d", len(b), opts.Limits.Encoded)
	} else if back, err := styletree.Decode(testKey(), opts, b); err != nil || back.Pages() != 1000 {
		t.Errorf("decoded: %v", err)
	}
}

func TestEncodingLimitThatNothingFits(t *testing.T) {
	opts := exact()
	opts.Limits.Encoded = 10
	if _, err := learned(t, opts, site()...).Encode(); err == nil {
		t.Error("no error for a limit of 10 bytes")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(unsign(encoded(f, learned(f, exact(), site()...))))
	f.Add(unsign(encoded(f, styletree.New(testKey(), exact()))))
	crowded := exact()
	crowded.MaxStyles = 1
	f.Add(unsign(encoded(f, learned(f, crowded, `<p>a`, `<p>a<p>b`, `<div><p>x</div>`, `<div><p>x</div>`))))
	page := parse(f, site()[0])
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, b := range [][]byte{body, sign(body)} {
			tree, err := styletree.Decode(testKey(), styletree.Options{}, b)
			if err != nil {
				if !errors.Is(err, model.ErrFormat) {
					t.Fatalf("error %v is not ErrFormat", err)
				}
				continue
			}
			again, err := styletree.Decode(testKey(), styletree.Options{}, encoded(t, tree))
			if err != nil {
				t.Fatalf("what Encode wrote is not read: %v", err)
			}
			if !bytes.Equal(encoded(t, tree), encoded(t, again)) {
				t.Fatal("encodings differ")
			}
			tree.Mark(page, model.Visit{})
			tree.Observe(page, visit(1))
			if err := tree.Merge(again); err != nil {
				t.Fatal(err)
			}
			if s := tree.Stats(); s.Bytes > model.DefaultLimits().Memory {
				t.Fatalf("%d bytes in memory", s.Bytes)
			}
		}
	})
}
