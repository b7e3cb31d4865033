package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Models gives the host models to the pipeline. *cache.Models implements it. It must be safe for concurrent use.
type Models interface {
	// Mark judges the page with what the host's earlier pages taught.
	Mark(ctx context.Context, host string, p *page.Page) (*page.Marking, error)
	// Learn queues the page for learning and returns at once; false says that the queue was full.
	Learn(host string, p *page.Page, v model.Visit) bool
}

// LearnPolicy says which cleaned pages are learned.
type LearnPolicy uint8

// LearnAll learns every page that is cleaned, LearnPublic leaves out responses with Set-Cookie or Cache-Control private
// or no-store, LearnOff learns nothing. No policy learns from requests that carry Authorization.
const (
	LearnAll LearnPolicy = iota
	LearnPublic
	LearnOff
)

// RewriterMetrics are hooks into the pipeline. Each may be nil, and must be safe for concurrent use.
type RewriterMetrics struct {
	// Count is called once per response: outcome is "cleaned" (reason empty) or "passed".
	Count func(outcome string, reason Reason)
	// Duration is called with the time that a stage took: "read" (waiting for the origin's body), "wait" (for a free
	// place), "decode", "parse", "mark", "write", "encode".
	Duration func(stage string, d time.Duration)
	// Bytes is called once per cleaned response with the sizes of the page before and after, both undone of codings.
	Bytes func(in, out int)
}

// RewriterOptions configure a Rewriter. The zero value of every field but Models has a default.
type RewriterOptions struct {
	// Models is required.
	Models Models
	// Mode is used where the request asks for none. The zero value is page.ModeOff, which passes everything.
	Mode page.Mode
	// MaxBody is the most bytes of a page, coded and decoded; default 16 MiB.
	MaxBody int64
	// MaxRatio is the highest ratio of decoded to coded size beyond the first MiB; default 200.
	MaxRatio int64
	// MaxBuffered is the most bytes of coded bodies held back over all responses; default 256 MiB.
	MaxBuffered int64
	// ReadTimeout is how long a body is held back while it arrives; default 10 s.
	ReadTimeout time.Duration
	// MaxConcurrent is how many pages are cleaned at once; default 4 for each processor that Go uses.
	MaxConcurrent int
	// MaxWait is how long a page waits to be among them; default 1 s. A page beyond passes as it is.
	MaxWait time.Duration
	// ParseTimeout bounds the work on one page, from decoding to encoding; default 3 s.
	ParseTimeout time.Duration
	// Learn is the learning policy.
	Learn LearnPolicy
	// Bypass reports whether the pages of a host (lower case, default port dropped) pass as they are. Nil bypasses none.
	Bypass func(host string) bool
	// Logger is required. LogURLs adds the path to log lines; a query is never logged.
	Logger  *slog.Logger
	LogURLs bool
	// Metrics are optional hooks.
	Metrics RewriterMetrics
	// Now is the clock for visits; default time.Now.
	Now func() time.Time
}

// Rewriter cleans responses. It is safe for concurrent use.
type Rewriter struct {
	opts RewriterOptions
}

// Exchange is what the rewriter remembers of one request until its response comes.
type Exchange struct{}

// NewRewriter returns a rewriter. It fails where a required option is missing or a limit is negative.
func NewRewriter(opts RewriterOptions) (*Rewriter, error) { return &Rewriter{opts: opts}, nil }

// Request prepares req, the outgoing clone of the client's request: it takes Winnow-Mode off, limits Accept-Encoding to
// what can be decoded, and turns our entity tags back into the origin's. Hop-by-hop fields but Upgrade should be gone.
func (rw *Rewriter) Request(req *http.Request) *Exchange { return &Exchange{} }

// Response cleans resp in place (Header, Body, ContentLength), or leaves everything but the Winnow field as it was. It
// never fails: whatever goes wrong, the client gets the origin's bytes, and the origin's read error after them. A response
// that is not cleaned is not buffered. The caller must close resp.Body.
//
// Call it where the response leaves the transport (in a RoundTripper): goproxy drops Content-Length from a response
// whose Body a response handler has replaced.
func (rw *Rewriter) Response(x *Exchange, resp *http.Response) {}
