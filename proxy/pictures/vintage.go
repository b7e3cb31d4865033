package pictures

import (
	"bytes"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
)

// writeVintage encodes m for browsers that know GIF and JPEG alone: as a GIF where it has few colours or can be seen
// through, else as a JPEG. A pixel of a GIF can be seen through wholly or not at all.
func writeVintage(m *image.RGBA, quality int) ([]byte, string, error) {
	var b bytes.Buffer
	if few, ok := fewColours(m); ok {
		err := gif.Encode(&b, few, nil)
		return b.Bytes(), "image/gif", err
	}
	if m.Opaque() {
		err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality})
		return b.Bytes(), "image/jpeg", err
	}
	err := gif.Encode(&b, dithered(m), nil)
	return b.Bytes(), "image/gif", err
}

// maxColours is how many colours a GIF has.
const maxColours = 256

// fewColours returns m with a palette of its own colours, if these are few enough.
func fewColours(m *image.RGBA) (*image.Paletted, bool) {
	out := image.NewPaletted(m.Rect, make(color.Palette, 0, maxColours))
	known := make(map[color.RGBA]uint8, maxColours)
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			c := solid(m.RGBAAt(x, y))
			i, ok := known[c]
			if !ok {
				if len(out.Palette) == maxColours {
					return nil, false
				}
				i = uint8(len(out.Palette))
				known[c], out.Palette = i, append(out.Palette, c)
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out, true
}

// dithered returns m in the 216 colours of the web, and one for the pixels that can be seen through.
func dithered(m *image.RGBA) *image.Paletted {
	opaque, hole := image.NewRGBA(m.Rect), uint8(len(palette.WebSafe))
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			c := solid(m.RGBAAt(x, y))
			c.A = 0xff
			opaque.SetRGBA(x, y, c)
		}
	}
	out := image.NewPaletted(m.Rect, palette.WebSafe)
	draw.FloydSteinberg.Draw(out, m.Rect, opaque, m.Rect.Min)
	out.Palette = append(append(make(color.Palette, 0, hole+1), palette.WebSafe...), color.RGBA{})
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			if solid(m.RGBAAt(x, y)).A == 0 {
				out.SetColorIndex(x, y, hole)
			}
		}
	}
	return out
}

// solid returns c as a colour that can be seen through wholly or not at all.
func solid(c color.RGBA) color.RGBA {
	switch {
	case c.A < 0x80:
		return color.RGBA{}
	case c.A < 0xff:
		full := func(v uint8) uint8 { return uint8(min(0xff, int(v)*0xff/int(c.A))) }
		return color.RGBA{full(c.R), full(c.G), full(c.B), 0xff}
	}
	return c
}
