package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"

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
	// MaxConcurrent is how many pages are cleaned at once; default 4 for each processor that Go uses. Together they may have
	// twice MaxBody decoded bytes: a parsed page takes many times its size.
	MaxConcurrent int
	// MaxWait is how long a page waits to be among them; default 2 s. A page beyond passes as it is.
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

// withDefaults fills in the defaults and checks what can't have one.
func (o RewriterOptions) withDefaults() (RewriterOptions, error) {
	switch {
	case o.Models == nil:
		return o, errors.New("rewriter: Models is missing")
	case o.Logger == nil:
		return o, errors.New("rewriter: Logger is missing")
	case min(o.MaxBody, o.MaxRatio, o.MaxBuffered, int64(o.MaxConcurrent)) < 0,
		min(o.ReadTimeout, o.MaxWait, o.ParseTimeout) < 0:
		return o, errors.New("rewriter: a limit is negative")
	case int(o.Mode) >= len(modeLetters):
		return o, fmt.Errorf("rewriter: %s is no mode", o.Mode)
	}
	o.MaxBody = cmp.Or(o.MaxBody, 16<<20)
	o.MaxRatio = cmp.Or(o.MaxRatio, 200)
	o.MaxBuffered = cmp.Or(o.MaxBuffered, 256<<20)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 10*time.Second)
	o.MaxConcurrent = cmp.Or(o.MaxConcurrent, 4*runtime.GOMAXPROCS(0))
	o.MaxWait = cmp.Or(o.MaxWait, 2*time.Second)
	o.ParseTimeout = cmp.Or(o.ParseTimeout, 3*time.Second)
	if o.Bypass == nil {
		o.Bypass = func(string) bool { return false }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, nil
}

// Sizes of what the rewriter remembers beyond one exchange, and how often it warns of one reason at one host.
const (
	generationsKept = 8192
	samplesKept     = 1024
	warnInterval    = time.Minute
)

// Rewriter cleans responses. It is safe for concurrent use.
type Rewriter struct {
	opts    RewriterOptions
	decoder *decoder
	encoder *encoder
	budget  *budget
	samples *sampler
	// places has room for one entry for each page being cleaned.
	places chan struct{}
	// parsing bounds the decoded bytes of the pages being cleaned.
	parsing *semaphore.Weighted
	// generations has what each host's model knew when a page was last marked. A host that is not there (after a restart)
	// costs its clients one full response.
	generations *lru.Cache[string, generation]
	// parse and write are page.Parse and page.Write but in tests.
	parse func(src []byte, contentType string) (*page.Page, error)
	write func(p *page.Page, m *page.Marking, mode page.Mode) (*page.Output, error)
}

// Exchange is what the rewriter remembers of one request until its response comes.
type Exchange struct {
	ctx          context.Context
	method       string
	host         string // canonical
	url, path    string
	mode         page.Mode
	authorized   bool
	bypass       bool
	reason       Reason // why the answer passes whatever it is, method and bypass left out
	accepted     acceptedCodings
	conditionals conditional
}

// NewRewriter returns a rewriter. It fails where a required option is missing or a limit is negative.
func NewRewriter(opts RewriterOptions) (*Rewriter, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	samples, err := newSampler(warnInterval, samplesKept)
	if err != nil {
		return nil, err
	}
	generations, err := lru.New[string, generation](generationsKept)
	if err != nil {
		return nil, err
	}
	return &Rewriter{
		opts:        opts,
		decoder:     newDecoder(opts.MaxBody, opts.MaxRatio),
		encoder:     newEncoder(),
		budget:      &budget{limit: opts.MaxBuffered},
		samples:     samples,
		places:      make(chan struct{}, opts.MaxConcurrent),
		parsing:     semaphore.NewWeighted(2 * opts.MaxBody),
		generations: generations,
		parse:       page.Parse,
		write:       page.Write,
	}, nil
}

// Request prepares req, the outgoing clone of the client's request: it takes Winnow-Mode off, limits Accept-Encoding to
// what can be decoded, and turns our entity tags back into the origin's. req.URL must be what is truly fetched, for it names
// the host's model. Connection fields, where they have not been taken off yet, tell of upgrades.
//
// Like Response it never fails: should a hook panic, the answer passes.
func (rw *Rewriter) Request(req *http.Request) (x *Exchange) {
	x = newExchange(req)
	defer func() {
		if v := recover(); v != nil {
			x.reason = ReasonPanic
		}
	}()
	h := req.Header
	x.mode, x.reason = rw.requestMode(h)
	if r := requestReason(h); r != "" {
		x.reason = r
	}
	x.bypass = rw.opts.Bypass(x.host)
	mayClean := x.method == http.MethodGet && x.reason == "" && !x.bypass
	if mayClean {
		h["Accept-Encoding"] = x.accepted.offer(h["Accept-Encoding"])
	}
	fresh := func(v variant) bool {
		gen, known := rw.generations.Get(x.host)
		return known && v == variant{x.mode, gen}
	}
	x.conditionals = mapConditionals(h, fresh, mayClean && asksForDocument(h))
	return x
}

// newExchange remembers the request as it came.
func newExchange(req *http.Request) *Exchange {
	u := *req.URL
	x := &Exchange{
		ctx: req.Context(), method: req.Method, host: canonicalHost(req.URL), path: u.Path,
		authorized: req.Header.Get("Authorization") != "" || u.User != nil,
		accepted:   readAcceptEncoding(req.Header),
	}
	u.Host, u.User, u.Fragment, u.RawFragment = x.host, nil, "", "" // one page, one URL
	x.url = u.String()
	return x
}

func (rw *Rewriter) requestMode(h http.Header) (page.Mode, Reason) {
	mode, ok := chooseMode(h, rw.opts.Mode)
	switch {
	case !ok:
		return page.ModeOff, ReasonBadMode
	case mode == page.ModeOff:
		return mode, ReasonModeOff
	}
	return mode, ""
}

// Response cleans resp in place (Header, Body, ContentLength), or leaves everything but the Winnow field as it was. It
// never fails: whatever goes wrong, the client gets the origin's bytes, and the origin's read error after them. A response
// that is not cleaned is not buffered. The caller must close resp.Body.
//
// Call it where the response leaves the transport (in a RoundTripper): goproxy drops Content-Length from a response
// whose Body a response handler has replaced.
func (rw *Rewriter) Response(x *Exchange, resp *http.Response) {
	if x == nil || resp == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			rw.passPanic(x, resp, v)
		}
	}()
	reason := x.reasonFor(resp)
	switch {
	case reason == "":
		rw.clean(x, resp)
		return
	case reason == ReasonNotModified:
		if t, ours := x.conditionals.restore(resp.Header.Get("Etag")); ours {
			notModifiedHeader(resp.Header, t)
		}
	case reason == ReasonMethod && rw.wouldClean(x, resp):
		gen, known := rw.generations.Get(x.host)
		headHeader(resp.Header, variant{x.mode, gen}, known)
		resp.ContentLength = -1
	}
	rw.pass(x, resp, reason, nil, nil)
}

// reasonFor returns why a response passes by its header, empty where it is to be cleaned.
func (x *Exchange) reasonFor(resp *http.Response) Reason {
	switch own := responseReason(resp); {
	case own == ReasonUpgrade, own == ReasonNotModified:
		return own
	case x.bypass:
		return ReasonBypass
	case x.method != http.MethodGet:
		return ReasonMethod
	case own != "":
		return own
	case x.reason != "":
		return x.reason
	case resp.Body == nil || resp.Body == http.NoBody || resp.ContentLength == 0:
		return ReasonEmpty
	}
	return ""
}

// wouldClean reports whether resp answers a HEAD whose GET would be cleaned, as far as headers tell.
func (rw *Rewriter) wouldClean(x *Exchange, resp *http.Response) bool {
	_, known := contentCodings(resp.Header)
	return x.method == http.MethodHead && x.reason == "" && !x.bypass && responseReason(resp) == "" &&
		known && resp.ContentLength <= rw.opts.MaxBody
}

// pass marks resp as not cleaned and says why.
func (rw *Rewriter) pass(x *Exchange, resp *http.Response, reason Reason, err error, stack []byte) {
	passHeader(resp.Header, reason)
	rw.count(x.ctx, "passed", reason)
	rw.logPass(x.ctx, x, reason, err, stack)
}

// passPanic passes resp after a panic in this goroutine. What panicked may have been a metric or the logger, so that a
// second panic is let go.
func (rw *Rewriter) passPanic(x *Exchange, resp *http.Response, v any) {
	stack := debug.Stack()
	defer func() { _ = recover() }()
	rw.pass(x, resp, ReasonPanic, fmt.Errorf("%w: %v", errPanic, v), stack)
}

// count counts a response when nothing about it can change any more. A hook that panics must not change it either.
func (rw *Rewriter) count(ctx context.Context, outcome string, reason Reason) {
	if rw.opts.Metrics.Count == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			rw.opts.Logger.ErrorContext(ctx, "counting a response panicked", "panic", v)
		}
	}()
	rw.opts.Metrics.Count(outcome, reason)
}

// clean holds the body back and puts the cleaned page in its place.
func (rw *Rewriter) clean(x *Exchange, resp *http.Response) {
	codings, known := contentCodings(resp.Header)
	if !known {
		rw.pass(x, resp, ReasonCoding, fmt.Errorf("content coding %q", resp.Header["Content-Encoding"]), nil)
		return
	}
	if resp.ContentLength > rw.opts.MaxBody {
		rw.pass(x, resp, ReasonTooLarge, fmt.Errorf("%d bytes declared", resp.ContentLength), nil)
		return
	}
	started := time.Now()
	body := hold(resp.Body, resp.ContentLength, rw.opts.MaxBody, rw.budget)
	resp.Body = body
	coded, reason, err := body.wait(x.ctx, rw.opts.ReadTimeout)
	rw.timed("read", started)
	if reason == "" && len(coded) == 0 {
		reason = ReasonEmpty
	}
	if reason != "" {
		rw.pass(x, resp, reason, err, nil)
		return
	}
	r := rw.start(x.ctx, work{x, resp.Header.Clone(), coded, codings})
	if r.reason != "" {
		rw.pass(x, resp, r.reason, r.err, r.stack)
		return
	}
	rw.replace(x, resp, r)
}

// replace puts a cleaned page into resp.
func (rw *Rewriter) replace(x *Exchange, resp *http.Response, r result) {
	rw.generations.Add(x.host, r.page.variant.gen)
	resp.Header = cleanedHeader(resp.Header, r.page)
	if !r.page.unchanged {
		rw.replaceBody(resp, r.body)
	}
	rw.count(x.ctx, "cleaned", "")
	rw.logClean(x.ctx, x, r.page)
}

func (rw *Rewriter) replaceBody(resp *http.Response, body []byte) {
	_ = resp.Body.Close() // read to its end
	resp.Body = newPageBody(body, rw.budget)
	resp.ContentLength, resp.TransferEncoding, resp.Uncompressed = int64(len(body)), nil, false
	for _, f := range integrityFields() {
		resp.Trailer.Del(f)
	}
	if len(resp.Trailer) > 0 { // HTTP/1.1 can send trailers after a chunked body only (RFC 9112 §7.1.2)
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
	}
}
