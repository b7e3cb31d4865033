package pictures

import (
	"image"
	"image/draw"
)

// scaled returns m at a width no larger than its own, in its proportions. Each pixel is the mean of the area that it
// replaces, in integers and so exact but for the last division, and colours weigh as much as they can be seen.
//
// A pixel before has as many units of length as there are pixels after, and a pixel after as many as there were before.
func scaled(m image.Image, width int) *image.RGBA {
	from := m.Bounds()
	height := max(1, from.Dy()*width/from.Dx())
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	area := uint64(from.Dx()) * uint64(from.Dy())
	row := image.NewRGBA(image.Rect(0, 0, from.Dx(), 1))
	line, sums := make([]uint64, 4*width), make([]uint64, 4*width)
	open, pix := from.Dy(), to.Pix
	for y := range from.Dy() {
		draw.Draw(row, row.Rect, m, from.Min.Add(image.Pt(0, y)), draw.Src)
		narrow(line, row.Pix)
		for rest := height; rest > 0; {
			shared := min(rest, open)
			for i, v := range line {
				sums[i] += uint64(shared) * v
			}
			rest -= shared
			if open -= shared; open > 0 {
				continue
			}
			for i, v := range sums {
				pix[i] = uint8((v + area/2) / area)
			}
			open, pix = from.Dy(), pix[to.Stride:]
			clear(sums)
		}
	}
	return to
}

// narrow sums up the pixels of row under each pixel of line.
func narrow(line []uint64, row []uint8) {
	clear(line)
	before, after := len(row)/4, len(line)/4
	for open := before; len(row) > 0; row = row[4:] {
		pixel := (*[4]uint8)(row)
		for rest := after; rest > 0; {
			shared := min(rest, open)
			for i, v := range pixel {
				line[i] += uint64(shared) * uint64(v)
			}
			rest -= shared
			if open -= shared; open == 0 {
				line, open = line[4:], before
			}
		}
	}
}
