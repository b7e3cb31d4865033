package reservoir

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/codec"
)

// Records measures, writes and reads records. Its methods are called concurrently.
type Records[T any] interface {
	// Bytes is the approximate size of the record in memory.
	Bytes(record T) int
	// Append appends the encoding. Equal records have equal encodings. The pages of a site are compressed together, so
	// common parts take little space if their bytes are equal: write full hashes, not differences.
	Append(b []byte, record T) []byte
	// Read reads what Append wrote. It calls r.Fail for nonsense, and allocates nothing before it has compared the size
	// with the number of bytes left.
	Read(r *codec.Reader) T
}

// The encoding's body is the pages, compressed with zstd (RFC 8878), the newest first, each: URL (8 bytes), time (as in
// seen.Pages), length of the record (uvarint), record.

// Encode returns the versioned encoding; see [base.Encode]. It leaves out the oldest pages first.
func (r *Reservoir[T]) Encode() ([]byte, error) { return base.Encode(r) }

// Load reads what Encode wrote; see [base.Load]. Afterwards a fit is due.
func (r *Reservoir[T]) Load(b []byte) error { return base.Load(r, b) }

// AppendBody implements [base.State].
func (r *Reservoir[T]) AppendBody(b []byte) []byte {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // can't happen: the options are constants
	}
	defer func() { _ = enc.Close() }() // writes to nothing
	var plain []byte
	for _, p := range r.pages {
		plain = r.appendPage(plain, p)
	}
	return enc.EncodeAll(plain, b)
}

// Smaller implements [base.State]: it leaves out the oldest pages.
func (r *Reservoir[T]) Smaller(o base.Overrun) (*Reservoir[T], bool) {
	n := len(r.pages)
	if n == 0 {
		return nil, false
	}
	small := *r
	small.pages = r.pages[:min(n-1, n*max(o.Limit-o.Fixed, 0)/(o.Size-o.Fixed))]
	return &small, true
}

// window is the distance over which compression finds common parts of pages: a few large pages.
const window = 1 << 18

func (r *Reservoir[T]) appendPage(b []byte, p Page[T]) []byte {
	b = codec.AppendTime(binary.LittleEndian.AppendUint64(b, p.URL), p.At)
	record := r.records.Append(nil, p.Record)
	return append(binary.AppendUvarint(b, uint64(len(record))), record...)
}

// ReadBody implements [base.State].
func (r *Reservoir[T]) ReadBody(in *codec.Reader) {
	plain, err := inflate(in.Bytes(in.Len()), r.Limits())
	if err != nil {
		in.Fail("%v", err)
	}
	pages := in.Part(plain)
	r.readPages(pages)
	in.ClosePart(pages)
}

// inflate decompresses pages and refuses a compression bomb. Encoded records are not much longer than records in
// memory.
func inflate(b []byte, limits model.Limits) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(4*limits.Memory, 4<<20))))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(b, nil)
}

// readPages reads the pages that appendPage wrote, until the end or the first error.
func (r *Reservoir[T]) readPages(in *codec.Reader) {
	urls := map[uint64]bool{}
	for in.Len() > 0 {
		p := Page[T]{URL: in.Uint64(), At: in.Time()}
		record := in.Part(in.Bytes(in.Count(1)))
		p.Record = r.records.Read(record)
		in.ClosePart(record)
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
