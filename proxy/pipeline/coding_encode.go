package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/andybalholm/brotli/matchfinder"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// encoder applies content codings. Its levels take well below a millisecond for most pages, because a client waits and
// each page is coded once. It is safe for concurrent use.
type encoder struct {
	pools map[choice]*sync.Pool // of compressor
}

// choice is a content coding and one of its two levels. In a hurry ([Pipeline.inHurry]) the fastest level is taken,
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

// levels are the levels of the codings. Brotli's is a way to find matches: those of levels 3 and 1 of NewWriterV2,
// which would link those of all other levels too. Its writer is smaller and faster than NewWriter's on pages: at level
// 3, HTML is about a seventh smaller than that of the fastest gzip.
type levels struct {
	gzip   int
	brotli func() matchfinder.MatchFinder
	zstd   zstd.EncoderLevel
}

// brotliWindow is how far back brotli looks for matches.
const brotliWindow = 1 << 20

func newEncoder() *encoder {
	e := &encoder{map[choice]*sync.Pool{}}
	e.add(false, levels{5, func() matchfinder.MatchFinder { return &matchfinder.ZM{MaxDistance: brotliWindow} }, zstd.SpeedDefault})
	e.add(true, levels{gzip.BestSpeed, func() matchfinder.MatchFinder { return &matchfinder.ZFast{MaxDistance: brotliWindow} }, zstd.SpeedFastest})
	return e
}

// add adds the pools of one coding and level.
func (e *encoder) add(hurried bool, l levels) {
	for coding, fresh := range map[string]func() any{
		codingGzip:    func() any { return valid(gzip.NewWriterLevel(nil, l.gzip)) },
		codingDeflate: func() any { return valid(zlib.NewWriterLevel(nil, l.gzip)) },
		codingBrotli:  func() any { return newBrotliWriter(l.brotli()) },
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

func newBrotliWriter(m matchfinder.MatchFinder) compressor {
	return &matchfinder.Writer{MatchFinder: m, Encoder: &brotli.Encoder{}, BlockSize: 1 << 16}
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
	out.Grow(len(body)/3 + 2*bytes.MinRead) // few cleaned pages take more
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
