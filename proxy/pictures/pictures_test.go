package pictures

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// photo is a picture with detail everywhere, which compresses as badly as photos do; hole makes a hole in it.
func photo(width, height int, hole bool) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for y := range height {
		for x := range width {
			c := color.NRGBA{uint8(x*255/width) ^ uint8(random.IntN(24)), uint8(y * 255 / height), uint8(random.IntN(64)), 255}
			if hole && x < width/2 {
				c.A = 0
			}
			m.Set(x, y, c)
		}
	}
	return m
}

func encoded(t testing.TB, kind string, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "jpeg":
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: 95})
	case "png":
		err = png.Encode(&b, m)
	case "gif":
		err = gif.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Pictures of all kinds come out within their width and bytes, in their proportions, and transparent where they were.
func TestShrink(t *testing.T) {
	s := New(Options{Width: 320, Bytes: 20_000, Work: time.Minute})
	for name, c := range map[string]struct {
		src             []byte
		asked           int
		kind            string
		width, least, h int
	}{
		"a photo":           {encoded(t, "jpeg", photo(1200, 600, false)), 0, "image/jpeg", 320, 120, 2},
		"asked for smaller": {encoded(t, "jpeg", photo(1200, 600, false)), 160, "image/jpeg", 160, 120, 2},
		"asked for larger":  {encoded(t, "jpeg", photo(1200, 600, false)), 4000, "image/jpeg", 320, 120, 2},
		"opaque PNG":        {encoded(t, "png", photo(800, 400, false)), 0, "image/jpeg", 320, 120, 2},
		"clear PNG":         {encoded(t, "png", photo(800, 400, true)), 0, "image/png", 320, 90, 2},
		"GIF":               {encoded(t, "gif", photo(800, 400, false)), 0, "image/jpeg", 320, 120, 2},
	} {
		out, kind, err := s.Shrink(t.Context(), "", c.src, c.asked)
		if err != nil || kind != c.kind || len(out) > 20_000 {
			t.Errorf("%s: %s of %d bytes: %v", name, kind, len(out), err)
			continue
		}
		m, _, err := image.Decode(bytes.NewReader(out))
		if err != nil || m.Bounds().Dx() > c.width || m.Bounds().Dx() < c.least || m.Bounds().Dx()/m.Bounds().Dy() != c.h {
			t.Errorf("%s: %v, %v", name, m.Bounds(), err)
		}
		if _, _, _, alpha := m.At(2, 2).RGBA(); (alpha == 0) != (kind == "image/png") {
			t.Errorf("%s: alpha %d", name, alpha)
		}
	}
}

// What can't or need not be made smaller is told apart, before it is decoded.
func TestShrinkRefuses(t *testing.T) {
	s := New(Options{Width: 320, Bytes: 20_000, Pixels: 100_000, Work: time.Minute})
	bomb := encoded(t, "png", image.NewGray(image.Rect(0, 0, 16, 16)))
	binary.BigEndian.PutUint32(bomb[16:], 60_000) // width and height in IHDR
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	side := encoded(t, "jpeg", photo(400, 200, false))
	exif := append([]byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01"), 0, 6, 0, 0, 0, 0, 0, 0)
	side = append(append(append([]byte{}, side[:2]...), exif...), side[2:]...)
	for name, c := range map[string]struct {
		src  []byte
		want error
	}{
		"small":            {encoded(t, "jpeg", photo(100, 50, false)), ErrSmall},
		"small WebP":       {webpPixel(t), ErrSmall},
		"a bomb":           {withCRC(bomb), ErrLarge},
		"many pixels":      {encoded(t, "jpeg", photo(500, 250, false)), ErrLarge},
		"to be turned":     {side, ErrKind},
		"SVG":              {[]byte("<svg/>"), ErrKind},
		"nothing":          {nil, ErrKind},
		"cut off":          {encoded(t, "jpeg", photo(400, 200, false))[:4000], ErrKind},
		"flat, and smooth": {encoded(t, "png", image.NewGray(image.Rect(0, 0, 400, 200))), ErrSmall},
	} {
		if out, _, err := s.Shrink(t.Context(), "", c.src, 0); !errors.Is(err, c.want) || out != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if !turned(side) {
		t.Error("a picture is not known to be turned")
	}
}

// A picture waits for its turn, and not for ever. Those of a page do not wait for a large one.
func TestShrinkWaits(t *testing.T) {
	s := New(Options{Width: 100, Wait: 10 * time.Millisecond})
	leave, err := s.large.Enter(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Shrink(t.Context(), "", encoded(t, "jpeg", image.NewGray(image.Rect(0, 0, 2000, 1001))), 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a large picture did not wait: %v", err)
	}
	if _, _, err := s.Shrink(t.Context(), "", encoded(t, "jpeg", photo(400, 200, false)), 0); err != nil {
		t.Errorf("a small picture waited for a large one: %v", err)
	}
	leave()
	if _, _, err := s.Shrink(t.Context(), "", encoded(t, "jpeg", image.NewGray(image.Rect(0, 0, 2000, 1001))), 0); err != nil {
		t.Errorf("it did not get its turn: %v", err)
	}
}

// progressive is a progressive JPEG of one colour in which so many scans change nothing: each says for all blocks that
// they end (ISO/IEC 10918-1 §G.1.2.2).
func progressive(width, height, scans int) []byte {
	segment := func(marker byte, body ...byte) []byte {
		return append([]byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
	}
	out := []byte{0xff, 0xd8}
	out = append(out, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)...)
	out = append(out, segment(0xc2, 8, byte(height>>8), byte(height), byte(width>>8), byte(width), 1, 1, 0x11, 0)...)
	table := append([]byte{0x10, 1}, make([]byte, 15)...) // the code 0 stands for 2^14 blocks and as many as 14 bits say
	out = append(out, segment(0xc4, append(table, 0xe0)...)...)
	blocks := ((width + 7) / 8) * ((height + 7) / 8)
	data := make([]byte, (15*(blocks>>14+1)+7)/8)
	for range scans {
		out = append(append(out, segment(0xda, 1, 1, 0, 1, 63, 0)...), data...)
	}
	return append(out, 0xff, 0xd9)
}

// A picture that is drawn thousands of times is refused, and the work on any ends with its time.
func TestScansAreBounded(t *testing.T) {
	src := progressive(1000, 1000, 2000)
	if _, err := jpeg.Decode(bytes.NewReader(progressive(100, 100, 20))); err != nil {
		t.Fatalf("the picture is not one: %v", err)
	}
	if _, _, err := New(Options{}).Shrink(t.Context(), "", src, 0); !errors.Is(err, ErrLarge) {
		t.Errorf("%d bytes with 2,000 scans: %v", len(src), err)
	}
	usual := progressive(1000, 1000, 20)
	if _, _, err := New(Options{}).Shrink(t.Context(), "", usual, 0); err != nil && !errors.Is(err, ErrSmall) {
		t.Errorf("20 scans: %v", err)
	}
	patient := Options{Pixels: 1 << 40, Work: 10 * time.Millisecond}
	if _, _, err := New(patient).Shrink(t.Context(), "", src, 0); !errors.Is(err, ErrTime) {
		t.Errorf("its time is over: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, _, err := New(Options{Pixels: 1 << 40}).Shrink(ctx, "", src, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits any more: %v", err)
	}
}

// The first frame of a GIF may be far smaller than the picture, and is not made larger.
func TestShrinkSmallFrame(t *testing.T) {
	frame := image.NewPaletted(image.Rect(0, 0, 1, 2000), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 100, Height: 2000}})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err = New(Options{Bytes: 10, Work: time.Minute}).Shrink(t.Context(), "", b.Bytes(), 0)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 20<<20 {
		t.Errorf("it took %d bytes: %v", took, err)
	}
}

// withCRC mends the checksum of a PNG's first chunk.
func withCRC(b []byte) []byte {
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func FuzzShrink(f *testing.F) {
	for _, kind := range []string{"jpeg", "png", "gif"} {
		f.Add(encoded(f, kind, photo(24, 12, kind == "png")))
	}
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00II*\x00\x08\x00"))
	s := New(Options{Width: 8, Bytes: 300, Pixels: 10_000})
	f.Fuzz(func(t *testing.T, src []byte) {
		out, kind, err := s.Shrink(t.Context(), "", src, 0)
		if err != nil {
			return
		}
		if c, format, err := image.DecodeConfig(bytes.NewReader(out)); err != nil || c.Width > 8 || "image/"+format != kind || len(out) > len(src) {
			t.Errorf("%d bytes became %d of %s: %v, %v", len(src), len(out), kind, c, err)
		}
	})
}
