package codec

import (
	"encoding/binary"
	"math"
	"time"
)

// Reader reads a body. The checksum is keyed, but a faulty writer may have signed nonsense, so the reader trusts
// nothing. It compares every count with the number of bytes left, because each item needs at least one. After the first
// error it returns zeros, so that the caller can check once, at the end.
type Reader struct {
	format Format
	b      []byte
	err    error
}

// Fail records an error. The first one stays.
func (r *Reader) Fail(what string, args ...any) {
	if r.err == nil {
		r.err = r.format.errorf(what, args...)
	}
	r.b = nil
}

// Err is the first error, a wrapped [model.ErrFormat].
func (r *Reader) Err() error { return r.err }

// Close returns the first error, or an error when bytes are left over.
func (r *Reader) Close() error {
	if len(r.b) > 0 {
		r.Fail("%d bytes are left over", len(r.b))
	}
	return r.err
}

// Part returns a reader of b, a separately encoded part of the body, such as a compressed one.
func (r *Reader) Part(b []byte) *Reader { return &Reader{format: r.format, b: b} }

// ClosePart closes a part and records its error.
func (r *Reader) ClosePart(part *Reader) {
	if err := part.Close(); err != nil && r.err == nil {
		r.err, r.b = err, nil
	}
}

// Len is the number of bytes that are left.
func (r *Reader) Len() int { return len(r.b) }

// Number reads a uvarint of at most limit.
func (r *Reader) Number(limit uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > limit {
		r.Fail("bad number")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// Count reads the number of items that follow, each of at least size bytes.
func (r *Reader) Count(size int) int { return int(r.Number(uint64(len(r.b) / size))) }

// Bytes reads n bytes.
func (r *Reader) Bytes(n int) []byte {
	if len(r.b) < n {
		r.Fail("cut short")
		return make([]byte, n)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// Uint64 reads eight bytes, Uint32 four, little endian.
func (r *Reader) Uint64() uint64 { return binary.LittleEndian.Uint64(r.Bytes(8)) }

// Uint32 reads four bytes; see [Reader.Uint64].
func (r *Reader) Uint32() uint32 { return binary.LittleEndian.Uint32(r.Bytes(4)) }

// Time reads what [AppendTime] wrote.
func (r *Reader) Time() time.Time {
	at, n := binary.Varint(r.b)
	if n <= 0 {
		r.Fail("bad time")
		return time.Time{}
	}
	if r.b = r.b[n:]; at == 0 {
		return time.Time{}
	}
	return time.Unix(at, 0).UTC()
}

// AppendTime appends a time in whole seconds.
func AppendTime(b []byte, at time.Time) []byte {
	if at.IsZero() {
		return binary.AppendVarint(b, 0)
	}
	return binary.AppendVarint(b, at.Unix())
}

// Ascending reads what [AppendAscending] wrote: values each greater than the last.
func Ascending[T ~uint32 | ~uint64](r *Reader) []T {
	limit := uint64(^T(0))
	n := r.Count(1)
	values := make([]T, 0, n)
	var last uint64
	for i := range n {
		diff := r.Number(limit - last)
		if i > 0 && diff == 0 {
			r.Fail("values out of order")
		}
		last += diff
		values = append(values, T(last))
	}
	return values
}

// Int reads a number that an int can represent on every platform.
func (r *Reader) Int() int { return int(r.Number(math.MaxInt32)) }
