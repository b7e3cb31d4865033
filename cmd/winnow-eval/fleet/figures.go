package fleet

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/winnow-proxy/winnow/model"
)

// Figures are what the model of one host costs and gains, as [Measure] has measured it.
type Figures struct {
	// Source says what was measured, and how.
	Source string `json:"source"`
	// Increment is the mean length of what replicas send each other for one page, in bytes.
	Increment float64 `json:"increment_bytes"`
	// Page is the processor time of one page: to parse, mark, write and learn it. Add is the time to decode and add the
	// increment of another replica. Both are in microseconds of one core.
	Page float64 `json:"page_us"`
	Add  float64 `json:"add_us"`
	// Sizes are the figures that depend on the number of pages learned, in its order. The first has learned none.
	Sizes []Size `json:"sizes"`
}

// Size is a model that has learned a number of pages. All figures are means over sites.
type Size struct {
	Pages int `json:"pages"`
	// Memory and Encoded are its bytes in memory and in a store.
	Memory  float64 `json:"memory_bytes"`
	Encoded float64 `json:"encoded_bytes"`
	// Encode and Decode are the processor time to write and to read it, in microseconds of one core.
	Encode float64 `json:"encode_us"`
	Decode float64 `json:"decode_us"`
	// F1 is the score of later pages, the same for all sizes.
	F1 float64 `json:"f1"`
}

//go:embed figures.json
var measured []byte

// Measured returns the figures that were measured on the project's corpus. Its Source says when and how.
func Measured() (*Figures, error) { return ParseFigures(measured) }

// ParseFigures reads figures in JSON and checks them.
func ParseFigures(b []byte) (*Figures, error) {
	f := &Figures{}
	if err := json.Unmarshal(b, f); err != nil {
		return nil, fmt.Errorf("figures of a model: %w", err)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("figures of a model: %w", err)
	}
	return f, nil
}

func (f *Figures) check() error {
	if f.Increment <= 0 || f.Page <= 0 || f.Add <= 0 || len(f.Sizes) < 2 || f.Sizes[0].Pages != 0 {
		return errors.New("want increment_bytes, page_us, add_us, and sizes from 0 pages on")
	}
	if !slices.IsSortedFunc(f.Sizes, func(a, b Size) int { return cmp.Compare(a.Pages, b.Pages) }) {
		return errors.New("sizes are not in the order of pages")
	}
	return nil
}

// at interpolates a figure for a number of pages, by the logarithm of one more than it. Beyond the largest size that
// was measured, it grows on as it did up to there, to at most the given bound.
func (f *Figures) at(pages float64, of func(*Size) float64, most float64) float64 {
	i := 1
	for i < len(f.Sizes)-1 && float64(f.Sizes[i].Pages) < pages {
		i++
	}
	a, b := &f.Sizes[i-1], &f.Sizes[i]
	from, to := math.Log1p(float64(a.Pages)), math.Log1p(float64(b.Pages))
	share := (math.Log1p(pages) - from) / (to - from)
	return min(max(of(a)+share*(of(b)-of(a)), 0), most)
}

// memory, encoded and f1 are figures of a model that has learned a number of pages.
func (f *Figures) memory(pages float64) float64 {
	return f.at(pages, func(s *Size) float64 { return s.Memory }, float64(model.DefaultLimits().Memory))
}

func (f *Figures) encoded(pages float64) float64 {
	return f.at(pages, func(s *Size) float64 { return s.Encoded }, float64(model.DefaultLimits().Encoded))
}

func (f *Figures) f1(pages float64) float64 {
	return f.at(min(pages, f.largest()), func(s *Size) float64 { return s.F1 }, 1)
}

// reload is the processor time in microseconds to read a model that is not in memory, and to write it again later.
func (f *Figures) reload(pages float64) float64 {
	return f.at(min(pages, f.largest()), func(s *Size) float64 { return s.Decode + s.Encode }, math.Inf(1))
}

// largest is the largest number of pages that was measured.
func (f *Figures) largest() float64 { return float64(f.Sizes[len(f.Sizes)-1].Pages) }
