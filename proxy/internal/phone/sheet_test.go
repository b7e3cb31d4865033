package phone

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/browsertest"
)

// drawSheets writes the pictures of all pages at half their size: one of each page, with the page as it is, the first
// and the twelfth visit in rows, and all settings in columns; and overviews of many pages on a phone. index.html shows
// them all.
func drawSheets(t *testing.T, dir string, all []*engine) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var index strings.Builder
	index.WriteString("<!DOCTYPE html><title>Contact sheet</title><style>img{max-width:100%}</style>")
	write := func(title string, rows [3][]sight) {
		name := strings.ReplaceAll(title, " ", "-") + ".png"
		fmt.Fprintf(&index, "<h2>%s</h2><img src=%q alt=''>\n", html.EscapeString(title), name)
		if err := os.WriteFile(filepath.Join(dir, name), draw3(t, rows), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const together = 9
	for n := 0; n < len(all); n += together {
		var rows [3][]sight
		for _, e := range all[n:min(n+together, len(all))] {
			for row, v := range []visit{e.direct, e.first, e.twelfth} {
				rows[row] = append(rows[row], sight{settings()[0], v.seen[0].Picture})
			}
		}
		write(fmt.Sprintf("overview %d", 1+n/together), rows)
	}
	for _, e := range all {
		var rows [3][]sight
		for row, v := range []visit{e.direct, e.first, e.twelfth} {
			for i, s := range settings() {
				rows[row] = append(rows[row], sight{s, v.seen[i].Picture})
			}
		}
		write(e.name, rows)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(index.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sight is a picture in a setting, as a PNG.
type sight struct {
	browsertest.Setting
	png []byte
}

// draw3 draws rows of pictures.
func draw3(t *testing.T, rows [3][]sight) []byte {
	t.Helper()
	const gap, height = 8, browsertest.Height / 2
	width := gap
	for _, s := range rows[0] {
		width += int(s.Width)/2 + gap
	}
	sheet := image.NewRGBA(image.Rect(0, 0, width, len(rows)*(height+gap)+gap))
	draw.Draw(sheet, sheet.Bounds(), image.NewUniform(color.RGBA{200, 60, 120, 255}), image.Point{}, draw.Src)
	for row := range rows {
		x := gap
		for _, s := range rows[row] {
			whole, err := png.Decode(bytes.NewReader(s.png))
			if err != nil {
				t.Fatal(err)
			}
			for px := range int(s.Width) / 2 {
				for py := range height {
					sheet.Set(x+px, gap+row*(height+gap)+py, between(whole, 2*px, 2*py))
				}
			}
			x += int(s.Width)/2 + gap
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, sheet); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// between is the mean colour of four pixels.
func between(m image.Image, x, y int) color.Color {
	var sum [3]uint32
	for i := range 4 {
		r, g, b, _ := m.At(x+i%2, y+i/2).RGBA()
		sum[0], sum[1], sum[2] = sum[0]+r, sum[1]+g, sum[2]+b
	}
	return color.RGBA64{uint16(sum[0] / 4), uint16(sum[1] / 4), uint16(sum[2] / 4), 0xffff}
}
