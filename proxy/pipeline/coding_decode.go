package pipeline

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
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
	pools        map[string]*sync.Pool // of *decompressor, by coding
}

// decompressor is a reusable decompressor with its source. It is emptied after use, so that a pool keeps no body alive.
type decompressor struct {
	resetter
	coding string
	src    bytes.Reader
}

// resetter is the interface that the decompressors of all libraries share.
type resetter interface {
	io.Reader
	Reset(io.Reader) error
}

// newDecoder returns a decoder whose results have at most limit bytes, and at most ratio times their coded size beyond
// the first MiB.
func newDecoder(limit, ratio int64) *decoder {
	pools := map[string]*sync.Pool{}
	for coding, fresh := range map[string]func() resetter{
		codingGzip:    func() resetter { return new(gzip.Reader) },
		codingDeflate: func() resetter { return new(deflateReader) },
		codingBrotli:  func() resetter { return brotli.NewReader(nil) },
		codingZstd:    newZstdDecoder,
	} {
		pools[coding] = &sync.Pool{New: func() any { return &decompressor{resetter: fresh(), coding: coding} }}
	}
	return &decoder{limit, ratio, pools}
}

// decode undoes codings, listed in the order in which they were applied. It returns errTooLarge (wrapped) for bombs and
// never panics on hostile bytes.
func (d *decoder) decode(coded []byte, codings []string) ([]byte, error) {
	return d.open(coded, codings).upTo(d.limit)
}

// unpacking is a body while its codings are undone. It goes on where it stopped, so that a large body, which has to
// wait for its place, is not decoded twice. It is for one goroutine.
type unpacking struct {
	d     *decoder
	coded []byte
	// most is the bound for each coding, declared the size that the body says, 0 where it says none.
	most, declared int64
	codings        []string
	// stack are the decompressors, the one that ends the work last. It is nil before the work begins.
	stack []*decompressor
	out   bytes.Buffer
}

// open returns a body whose codings can be undone.
func (d *decoder) open(coded []byte, codings []string) *unpacking {
	u := &unpacking{d: d, coded: coded, most: min(d.limit, max(ratioFrom, int64(len(coded))*d.ratio)), codings: codings}
	if n := len(codings); n == 1 && codings[0] == codingZstd {
		var frame zstd.Header
		if frame.Decode(coded) == nil && frame.HasFCS {
			u.declared = int64(min(frame.FrameContentSize, math.MaxInt64))
		}
	}
	return u
}

// upTo returns the whole body. If that has over most bytes, it returns errTooLarge (wrapped), and may be called again
// with another bound.
func (u *unpacking) upTo(most int64) ([]byte, error) {
	if err := u.read(min(most, u.most)); err != nil {
		return nil, fmt.Errorf("undo content coding %s of %d bytes: %w", strings.Join(u.codings, ", "), len(u.coded), err)
	}
	return u.out.Bytes(), nil
}

// read is upTo for at most most bytes.
func (u *unpacking) read(most int64) error {
	if u.declared > most {
		return errTooLarge
	}
	if len(u.codings) == 0 {
		u.out = *bytes.NewBuffer(u.coded)
		return nil
	}
	if u.stack == nil {
		if err := u.begin(); err != nil {
			return err
		}
		u.out.Grow(int(min(likelySize(u.coded, u.codings[len(u.codings)-1]), most)) + bytes.MinRead)
	}
	if _, err := u.out.ReadFrom(io.LimitReader(u.stack[len(u.stack)-1], most+1-int64(u.out.Len()))); err != nil {
		return err
	}
	if int64(u.out.Len()) > most {
		return errTooLarge
	}
	u.end()
	return nil
}

// begin sets up the decompressors, each of which reads what the one before it writes.
func (u *unpacking) begin() error {
	for i := len(u.codings) - 1; i >= 0; i-- {
		r := u.d.pools[u.codings[i]].Get().(*decompressor)
		var src io.Reader = &r.src
		if n := len(u.stack); n > 0 {
			src = &bounded{u.stack[n-1], u.most}
		} else {
			r.src.Reset(u.coded)
		}
		switch r.coding {
		case codingBrotli:
			src = &narrowBrotli{from: src, log: windowLog(u.most)}
		case codingZstd:
			src = &narrowZstd{from: src, log: windowLog(u.most), most: uint64(u.most)}
		}
		u.stack = append(u.stack, r)
		if err := r.Reset(src); err != nil {
			return err
		}
	}
	return nil
}

// end gives the decompressors back after a valid body: an error or a panic may leave one in a bad state.
func (u *unpacking) end() {
	for _, r := range u.stack {
		r.src.Reset(nil)
		u.d.pools[r.coding].Put(r)
	}
	u.stack = nil
}

// bounded reads what a coding below another one gives, and fails beyond the bound: there may be any amount of it
// without a byte of the body.
type bounded struct {
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
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

// newZstdDecoder returns a decoder that works in the goroutine that reads. It takes a window for each frame, as large
// as the frame says, and up to zstdWindow.
func newZstdDecoder() resetter {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		panic(err) // only options out of range do that
	}
	return d
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
