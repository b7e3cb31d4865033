// Package entropy stores, in two sums, how evenly the occurrences of a feature (a word, a link) are distributed over
// the pages of a site. The entropy follows from the sums for any number of pages. So the sums can be added page by
// page, merged and halved, and no page has to be stored.
package entropy

import (
	"encoding/binary"
	"math"

	"github.com/winnow-proxy/winnow/model/internal/codec"
)

// Count is an unsigned fixed-point number with 4 binary places. Pages and occurrences are whole when they are added and
// lose half at each decay, so one page takes six decays to vanish. Addition saturates, so it stays associative and
// commutative.
type Count uint32

// One is the weight of one page, or of one occurrence.
const One Count = 1 << 4

// Float is the value of c.
func (c Count) Float() float64 { return float64(c) / float64(One) }

// Plus is the sum of both.
func (c Count) Plus(d Count) Count {
	if s := c + d; s >= c {
		return s
	}
	return math.MaxUint32
}

// logUnit is the unit of Sums.CLogC: 8 binary places.
const logUnit = 1 << 8

// Sums are the sums of one feature. With c_j its occurrences on page j, they are the total T = Σ c_j and Σ c_j·ln c_j.
type Sums struct {
	Total Count
	// CLogC is Σ c·ln c in units of 1/256. The term of each page is rounded before it is added, so the addition is
	// exact.
	CLogC uint32
}

// Occurrences returns the sums of a feature that occurs c times on one page.
func Occurrences(c uint32) Sums {
	return Sums{Total: Count(min(uint64(c)*uint64(One), math.MaxUint32)), CLogC: clogc(c)}
}

// clogc returns c·ln c in units of 1/logUnit.
func clogc(c uint32) uint32 {
	if c < 2 {
		return 0
	}
	v := math.Round(float64(c) * math.Log(float64(c)) * logUnit)
	return uint32(min(v, math.MaxUint32))
}

// Plus returns the sums over the pages of both.
func (s Sums) Plus(t Sums) Sums {
	s.Total = s.Total.Plus(t.Total)
	if s.CLogC += t.CLogC; s.CLogC < t.CLogC {
		s.CLogC = math.MaxUint32
	}
	return s
}

// Half returns the sums after one decay.
func (s Sums) Half() Sums { return Sums{s.Total / 2, s.CLogC / 2} }

// Entropy returns −Σ_j p_j·log_m p_j over m pages with p_j = c_j/T, which equals (ln T − (Σ c_j·ln c_j)/T) / ln m, in
// [0,1]. It is 0 when all occurrences are on one page and 1 when all pages have equally many. logM is ln m, m > 1.
func (s Sums) Entropy(logM float64) float64 {
	if s.Total <= One {
		return 0 // on one page only: the common case, and it needs no logarithm
	}
	t := s.Total.Float()
	h := (math.Log(t) - float64(s.CLogC)/logUnit/t) / logM
	return min(max(h, 0), 1)
}

// Append appends an encoding of the sums: 2T, or 2T+1 and CLogC where that is not 0.
func (s Sums) Append(b []byte) []byte {
	if s.CLogC == 0 {
		return binary.AppendUvarint(b, 2*uint64(s.Total))
	}
	b = binary.AppendUvarint(b, 2*uint64(s.Total)+1)
	return binary.AppendUvarint(b, uint64(s.CLogC))
}

// Read reads what [Sums.Append] wrote.
func Read(r *codec.Reader) Sums {
	total := r.Number(2*math.MaxUint32 + 1)
	s := Sums{Total: Count(total / 2)}
	if total&1 == 1 {
		s.CLogC = uint32(r.Number(math.MaxUint32))
	}
	return s
}
