package reservoir

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
)

// Records says how records are measured, written and read. Its methods are called side by side.
type Records[T any] interface {
	// Bytes is the approximate size of the record in memory.
	Bytes(record T) int
	// Append appends the encoding. Equal records have equal encodings. The pages of a site are compressed together, so
	// that what many share takes little room where it stands in the same bytes: hashes in full, not their differences.
	Append(b []byte, record T) []byte
	// Read reads what Append wrote. It calls r.Fail for what makes no sense, and makes room for nothing before it has
	// been held against the bytes that are left.
	Read(r *codec.Reader) T
}

// The encoding's body, all numbers as uvarints unless said otherwise:
//
//	the pages that were learned (seen.Pages.Append)
//	pages, compressed with zstd (RFC 8878), the newest first, each: URL (8 bytes), time (as in seen.Pages), length of the
//	    record, record

// Encode returns the versioned encoding, at most Limits.Encoded bytes. The oldest pages are left out where all would be
// more, and what is remembered of URLs beyond a quarter of the limit. The reservoir stays as it is.
func (r *Reservoir[T]) Encode() ([]byte, error) {
	limit := r.cfg.Limits.Encoded - r.cfg.Format.Overhead()
	small := *r // shares what it holds with r: shrinking replaces, and changes nothing in place
	head := small.learned.Append(nil)
	for len(head) > limit/4 && small.learned.Shrink() {
		head = small.learned.Append(nil)
	}
	pages, err := r.appendPages(head, limit)
	if err != nil {
		return nil, err
	}
	return r.cfg.Format.Seal(r.key, pages), nil
}

// appendPages appends as many pages to head, from the newest on, as the limit leaves room for.
func (r *Reservoir[T]) appendPages(head []byte, limit int) ([]byte, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("encoding a %s model: %w", r.cfg.Format.What, err)
	}
	defer func() { _ = enc.Close() }() // writes to nothing
	var plain []byte
	ends := []int{0}
	for _, p := range r.pages {
		plain = r.appendPage(plain, p)
		ends = append(ends, len(plain))
	}
	for n := len(r.pages); ; {
		b := enc.EncodeAll(plain[:ends[n]], slices.Clip(head))
		switch {
		case len(b) <= limit:
			return b, nil
		case n == 0:
			return nil, fmt.Errorf("encoding a %s model: %d bytes too many for want of a page to leave out: raise the limit",
				r.cfg.Format.What, len(b)-limit)
		}
		n = min(n-1, n*max(limit-len(head), 0)/(len(b)-len(head)))
	}
}

// window is how far back compression looks for what pages share: a few large pages.
const window = 1 << 18

func (r *Reservoir[T]) appendPage(b []byte, p Page[T]) []byte {
	b = codec.AppendTime(binary.LittleEndian.AppendUint64(b, p.URL), p.At)
	record := r.records.Append(nil, p.Record)
	return append(binary.AppendUvarint(b, uint64(len(record))), record...)
}

// Decode reads what [Reservoir.Encode] wrote; for errors see [codec.Format.Open]. Pages beyond the limits are dropped,
// and a fit is due.
func Decode[T any](key model.Key, cfg Config, records Records[T], b []byte) (*Reservoir[T], error) {
	in, err := cfg.Format.Open(key, cfg.Limits.Encoded, b)
	if err != nil {
		return nil, err
	}
	r := New(key, cfg, records)
	r.learned.Read(in)
	plain, err := inflate(in.Bytes(in.Len()), cfg.Limits)
	if err != nil {
		in.Fail("%v", err)
	}
	if err := in.Close(); err != nil {
		return nil, err
	}
	pages := cfg.Format.Part(plain)
	r.readPages(pages)
	if err := pages.Close(); err != nil {
		return nil, err
	}
	r.evict()
	return r, nil
}

// inflate undoes the compression of pages, and refuses a bomb. Records are not many times as long as they are in memory.
func inflate(b []byte, limits model.Limits) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(4*limits.Memory, 4<<20))))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(b, nil)
}

// readPages reads the pages that appendPage wrote, until there are no more or one is bad.
func (r *Reservoir[T]) readPages(in *codec.Reader) {
	urls := map[uint64]bool{}
	for in.Len() > 0 {
		p := Page[T]{URL: in.Uint64(), At: in.Time()}
		record := r.cfg.Format.Part(in.Bytes(in.Count(1)))
		if p.Record = r.records.Read(record); record.Close() != nil {
			in.Fail("a record: %v", record.Err())
		}
		if n := len(r.pages); urls[p.URL] || n > 0 && order(r.pages[n-1], p) >= 0 {
			in.Fail("pages twice or out of order")
		}
		if in.Err() != nil {
			return
		}
		urls[p.URL] = true
		p.bytes = pageBytes + r.records.Bytes(p.Record)
		r.pages = append(r.pages, p)
		r.bytes += p.bytes
	}
	r.changed = len(r.pages)
}
