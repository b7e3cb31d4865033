package api

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// What requests and answers take is charged to who asks, as pages are: many times as much as is read, for it is copied
// while it is decoded and encoded.
const (
	copiesOfRequest = 3
	copiesOfAnswer  = 3
)

// memoryKey is the context key of what a request takes.
type memoryKey struct{}

func withMemory(ctx context.Context, m *pipeline.Memory) context.Context {
	return context.WithValue(ctx, memoryKey{}, m)
}

// memoryOf returns the account of a request, or of a line of a batch. The account of none has no bound.
func memoryOf(ctx context.Context) *pipeline.Memory {
	if m, ok := ctx.Value(memoryKey{}).(*pipeline.Memory); ok {
		return m
	}
	return &pipeline.Memory{}
}

// errMemory is the problem of a client that has as much under way as it may.
func errMemory() problem.Document {
	return problem.Document{Status: http.StatusServiceUnavailable, Reason: string(pipeline.ReasonBusy),
		Detail: "you have too much under way at once: wait until some is answered; --limit max-held sets how much"}
}

// charged is a reader whose bytes are charged several times over.
type charged struct {
	io.Reader
	memory *pipeline.Memory
	copies int64
}

// Read implements io.Reader.
func (c charged) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if n > 0 && !c.memory.Take(c.copies*int64(n)) {
		return 0, errMemory()
	}
	return n, err
}

// lineReader is the source of a reader of lines. It charges the longest line, for which there is room until the end,
// and gives the client a while for each read.
type lineReader struct {
	io.Reader
	wait          func()
	memory        *pipeline.Memory
	line, longest int64
}

// Read implements io.Reader.
func (l *lineReader) Read(b []byte) (int, error) {
	l.wait()
	n, err := l.Reader.Read(b)
	l.line += int64(n)
	if more := l.line - l.longest; more > 0 {
		if !l.memory.Take(2 * more) { // room is doubled
			return 0, errMemory()
		}
		l.longest = l.line
	}
	return n, err
}

// patient writes to a client, and gives it a while for each piece: one that does not read has left.
type patient struct {
	http.ResponseWriter
	timeout time.Duration
}

// Write implements io.Writer.
func (p patient) Write(b []byte) (int, error) {
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(p.timeout)) // always there in net/http
	return p.ResponseWriter.Write(b)
}
