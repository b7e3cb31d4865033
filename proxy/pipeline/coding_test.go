package pipeline

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// applyCodings applies codings in order, with the standard library where it has them: not the code under test.
func applyCodings(t testing.TB, body []byte, codings ...string) []byte {
	t.Helper()
	for _, c := range codings {
		var out bytes.Buffer
		w := referenceWriter(t, &out, c)
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		body = out.Bytes()
	}
	return body
}

func referenceWriter(t testing.TB, out io.Writer, coding string) io.WriteCloser {
	t.Helper()
	switch coding {
	case codingGzip, "x-gzip":
		return must[io.WriteCloser](gzip.NewWriterLevel(out, gzip.BestSpeed))
	case codingDeflate:
		return must[io.WriteCloser](zlib.NewWriterLevel(out, zlib.BestSpeed))
	case "raw-deflate":
		return must[io.WriteCloser](flate.NewWriter(out, flate.BestSpeed))
	case codingBrotli:
		return brotli.NewWriterLevel(out, 1)
	case codingZstd:
		return must[io.WriteCloser](zstd.NewWriter(out, zstd.WithEncoderConcurrency(1)))
	}
	t.Fatalf("no writer for coding %q", coding)
	return nil
}

// must returns v where making it can only fail for options that a test gets wrong.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// undoCoding undoes one coding with the standard library where it has it.
func undoCoding(t testing.TB, body []byte, coding string) []byte {
	t.Helper()
	var r io.Reader
	var err error
	switch coding {
	case "", codingIdentity:
		return body
	case codingGzip:
		r, err = gzip.NewReader(bytes.NewReader(body))
	case codingDeflate:
		r, err = zlib.NewReader(bytes.NewReader(body))
	case codingBrotli:
		r = brotli.NewReader(bytes.NewReader(body))
	case codingZstd:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderMaxWindow(zstdWindow)); err == nil {
			defer d.Close()
		}
		r = d
	default:
		t.Fatalf("no reader for coding %q", coding)
	}
	if err != nil {
		t.Fatalf("undo %s: %v", coding, err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("undo %s: %v", coding, err)
	}
	return out
}

func TestDecodeUndoesCodingsInAnyStacking(t *testing.T) {
	page := []byte(strings.Repeat("<p>Winnow the chaff from the grain.</p>\n", 2000))
	d := newDecoder(1<<20, 200)
	for _, stack := range [][]string{
		{}, {"gzip"}, {"deflate"}, {"raw-deflate"}, {"br"}, {"zstd"},
		{"gzip", "gzip"}, {"br", "gzip"}, {"deflate", "zstd"}, {"raw-deflate", "br"}, {"zstd", "br", "gzip"},
	} {
		t.Run(strings.Join(stack, "+"), func(t *testing.T) {
			coded := applyCodings(t, page, stack...)
			var codings []string
			for _, c := range stack {
				codings = append(codings, strings.TrimPrefix(c, "raw-"))
			}
			for range 3 { // the second and third time through pooled decompressors
				got, err := d.decode(coded, codings)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, page) {
					t.Fatalf("got %d bytes, want the page of %d", len(got), len(page))
				}
			}
		})
	}
}

func TestDecodeOfGzipMembersAndZstdFrames(t *testing.T) {
	d := newDecoder(1<<20, 200)
	for _, coding := range []string{codingGzip, codingZstd} {
		coded := append(applyCodings(t, []byte("first "), coding), applyCodings(t, []byte("second"), coding)...)
		got, err := d.decode(coded, []string{coding})
		if err != nil || string(got) != "first second" {
			t.Errorf("%s: got %q, %v; want both parts", coding, got, err)
		}
	}
}

func TestDecodeStopsBombs(t *testing.T) {
	const limit = 1 << 20
	bombs := []struct {
		stack   []string
		size    int
		allowed uint64 // bytes allocated, buffers that have been outgrown included
	}{
		{[]string{"gzip"}, 24 << 20, 12 * limit},
		{[]string{"deflate"}, 24 << 20, 12 * limit},
		{[]string{"br"}, 48 << 20, 12 * limit},
		{[]string{"gzip", "gzip"}, 24 << 20, 12 * limit},
		{[]string{"zstd"}, 64 << 20, 12 * limit},
		{[]string{"gzip", "zstd"}, 24 << 20, 12 * limit},
	}
	for _, bomb := range bombs {
		t.Run(strings.Join(bomb.stack, "+"), func(t *testing.T) {
			coded := applyCodings(t, make([]byte, bomb.size), bomb.stack...)
			d := newDecoder(limit, 200)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := d.decode(coded, bomb.stack)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, errTooLarge) {
				t.Fatalf("bomb of %d bytes: error %v, want errTooLarge", len(coded), err)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > bomb.allowed {
				t.Errorf("%d KiB allocated, %d KiB allowed", got>>10, bomb.allowed>>10)
			}
		})
	}
}

// What a frame of zstd says of its size is believed before anything is taken for it, what it says of its window is held
// to the bound, and a body that has to wait goes on where it stopped.
func TestZstdKeepsToTheBound(t *testing.T) {
	const limit = 16 << 20
	d := newDecoder(limit, 100_000)
	tookBy := func(coded []byte, coding string, most int64) (uint64, error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := d.open(coded, []string{coding}).upTo(most)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	}
	took := func(coded []byte, most int64) (uint64, error) { return tookBy(coded, codingZstd, most) }
	// A frame with a window of 1 kB, four bytes of its size (15 MiB; RFC 8878 §3.1.1.1), and an empty block.
	lying := []byte("\x28\xb5\x2f\xfd\x80\x00\x00\x00\xf0\x00\x01\x00\x00")
	if n, err := took(lying, 1<<20); n > 1<<20 || !errors.Is(err, errTooLarge) {
		t.Errorf("%d bytes took %d KiB: %v", len(lying), n>>10, err)
	}
	for name, coded := range map[string]string{
		"without a size":   "\x28\xb5\x2f\xfd\x00\x68\x01\x00\x00",                                                      // a window of 8 MiB, and an empty block
		"behind another":   "\x28\xb5\x2f\xfd\x00\x00\x01\x00\x00\x28\xb5\x2f\xfd\x00\x68\x01\x00\x00",                  // which is empty too
		"behind a comment": "\x51\x2a\x4d\x18\x02\x00\x00\x00!!\x28\xb5\x2f\xfd\x00\x68\x01\x00\x00",                    // a frame to skip
		"one segment":      "\x28\xb5\x2f\xfd\x00\x00\x01\x00\x00\x28\xb5\x2f\xfd\xa0\x00\x00\x70\x00\x01\x00\x00",      // behind another, of 7 MiB
		"after its blocks": "\x28\xb5\x2f\xfd\x04\x00\x02\x00\x00x\x01\x00\x00ABCD\x28\xb5\x2f\xfd\x00\x68\x01\x00\x00", // with a checksum
	} {
		if n, _ := took([]byte(coded), 1<<20); n > 5<<20 {
			t.Errorf("%s: %d bytes took %d KiB", name, len(coded), n>>10)
		}
	}
	// A stream of brotli with a window of 16 MiB, and the first byte of as many that are not packed.
	if n, _ := tookBy([]byte("\xcf\xff\xff\xffx"), codingBrotli, 1<<20); n > 5<<20 {
		t.Errorf("five bytes of brotli took %d KiB", n>>10)
	}
	body := bytes.Repeat([]byte("The tide came in again. "), 100_000)
	var streamed bytes.Buffer
	z, err := zstd.NewWriter(&streamed, zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	for piece := range slices.Chunk(body, 1000) { // so that the frame does not say its size
		if _, err := z.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	u := d.open(streamed.Bytes(), []string{codingZstd})
	if _, err := u.upTo(1 << 20); !errors.Is(err, errTooLarge) {
		t.Fatalf("over the first bound: %v", err)
	}
	if n := u.out.Len(); n < 1<<20 || n > 1<<20+1<<10 {
		t.Errorf("%d bytes are decoded before the body waits", n)
	}
	if n := u.stack[0].src.Len(); n == streamed.Len() {
		t.Error("nothing is read yet")
	}
	got, err := u.upTo(limit)
	if err != nil || !bytes.Equal(got, body) {
		t.Errorf("%d bytes, want %d: %v", len(got), len(body), err)
	}
}

// A window that is cut to the bound still has all that a body of that size refers to.
func TestWindowsReachBackFarEnough(t *testing.T) {
	start := make([]byte, 1<<20)
	rand.Read(start)
	body := append(bytes.Repeat([]byte("The tide came in again. "), 80_000), start...)
	body = append(append(start, body...), start...)
	for coding, fresh := range map[string]func(io.Writer) io.WriteCloser{
		codingZstd: func(out io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(out, zstd.WithWindowSize(zstdWindow), zstd.WithEncoderConcurrency(1))
			if err != nil {
				t.Fatal(err)
			}
			return z
		},
		codingBrotli: func(out io.Writer) io.WriteCloser {
			return brotli.NewWriterOptions(out, brotli.WriterOptions{Quality: 5, LGWin: 24})
		},
	} {
		var coded bytes.Buffer
		z := fresh(&coded)
		for piece := range slices.Chunk(body, 100_000) {
			if _, err := z.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if coded.Len() > 2<<20 {
			t.Errorf("%s: %d bytes refer to nothing far back", coding, coded.Len())
		}
		got, err := newDecoder(int64(len(body)), 1000).decode(coded.Bytes(), []string{coding})
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s: %d of %d bytes, %v", coding, len(got), len(body), err)
		}
		if _, err := newDecoder(int64(len(body))-1, 1000).decode(coded.Bytes(), []string{coding}); !errors.Is(err, errTooLarge) {
			t.Errorf("%s: one byte too many: %v", coding, err)
		}
	}
}

// The room for a body is what the end of gzip says, unless it says what the body hardly holds.
func TestLikelySize(t *testing.T) {
	pages := applyCodings(t, []byte(strings.Repeat("<p>one of many lines</p>", 20)+rand.Text()), codingGzip)
	zeros := applyCodings(t, make([]byte, 1<<20), codingGzip)
	several := append(bytes.Clone(pages), applyCodings(t, nil, codingGzip)...)
	for name, tc := range map[string]struct {
		coded  []byte
		coding string
		want   int
	}{
		"gzip": {pages, codingGzip, 20*24 + 26}, "zeros": {zeros, codingGzip, 4 * len(zeros)}, "several streams": {several, codingGzip, len(several)},
		"another coding": {pages, codingBrotli, 4 * len(pages)}, "cut": {pages[:3], codingGzip, 12}, "empty": {nil, codingGzip, 0},
	} {
		if got := likelySize(tc.coded, tc.coding); got != int64(tc.want) {
			t.Errorf("%s of %d bytes: %d, want %d", name, len(tc.coded), got, tc.want)
		}
	}
}

func TestDecodeLimitsRatioBeyondFirstMiB(t *testing.T) {
	d := newDecoder(16<<20, 100)
	small := applyCodings(t, make([]byte, 1<<20), codingGzip)
	if _, err := d.decode(small, []string{codingGzip}); err != nil {
		t.Errorf("1 MiB of blanks: %v, want no error", err)
	}
	large := applyCodings(t, make([]byte, 2<<20), codingGzip)
	if _, err := d.decode(large, []string{codingGzip}); !errors.Is(err, errTooLarge) {
		t.Errorf("2 MiB from %d bytes: error %v, want errTooLarge", len(large), err)
	}
}

func TestDecodeRefusesWhatIsCutOrForeign(t *testing.T) {
	page := []byte(strings.Repeat("<p>cut me off</p>", 5000))
	d := newDecoder(1<<20, 200)
	for _, c := range []string{codingGzip, codingDeflate, codingBrotli, codingZstd} {
		whole := applyCodings(t, page, c)
		for _, cut := range []int{0, 1, 2, len(whole) / 2, len(whole) - 1} {
			if got, err := d.decode(whole[:cut], []string{c}); err == nil && (cut > 0 || len(got) > 0) {
				t.Errorf("%s cut to %d of %d bytes decoded without an error", c, cut, len(whole))
			}
		}
		if _, err := d.decode(page, []string{c}); err == nil {
			t.Errorf("plain HTML decoded as %s without an error", c)
		}
		if got, err := d.decode(whole, []string{c}); err != nil || !bytes.Equal(got, page) {
			t.Errorf("%s after failures: %v, want the page", c, err)
		}
	}
}

func TestEncodeIsUndoneByOthers(t *testing.T) {
	e := newEncoder()
	rapid.Check(t, func(rt *rapid.T) {
		unit := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(rt, "unit")
		body := bytes.Repeat(unit, rapid.IntRange(1, 300).Draw(rt, "times"))
		coding := rapid.SampledFrom(append(knownCodings(), codingIdentity)).Draw(rt, "coding")
		coded, err := e.encode(body, coding, rapid.Bool().Draw(rt, "hurried"))
		if err != nil {
			rt.Fatal(err)
		}
		if got := undoCoding(t, coded, coding); !bytes.Equal(got, body) {
			rt.Fatalf("%s: %d bytes came back as %d", coding, len(body), len(got))
		}
	})
}

func TestContentCodings(t *testing.T) {
	tests := []struct {
		lines []string
		want  []string
		ok    bool
	}{
		{nil, nil, true},
		{[]string{""}, nil, true},
		{[]string{"identity"}, nil, true},
		{[]string{"GZip"}, []string{"gzip"}, true},
		{[]string{"x-gzip"}, []string{"gzip"}, true},
		{[]string{"br, gzip"}, []string{"br", "gzip"}, true},
		{[]string{"br", "identity, gzip"}, []string{"br", "gzip"}, true},
		{[]string{"gzip, gzip, gzip"}, []string{"gzip", "gzip", "gzip"}, true},
		{[]string{"gzip, gzip, gzip, gzip"}, nil, false},
		{[]string{"sdch, gzip"}, nil, false},
		{[]string{"compress"}, nil, false},
		{[]string{"utf-8"}, nil, false},
	}
	for _, tt := range tests {
		got, ok := contentCodings(http.Header{"Content-Encoding": tt.lines})
		if ok != tt.ok {
			t.Errorf("%q: known %v, want %v", tt.lines, ok, tt.ok)
		}
		if ok && !cmp.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.lines, got, tt.want)
		}
	}
}

func TestOfferUpstream(t *testing.T) {
	tests := []struct {
		name   string
		client []string
		want   []string
	}{
		{"nothing said", nil, []string{"identity"}},
		{"empty", []string{""}, []string{"identity"}},
		{"browser", []string{"gzip, deflate, br, zstd"}, []string{"gzip, deflate, br, zstd"}},
		{"dictionaries left out", []string{"gzip, br, zstd, dcb, dcz"}, []string{"gzip, br, zstd"}},
		{"weights kept", []string{"br;q=1.0, gzip;q=0.8, *;q=0"}, []string{"br, gzip;q=0.8, *;q=0"}},
		{"two lines", []string{"gzip", "br"}, []string{"gzip, br"}},
		{"alias", []string{"x-gzip"}, []string{"x-gzip"}},
		{"only unknown", []string{"compress"}, []string{"identity"}},
		{"only unknown and no identity", []string{"compress, identity;q=0"}, []string{"compress, identity;q=0"}},
		{"anything", []string{"*"}, []string{"br, zstd, gzip, deflate, identity"}},
		{"anything but brotli", []string{"br;q=0, *;q=0.5"}, []string{"br;q=0, zstd;q=0.5, gzip;q=0.5, deflate;q=0.5, identity;q=0.5"}},
		{"bad weight is a refusal", []string{"gzip;q=high, br"}, []string{"gzip;q=0, br"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parseWeighted(tt.client)
			if d := cmp.Diff(tt.want, acceptedCodings(got).offer(tt.client)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestChooseForClient(t *testing.T) {
	tests := []struct {
		name   string
		client []string
		origin []string
		size   int
		want   string
	}{
		{"the origin's own", []string{"gzip, br"}, []string{"br"}, 9000, "br"},
		{"zstd for brotli", []string{"gzip, br, zstd"}, []string{"br"}, 9000, "zstd"},
		{"brotli where it is liked better", []string{"br, zstd;q=0.5"}, []string{"br"}, 9000, "br"},
		{"gzip stays", []string{"gzip, br, zstd"}, []string{"gzip"}, 9000, "gzip"},
		{"the outermost of a stack", []string{"gzip, br"}, []string{"br", "gzip"}, 9000, "gzip"},
		{"not compressed by the origin", []string{"gzip, br"}, nil, 9000, "identity"},
		{"small", []string{"gzip"}, []string{"gzip"}, 100, "identity"},
		{"small, identity refused", []string{"gzip, identity;q=0"}, []string{"gzip"}, 100, "gzip"},
		{"not accepted", []string{"br"}, []string{"gzip"}, 9000, "identity"},
		{"nothing said", nil, []string{"gzip"}, 9000, "identity"},
		{"refused by weight", []string{"gzip;q=0, br"}, []string{"gzip"}, 9000, "identity"},
		{"identity refused", []string{"identity;q=0, zstd;q=0.5, gzip;q=0.9"}, nil, 9000, "gzip"},
		{"identity refused by star", []string{"br;q=0.2, *;q=0"}, []string{"gzip"}, 9000, "br"},
		{"alias", []string{"x-gzip"}, []string{"gzip"}, 9000, "gzip"},
		{"star", []string{"*"}, []string{"zstd"}, 9000, "zstd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := acceptedCodings(parseWeighted(tt.client)).choose(tt.origin, tt.size); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// FuzzDecode: whatever the bytes and the codings, decoding ends, within its limit.
func FuzzDecode(f *testing.F) {
	seed := []byte("<html><p>seed</p></html>")
	for i, c := range []string{codingGzip, codingDeflate, codingBrotli, codingZstd} {
		f.Add(applyCodings(f, seed, c), uint16(i))
		f.Add(applyCodings(f, make([]byte, 1<<17), c), uint16(i))
	}
	f.Add(applyCodings(f, seed, codingBrotli, codingGzip), uint16(2|4<<3))
	const limit = 1 << 16
	d := newDecoder(limit, 100)
	f.Fuzz(func(t *testing.T, coded []byte, stack uint16) {
		known := []string{codingGzip, codingDeflate, codingBrotli, codingZstd}
		codings := []string{known[stack&3]}
		for stack >>= 2; stack&4 != 0 && len(codings) < maxCodings; stack >>= 3 {
			codings = append(codings, known[stack&3])
		}
		got, err := d.decode(coded, codings)
		if err == nil && len(got) > limit {
			t.Fatalf("%d bytes decoded, limit %d", len(got), limit)
		}
	})
}

// FuzzEncode: what is encoded comes back to the byte, also over several blocks and with a writer that was used before.
func FuzzEncode(f *testing.F) {
	for i := range knownCodings() {
		f.Add([]byte("<li class=item>"), uint16(9000), []byte("</ul>"), uint8(i))
		f.Add(make([]byte, 256), uint16(512), []byte{}, uint8(i)) // zeros, and just two of brotli's blocks
	}
	e := newEncoder()
	f.Fuzz(func(t *testing.T, unit []byte, times uint16, tail []byte, which uint8) {
		coding := knownCodings()[int(which)%len(knownCodings())]
		body := append(bytes.Repeat(unit, min(int(times), (1<<20)/max(len(unit), 1))), tail...)
		for _, b := range [][]byte{body, tail} {
			coded, err := e.encode(b, coding, len(b)%2 == 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := undoCoding(t, coded, coding); !bytes.Equal(got, b) {
				t.Fatalf("%s: %d bytes came back as %d others", coding, len(b), len(got))
			}
		}
	})
}
