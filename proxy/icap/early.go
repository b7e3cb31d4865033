package icap

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/proxy/access"
)

// Squid 5, and 6 before 6.14, stops reading an origin that has filled its buffer before it was asked for the rest of a
// body, and goes on only when the answer of the ICAP server begins. So where so much has come, and then nothing, the
// answer begins before its body is known.
const (
	// squidHolds is what such a Squid sends before it waits.
	squidHolds = 64<<10 - 1
	// earlyAfter is how long nothing has to come. It is longer than the pauses of most origins, whose answers keep a
	// length and an entity tag this way.
	earlyAfter = 100 * time.Millisecond
)

// outcomeEarly is the field Winnow of an answer that begins before it is known what becomes of the page.
const outcomeEarly = "begun; reason=stalled"

// early begins the answer to one request early, where its body stalls.
type early struct {
	conn *conn
	m    *message
	ctx  context.Context //nolint:containedctx // of the one request that this is about
	req  *http.Request
	resp *http.Response
	who  access.Identity

	mu sync.Mutex
	// over says that the answer has begun in the usual way, begun that it has begun early.
	over, begun bool
	// coding is the Content-Encoding that it has begun with.
	coding string
}

// early prepares for a body that stalls. It pins the coding of a page that may be large, because an answer that begins
// early names it before the page is known.
func (c *conn) early(ctx context.Context, m *message, req *http.Request, resp *http.Response, who access.Identity) *early {
	e := &early{conn: c, m: m, ctx: ctx, who: who, coding: resp.Header.Get("Content-Encoding")}
	if resp.ContentLength >= 0 && resp.ContentLength < squidHolds || strings.Contains(req.Header.Get("If-None-Match"), "-wnw") { // which 304 may answer
		e.over = true
		return e
	}
	if e.coding != "" {
		req.Header.Set("Accept-Encoding", e.coding+", identity;q=0")
	}
	e.req, e.resp = req.Clone(ctx), &http.Response{Status: resp.Status, StatusCode: resp.StatusCode, Proto: resp.Proto, ProtoMajor: resp.ProtoMajor,
		ProtoMinor: resp.ProtoMinor, Header: resp.Header.Clone(), ContentLength: -1, Body: http.NoBody}
	return e
}

// begin begins the answer, unless it has begun. Its header is the one that an answer to HEAD has, which says what holds
// for the cleaned page whatever is in it.
func (e *early) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over || e.begun {
		return
	}
	req := e.req.Clone(e.ctx)
	req.Method = http.MethodHead
	err := model.Contain(func() error { return e.conn.server.opts.Clean(req, e.resp, e.who) })
	h := e.resp.Header
	if err != nil || h.Get("Content-Type") == "" { // a form that may differ from the page's own if it passes
		e.over = true
		return
	}
	h.Del("Content-Length")
	h.Del("Etag")
	h.Set("Winnow", outcomeEarly)
	if e.coding != "" {
		h.Set("Content-Encoding", e.coding)
	}
	if err := e.conn.sendHead(e.m, e.resp); err != nil {
		e.conn.server.opts.Logger.Debug("ICAP answer could not begin", "error", err)
	}
	_ = e.conn.w.Flush() // the body tells of errors
	e.begun = true
}

// end reports whether the answer has begun. If not, it does not begin any more.
func (e *early) end() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	return e.begun
}

// finish sends the body of an answer that has begun.
func (e *early) finish(b *body, resp *http.Response) error {
	if coding := resp.Header.Get("Content-Encoding"); coding != e.coding {
		return fmt.Errorf("the answer has begun in the coding %q, and is in %q", e.coding, coding)
	}
	if resp.StatusCode != e.resp.StatusCode {
		return errors.New("the answer has begun with another status")
	}
	return e.conn.sendBody(b, resp)
}
