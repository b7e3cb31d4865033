package wire

import (
	"bufio"
	"cmp"
	"io"
	"sync"
)

// Gatherer is the writing side of a connection, which can gather several writes into one. net/http writes an answer in
// pieces of 4 kB and crypto/tls in records, and each piece costs a system call. It is safe for concurrent use.
type Gatherer struct {
	to      io.Writer
	buffers *Buffers

	mu sync.Mutex
	// gathered is nil while writes go through.
	gathered *bufio.Writer
	// err is what kept gathered bytes from being written. They are missing, so nothing may follow.
	err error
}

// Gatherer returns a gatherer of what is written to w.
func (p *Buffers) Gatherer(w io.Writer) *Gatherer { return &Gatherer{to: w, buffers: p} }

// Write implements io.Writer.
func (g *Gatherer) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.err != nil:
		return 0, g.err
	case g.gathered == nil:
		return g.to.Write(b)
	}
	return g.gathered.Write(b)
}

// Gather keeps what is written from now on until Release, up to 32 kB: what exceeds that is written at once.
func (g *Gatherer) Gather() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gathered == nil {
		g.gathered = g.buffers.writers.Get().(*bufio.Writer)
		g.gathered.Reset(g.to)
	}
}

// Release writes what was gathered, and lets writes go through again. Its error is the first since Gather. After an
// error bytes are missing, so all later writes fail with it: net/http, which takes them for written, ends the
// connection then.
func (g *Gatherer) Release() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gathered == nil {
		return nil
	}
	g.err = cmp.Or(g.err, g.gathered.Flush())
	g.gathered.Reset(nil)
	g.buffers.writers.Put(g.gathered)
	g.gathered = nil
	return g.err
}
