package pictures

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"
)

// Each pixel is the mean of the area that it replaces, whatever the proportion, the place of the picture and its kind.
func TestScaledIsTheMean(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][3]int{{2, 2, 1}, {7, 5, 3}, {9, 4, 9}, {16, 1, 5}, {1, 8, 1}, {33, 20, 32}} {
		m := image.NewNRGBA(image.Rect(-3, 5, size[0]-3, size[1]+5))
		for i := range m.Pix {
			m.Pix[i] = uint8(random.IntN(256))
		}
		small := scaled(m, size[2])
		if want := image.Rect(0, 0, size[2], max(1, size[1]*size[2]/size[0])); small.Rect != want {
			t.Fatalf("%v: %v and not %v", size, small.Rect, want)
		}
		for y := range small.Rect.Dy() {
			for x := range small.Rect.Dx() {
				want := mean(m, float64(size[0])/float64(size[2]), float64(size[1])/float64(small.Rect.Dy()), x, y)
				got := small.RGBAAt(x, y)
				for i, v := range []uint8{got.R, got.G, got.B, got.A} {
					if math.Abs(float64(v)-want[i]) > 0.51 {
						t.Errorf("%v at %d, %d: %v and not %v", size, x, y, got, want)
					}
				}
			}
		}
	}
}

// mean is the mean of the area of m under a pixel that is so wide and high in pixels of m.
func mean(m image.Image, wide, high float64, x, y int) (sum [4]float64) {
	shared := func(from int, before, length float64) float64 {
		return max(0, min(float64(from+1), before+length)-max(float64(from), before))
	}
	for j := range m.Bounds().Dy() {
		for i := range m.Bounds().Dx() {
			part := shared(i, float64(x)*wide, wide) * shared(j, float64(y)*high, high) / (wide * high)
			c := color.RGBAModel.Convert(m.At(m.Bounds().Min.X+i, m.Bounds().Min.Y+j)).(color.RGBA)
			for k, v := range []uint8{c.R, c.G, c.B, c.A} {
				sum[k] += part * float64(v)
			}
		}
	}
	return sum
}

func BenchmarkScaled(b *testing.B) {
	m := image.NewYCbCr(image.Rect(0, 0, 4000, 3000), image.YCbCrSubsampleRatio420)
	for b.Loop() {
		scaled(m, 640)
	}
}
