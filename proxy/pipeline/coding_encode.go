package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// encoder applies content codings. Its levels take well below a millisecond for most pages, because a client waits and
// each page is coded once. It is safe for concurrent use.
type encoder struct {
	pools map[choice]*sync.Pool // of compressor
}

// choice is a content coding and one of its two levels. If pages wait for a processor, hurry selects the fastest level,
// which gives output about a seventh larger.
type choice struct {
	coding  string
	hurried bool
}

// compressor is a compressing writer that can be used again.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// levels are the levels of the codings. Brotli uses its second writer, which is smaller and faster than the first on
// pages: at level 3, its HTML is about a seventh smaller than that of the fastest gzip.
type levels struct {
	gzip, brotli int
	zstd         zstd.EncoderLevel
}

func newEncoder() *encoder {
	e := &encoder{map[choice]*sync.Pool{}}
	e.add(false, levels{gzip: 6, brotli: 3, zstd: zstd.SpeedDefault})
	e.add(true, levels{gzip: gzip.BestSpeed, brotli: 1, zstd: zstd.SpeedFastest})
	return e
}

// add adds the pools of one coding and level.
func (e *encoder) add(hurried bool, l levels) {
	for coding, fresh := range map[string]func() any{
		codingGzip:    func() any { return valid(gzip.NewWriterLevel(nil, l.gzip)) },
		codingDeflate: func() any { return valid(zlib.NewWriterLevel(nil, l.gzip)) },
		codingBrotli:  func() any { return brotli.NewWriterV2(nil, l.brotli) },
		codingZstd:    func() any { return newZstdWriter(l.zstd) },
	} {
		e.pools[choice{coding, hurried}] = &sync.Pool{New: fresh}
	}
}

// valid returns the writer of a level that is known to exist.
func valid[W any](w W, err error) W {
	if err != nil {
		panic(err) // only levels that do not exist do that
	}
	return w
}

// newZstdWriter returns an encoder without goroutines that uses the window which all clients must support.
func newZstdWriter(level zstd.EncoderLevel) compressor {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(zstdWindow/2))
	if err != nil {
		panic(err) // only options out of range do that
	}
	return w
}

// encode applies one coding; identity returns body itself.
func (e *encoder) encode(body []byte, coding string, hurried bool) ([]byte, error) {
	if coding == codingIdentity {
		return body, nil
	}
	pool := e.pools[choice{coding, hurried}]
	w := pool.Get().(compressor)
	defer func() {
		w.Reset(nil)
		pool.Put(w)
	}()
	var out bytes.Buffer
	out.Grow(len(body)/4 + bytes.MinRead)
	w.Reset(&out)
	_, err := w.Write(body)
	if closed := w.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, fmt.Errorf("apply content coding %s to %d bytes: %w", coding, len(body), err)
	}
	return out.Bytes(), nil
}
