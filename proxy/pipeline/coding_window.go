package pipeline

import (
	"encoding/binary"
	"io"
	"math"
	"math/bits"
)

// The windows of zstd and brotli. A decompressor reserves the window that a few bytes ask for, up to 8 and 16 MiB, and
// no byte of a body that ends below a bound reaches back further than that bound. So it is told of a window no larger.

const (
	// minWindow is the smallest window that a bound leads to: blocks have up to 128 KiB (RFC 8878 §3.1.1.2.4), and one
	// that goes beyond the bound still has to be decoded.
	minWindow   = 1 << 20
	beyondBound = 256 << 10
)

// windowLog returns the smallest binary logarithm of a window that is enough for a body of at most so many bytes.
func windowLog(most int64) int { return bits.Len64(uint64(max(most, minWindow) + beyondBound - 1)) }

// narrowBrotli is a brotli stream whose window is cut to 1<<log bytes (RFC 7932 §9.1).
type narrowBrotli struct {
	from  io.Reader
	log   int
	begun bool
}

// Read implements io.Reader.
func (w *narrowBrotli) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if n > 0 && !w.begun {
		w.begun = true
		if b := p[0]; b&1 == 1 && b&0x0f != 1 { // 18 to 24 take four bits; smaller ones may stay
			p[0] = b&^0x0f | byte(min(17+int(b>>1&7), w.log)-17)<<1 | 1
		}
	}
	return n, err
}

// narrowZstd is a zstd stream whose windows are cut to 1<<log bytes, each frame's in its header (RFC 8878 §3.1.1.1). A
// frame that says that it is larger than most is refused: where it has one segment, its size is its window.
type narrowZstd struct {
	from io.Reader
	log  int
	most uint64
	// field is what comes next, of which head has the first bytes; skip bytes before it are of no interest.
	field zstdField
	head  []byte
	skip  int64
	// descriptor is that of the frame.
	descriptor byte
}

// zstdField is a field of a frame.
type zstdField uint8

// The fields that decide, in their order.
const (
	zstdMagic zstdField = iota
	zstdSkippable
	zstdDescriptor
	zstdWindowByte
	zstdSize
	zstdBlock
	zstdForeign
)

// oneSegment says in a descriptor that the frame has no window but its own size.
const oneSegment = 0x20

// Read implements io.Reader.
func (w *narrowZstd) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		if w.skip > 0 {
			k := min(w.skip, int64(len(rest)))
			w.skip, rest = w.skip-k, rest[k:]
			continue
		}
		w.head = append(w.head, rest[0])
		if !w.read(&rest[0]) {
			return 0, errTooLarge
		}
		rest = rest[1:]
	}
	return n, err
}

// read takes the next byte of a field, and changes it where it is a window that is too large. It returns false for a
// frame that is.
func (w *narrowZstd) read(b *byte) bool {
	switch {
	case w.field == zstdMagic && len(w.head) == 4:
		switch magic := binary.LittleEndian.Uint32(w.head); {
		case magic == 0xfd2fb528:
			w.next(zstdDescriptor, 0)
		case magic&^0xf == 0x184d2a50:
			w.next(zstdSkippable, 0)
		default:
			w.next(zstdForeign, math.MaxInt64) // the decompressor says what is wrong
		}
	case w.field == zstdSkippable && len(w.head) == 4:
		w.next(zstdMagic, int64(binary.LittleEndian.Uint32(w.head)))
	case w.field == zstdDescriptor:
		w.descriptor = *b
		if *b&oneSegment != 0 {
			w.afterWindow()
		} else {
			w.next(zstdWindowByte, 0)
		}
	case w.field == zstdWindowByte:
		if exponent, mantissa := int(*b>>3), *b&7; exponent+10 > w.log || exponent+10 == w.log && mantissa > 0 {
			*b = byte(w.log-10) << 3
		}
		w.afterWindow()
	case w.field == zstdSize && len(w.head) == w.sizeBytes():
		size := binary.LittleEndian.Uint64(append(w.head, make([]byte, 8)...)) // two bytes begin at 256; that is no matter here
		w.next(zstdBlock, 0)
		return size <= w.most
	case w.field == zstdBlock && len(w.head) == 3:
		header := int64(w.head[0]) | int64(w.head[1])<<8 | int64(w.head[2])<<16
		size := header >> 3
		if header>>1&3 == 1 { // one byte that recurs
			size = 1
		}
		if last := header&1 == 1; last {
			w.next(zstdMagic, size+int64(w.descriptor>>2&1)*4) // behind the checksum
		} else {
			w.next(zstdBlock, size)
		}
	}
	return true
}

// next waits for a field behind so many bytes.
func (w *narrowZstd) next(field zstdField, skip int64) {
	w.field, w.skip, w.head = field, skip, w.head[:0]
}

// afterWindow waits for the size of the frame, or the first block where it says none.
func (w *narrowZstd) afterWindow() {
	dictionary := [...]int64{0, 1, 2, 4}[w.descriptor&3]
	if w.sizeBytes() == 0 {
		w.next(zstdBlock, dictionary)
	} else {
		w.next(zstdSize, dictionary)
	}
}

// sizeBytes returns how many bytes the size of the frame takes.
func (w *narrowZstd) sizeBytes() int {
	if w.descriptor&(0xc0|oneSegment) == oneSegment {
		return 1
	}
	return [...]int{0, 2, 4, 8}[w.descriptor>>6]
}
