package pictures

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"testing"
	"time"
)

// drawing is a picture of three colours; hole makes its left half clear.
func drawing(width, height int, hole bool) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			switch {
			case hole && x < width/2:
			case x > y:
				m.Set(x, y, color.NRGBA{200, 30, 30, 255})
			default:
				m.Set(x, y, color.NRGBA{250, 250, 240, 255})
			}
		}
	}
	return m
}

// webpPixel is a WebP of one pixel.
func webpPixel(t testing.TB) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What browsers of 1996 do not know becomes GIF or JPEG, of any size; what they know stays where it is small enough.
func TestConvert(t *testing.T) {
	s := New(Options{Width: 320, Bytes: 30_000, Work: time.Minute})
	for name, c := range map[string]struct {
		src           []byte
		kind          string
		width, height int
		clear, exact  bool
	}{
		"a drawing":             {encoded(t, "png", drawing(40, 20, false)), "image/gif", 40, 20, false, true},
		"a drawing with a hole": {encoded(t, "png", drawing(40, 20, true)), "image/gif", 40, 20, true, true},
		"a photo as PNG":        {encoded(t, "png", photo(100, 50, false)), "image/jpeg", 100, 50, false, false},
		"a large photo as PNG":  {encoded(t, "png", photo(640, 320, false)), "image/jpeg", 320, 160, false, false},
		"a photo with a hole":   {encoded(t, "png", photo(100, 50, true)), "image/gif", 100, 50, true, false},
		"WebP":                  {webpPixel(t), "image/gif", 1, 1, false, false},
		"a large JPEG":          {encoded(t, "jpeg", photo(640, 320, false)), "image/jpeg", 320, 160, false, false},
	} {
		out, kind, err := s.Convert(t.Context(), "", c.src, 0)
		if err != nil || kind != c.kind {
			t.Errorf("%s: %s, %v", name, kind, err)
			continue
		}
		m, format, err := image.Decode(bytes.NewReader(out))
		if err != nil || "image/"+format != kind || m.Bounds().Dx() != c.width || m.Bounds().Dy() != c.height {
			t.Errorf("%s: %s, %v, %v", name, format, m.Bounds(), err)
			continue
		}
		if _, _, _, alpha := m.At(0, 0).RGBA(); (alpha == 0) != c.clear {
			t.Errorf("%s: alpha %d", name, alpha)
		}
		if _, _, _, alpha := m.At(c.width-1, 0).RGBA(); alpha != 0xffff {
			t.Errorf("%s: alpha %d on the right", name, alpha)
		}
		if r, g, b, _ := m.At(c.width-1, 0).RGBA(); c.exact && (r>>8 != 200 || g>>8 != 30 || b>>8 != 30) {
			t.Errorf("%s: the colours have changed: %d %d %d", name, r>>8, g>>8, b>>8)
		}
	}
	for name, src := range map[string][]byte{"GIF": encoded(t, "gif", drawing(40, 20, false)), "JPEG": encoded(t, "jpeg", photo(100, 50, false))} {
		if _, _, err := s.Convert(t.Context(), "", src, 0); !errors.Is(err, ErrSmall) {
			t.Errorf("%s is made anew: %v", name, err)
		}
	}
	if _, _, err := s.Convert(t.Context(), "", []byte("<svg/>"), 0); !errors.Is(err, ErrKind) {
		t.Errorf("SVG: %v", err)
	}
}

// A pixel that can be seen through half is solid in its own colour, or clear.
func TestConvertedAlpha(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	m.Set(0, 0, color.NRGBA{10, 200, 100, 0x90})
	m.Set(1, 0, color.NRGBA{10, 200, 100, 0x70})
	out, _, err := New(Options{Work: time.Minute}).Convert(t.Context(), "", encoded(t, "png", m), 0)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := image.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b uint32) bool { return a-b+2 <= 4 }
	if r, g, b, a := got.At(0, 0).RGBA(); a != 0xffff || !near(r>>8, 10) || !near(g>>8, 200) || !near(b>>8, 100) {
		t.Errorf("solid: %d %d %d %d", r>>8, g>>8, b>>8, a)
	}
	if _, _, _, a := got.At(1, 0).RGBA(); a != 0 {
		t.Errorf("clear: %d", a)
	}
}

func FuzzConvert(f *testing.F) {
	for _, kind := range []string{"jpeg", "png", "gif"} {
		f.Add(encoded(f, kind, photo(24, 12, kind == "png")))
	}
	f.Add(webpPixel(f))
	s := New(Options{Width: 8, Bytes: 300, Pixels: 10_000})
	f.Fuzz(func(t *testing.T, src []byte) {
		out, kind, err := s.Convert(t.Context(), "", src, 0)
		if err != nil {
			return
		}
		if c, format, err := image.DecodeConfig(bytes.NewReader(out)); err != nil || c.Width > 8 || "image/"+format != kind || format == "png" {
			t.Errorf("%d bytes became %d of %s: %v, %v", len(src), len(out), kind, c, err)
		}
	})
}
