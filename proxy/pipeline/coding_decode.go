package pipeline

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// errTooLarge says that a decoded body exceeds the limits.
var errTooLarge = errors.New("decoded body is over the limit")

const (
	// ratioFrom is the decoded size from which the ratio is checked: small bodies are harmless.
	ratioFrom = 1 << 20
	// zstdWindow is the largest window that a decoder must support for content codings (RFC 9659 §3).
	zstdWindow = 8 << 20
)

// decoder undoes content codings. It is safe for concurrent use.
type decoder struct {
	limit, ratio int64
	pools        map[string]*sync.Pool // of *decompressor, by coding; zstd has no need of one
	zstd         *zstd.Decoder
}

// decompressor is a reusable decompressor with its source. It is emptied after use, so that a pool keeps no body alive.
type decompressor struct {
	resetter
	src bytes.Reader
}

// resetter is the interface that the decompressors of all libraries share.
type resetter interface {
	io.Reader
	Reset(io.Reader) error
}

// newDecoder returns a decoder whose results have at most limit bytes, and at most ratio times their coded size beyond
// the first MiB.
func newDecoder(limit, ratio int64) *decoder {
	pool := func(fresh func() resetter) *sync.Pool {
		return &sync.Pool{New: func() any { return &decompressor{resetter: fresh()} }}
	}
	return &decoder{limit, ratio, map[string]*sync.Pool{
		codingGzip:    pool(func() resetter { return new(gzip.Reader) }),
		codingDeflate: pool(func() resetter { return new(deflateReader) }),
		codingBrotli:  pool(func() resetter { return brotli.NewReader(nil) }),
	}, newZstdDecoder(limit)}
}

// decode undoes codings, listed in the order in which they were applied. It returns errTooLarge (wrapped) for bombs and
// never panics on hostile bytes.
func (d *decoder) decode(coded []byte, codings []string) ([]byte, error) {
	return d.decodeWithin(coded, codings, d.limit)
}

// decodeWithin is decode with a limit that may be lower.
func (d *decoder) decodeWithin(coded []byte, codings []string, most int64) ([]byte, error) {
	most = min(most, d.limit)
	if byRatio := max(ratioFrom, int64(len(coded))*d.ratio); byRatio < most {
		most = byRatio
	}
	body := coded
	for i := len(codings) - 1; i >= 0; i-- {
		var err error
		undo := d.undo
		if codings[i] == codingZstd {
			undo = d.undoZstd
		}
		if body, err = undo(body, codings[i], most); err != nil {
			return nil, fmt.Errorf("undo content coding %s of %d bytes: %w", codings[i], len(coded), err)
		}
	}
	return body, nil
}

// undo undoes one coding, to at most most bytes. It returns a decompressor to its pool only after a valid stream,
// because an error or a panic may leave it in a bad state.
func (d *decoder) undo(coded []byte, coding string, most int64) ([]byte, error) {
	r := d.pools[coding].Get().(*decompressor)
	r.src.Reset(coded)
	if err := r.Reset(&r.src); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Grow(int(min(likelySize(coded, coding), most)) + bytes.MinRead)
	n, err := out.ReadFrom(io.LimitReader(r, most+1))
	if n > most {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, err
	}
	r.src.Reset(nil)
	d.pools[coding].Put(r)
	return out.Bytes(), nil
}

// likelySize returns how much a body probably decodes to: what the end of gzip says (RFC 1952 §2.3.1), if that is a
// usual ratio, so that nobody has memory reserved that his bytes don't fill.
func likelySize(coded []byte, coding string) int64 {
	const usual, largest = 4, 16
	n := int64(len(coded))
	if coding == codingGzip && n >= 4 {
		if said := int64(binary.LittleEndian.Uint32(coded[n-4:])); said <= largest*n { // of the last of several streams
			return max(n, said)
		}
	}
	return usual * n
}

// newZstdDecoder returns a decoder for whole bodies. A streaming decoder would cost a window of 8 MiB or more for each
// page, however small.
func newZstdDecoder(limit int64) *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow),
		zstd.WithDecoderMaxMemory(max(uint64(limit), zstdWindow))) // a limit below the window would refuse the window
	if err != nil {
		panic(err) // only options out of range do that
	}
	return d
}

// undoZstd undoes zstd, to at most most bytes.
func (d *decoder) undoZstd(coded []byte, _ string, most int64) ([]byte, error) {
	out, err := d.zstd.DecodeAll(coded, nil)
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || int64(len(out)) > most {
		return nil, errTooLarge
	}
	return out, err
}

// deflateReader reads the deflate coding: zlib as RFC 9110 §8.4.1.2 says, or the raw stream that some servers send
// instead.
type deflateReader struct {
	buf       bufio.Reader
	zlib, raw io.ReadCloser
	r         io.Reader // zlib or raw
}

// Reset makes the reader read src.
func (d *deflateReader) Reset(src io.Reader) error {
	d.buf.Reset(src)
	if head, _ := d.buf.Peek(2); isZlib(head) {
		return d.resetZlib()
	}
	return d.resetRaw()
}

func (d *deflateReader) resetZlib() (err error) {
	if d.zlib == nil {
		d.zlib, err = zlib.NewReader(&d.buf)
	} else {
		err = d.zlib.(zlib.Resetter).Reset(&d.buf, nil)
	}
	d.r = d.zlib
	return err
}

func (d *deflateReader) resetRaw() (err error) {
	if d.raw == nil {
		d.raw = flate.NewReader(&d.buf)
	} else {
		err = d.raw.(flate.Resetter).Reset(&d.buf, nil)
	}
	d.r = d.raw
	return err
}

// Read implements io.Reader.
func (d *deflateReader) Read(p []byte) (int, error) { return d.r.Read(p) }

// isZlib reports whether a stream starts with a zlib header (RFC 1950 §2.2). It is almost never wrong: a raw stream
// with these bytes would begin with a stored block whose length contradicts its complement.
func isZlib(head []byte) bool {
	return len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0
}

// looksCoded reports whether a decoded body still looks compressed, because the origin declared no coding or one too
// few.
func looksCoded(b []byte) bool {
	return bytes.HasPrefix(b, []byte{0x1f, 0x8b}) || bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd})
}
