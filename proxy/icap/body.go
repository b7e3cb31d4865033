package icap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxPreview is the longest preview that is taken: more than winnow ever asks for.
const maxPreview = 64 << 10

// body is the body of an answer as it comes in: the preview, and what the client sends when it is asked to go on. It is
// read by one goroutine, which may be another than the one that answers.
type body struct {
	preview bytes.Reader
	chunks  *chunks

	mu sync.Mutex
	// ahead says that the client waits to be asked for what follows the preview.
	ahead bool
	// refused says that it will not be asked any more.
	refused bool
	// proceed asks it.
	proceed func() error
	// stalled, when set, is called where as much has come as Squid holds, and then nothing for a while.
	stalled func()
	// read is how many bytes were read, declared how many there should be; -1 where it is not known.
	read, declared int64
	err            error
}

// body begins the body of a message: it reads the preview.
func (c *conn) body(m *message) (*body, error) {
	b := &body{chunks: &chunks{r: c.r}, declared: -1, proceed: c.proceed}
	switch {
	case !m.hasBody:
		b.err = io.EOF
		return b, nil
	case m.preview < 0:
		return b, nil
	case m.preview > maxPreview:
		return nil, malformed("a preview has %d bytes at most", maxPreview)
	}
	text, err := io.ReadAll(io.LimitReader(b.chunks, maxPreview+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read preview: %w", err)
	case len(text) > m.preview:
		return nil, malformed("the preview is longer than it says")
	}
	b.preview.Reset(text)
	if b.chunks.ended {
		b.err = io.EOF
	} else {
		b.chunks, b.ahead = &chunks{r: c.r}, true
	}
	return b, nil
}

// reader returns the body as that of an answer which declares a length.
func (b *body) reader(declared int64) io.ReadCloser {
	if errors.Is(b.err, io.EOF) && b.preview.Len() == 0 {
		return http.NoBody
	}
	b.declared = declared
	return io.NopCloser(b)
}

// errRefused says that a body is read which the client was told to keep.
var errRefused = errors.New("the rest of this body was not asked for")

// Read implements io.Reader. It asks the client to go on where the preview is not enough.
func (b *body) Read(p []byte) (n int, err error) {
	if b.preview.Len() > 0 {
		n, _ = b.preview.Read(p)
	} else if err = b.begin(); err == nil {
		n, err = b.next(p)
	}
	b.read += int64(n)
	if errors.Is(err, io.EOF) && b.declared >= 0 && b.read != b.declared {
		err = fmt.Errorf("%d of %d bytes came: %w", b.read, b.declared, io.ErrUnexpectedEOF)
	}
	return n, err
}

// next reads what comes next.
func (b *body) next(p []byte) (int, error) {
	if b.stalled != nil && b.read >= squidHolds {
		timer := time.AfterFunc(earlyAfter, b.stalled)
		defer timer.Stop()
	}
	return b.chunks.Read(p)
}

// begin makes the client go on after the preview.
func (b *body) begin() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	if b.refused {
		return errRefused
	}
	if b.ahead {
		b.ahead = false
		b.err = b.proceed()
	}
	return b.err
}

// refuse sees to it that the client is not asked for more than the preview. It returns false where it was asked, or
// where there is no preview.
func (b *body) refuse(m *message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.hasBody && (m.preview < 0 || !b.ahead && b.err == nil) {
		return false
	}
	b.refused = true
	return true
}

// left is how much of a body that nobody needs is read to use the connection again.
const left = 1 << 20

// drain reads the rest of the body, so that the next request can be read. It returns false where there is too much.
func (b *body) drain() bool {
	b.mu.Lock()
	kept := b.ahead || b.err != nil
	b.mu.Unlock()
	if kept {
		return b.err == nil || errors.Is(b.err, io.EOF)
	}
	_, err := io.CopyN(io.Discard, b.chunks, left)
	return errors.Is(err, io.EOF)
}

// chunks reads a body in chunks (RFC 9112 §7.1) with the extension by which a preview says that nothing follows (RFC
// 3507 §4.5).
type chunks struct {
	r    *bufio.Reader
	left uint64
	err  error
	// begun says that a chunk came, ended that the last one bore "ieof".
	begun, ended bool
}

// Read implements io.Reader.
func (c *chunks) Read(p []byte) (int, error) {
	if c.err == nil && c.left == 0 {
		c.err = c.next()
	}
	if c.err != nil || len(p) == 0 {
		return 0, c.err
	}
	if uint64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.r.Read(p)
	c.left -= uint64(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	c.err = err
	return n, err
}

var errChunk = errors.New("malformed chunk")

// next reads the line before a chunk, and what follows the last one. Its error is io.EOF at the end.
func (c *chunks) next() error {
	if c.begun {
		if line, err := c.line(); err != nil || line != "" {
			return errors.Join(errChunk, err)
		}
	}
	c.begun = true
	line, err := c.line()
	if err != nil {
		return err
	}
	digits, extension, _ := strings.Cut(line, ";")
	if c.left, err = strconv.ParseUint(strings.TrimSpace(digits), 16, 48); err != nil {
		return errChunk
	}
	if c.left > 0 {
		return nil
	}
	c.ended = strings.EqualFold(strings.TrimSpace(extension), "ieof")
	for range 64 { // trailer fields, which nobody needs
		if line, err = c.line(); err != nil || line == "" {
			break
		}
	}
	if err == nil && line == "" {
		err = io.EOF
	}
	return err
}

// line reads a line, which has to fit in the buffer.
func (c *chunks) line() (string, error) {
	text, err := c.r.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF):
		return "", io.ErrUnexpectedEOF
	case err != nil:
		return "", fmt.Errorf("%w: %w", errChunk, err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}
