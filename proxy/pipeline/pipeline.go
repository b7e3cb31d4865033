// Package pipeline cleans responses. It decides by headers whether a response is a page to clean; it decodes, judges,
// writes and encodes the page, and adapts header and entity tag. It needs no listening proxy: [Pipeline.Request] gets
// the request before it is sent, [Pipeline.Response] the response.
//
// After any error, the client gets the origin's bytes, and a [Reason] says why.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/internal/sampler"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pictures"
	"github.com/winnow-proxy/winnow/proxy/quorum"
	"github.com/winnow-proxy/winnow/proxy/savings"
)

// Models provides the host models. *cache.Models implements it. It must be safe for concurrent use.
type Models interface {
	// Mark judges the page by what the host's earlier pages taught.
	Mark(ctx context.Context, host string, p *page.Page, v model.Visit) (*page.Marking, error)
	// LearnFrom queues a page that client has read for learning and returns at once; false means that the queue is full.
	// It must not store client in plain form.
	LearnFrom(client, host string, p *page.Page, v model.Visit) bool
}

// LearnPolicy says which cleaned pages are learned.
type LearnPolicy uint8

// LearnAll learns every cleaned page. LearnPublic omits responses with Set-Cookie or with Cache-Control private or
// no-store. LearnOff learns nothing. LearnAuto is LearnPublic if several clients share the models, otherwise LearnAll.
// No policy learns from requests with Authorization. Cookies of requests do not matter, because browsers send them
// everywhere.
const (
	LearnAuto LearnPolicy = iota
	LearnAll
	LearnPublic
	LearnOff
)

// Metrics are hooks into the pipeline. Each may be nil, and must be safe for concurrent use.
type Metrics struct {
	// Count is called once per response; outcome is "cleaned" or "scaled" (with an empty reason), or "passed".
	Count func(outcome string, reason Reason)
	// Duration is called with the time of a stage: "read" (waiting for the origin's body), "wait" (waiting for a
	// processor), "decode", "parse", "mark", "write", "encode".
	Duration func(stage string, d time.Duration)
	// Bytes is called once per cleaned response with the sizes of the page before and after, without codings.
	Bytes func(in, out int)
	// Again is called for each page that came again, byte for byte, and was cleaned as before without being judged.
	Again func()
	// Late is called for work on a "page" or "picture" that goes on beyond its deadline, with its stage.
	Late func(work, stage string)
	// ScriptLost is called for each script that was not read to learn what it looks for, because of a "panic", or
	// "dropped" because too many waited.
	ScriptLost func(why string)
	// Saved is called with what was taken out of pages: sums that add up.
	Saved func(host string, s savings.Sum)
}

// Options configure a [Pipeline]. The zero value of every field but Models has a default.
type Options struct {
	// Models is required.
	Models Models
	// Mode is the default mode of requests. The zero value is page.ModeOff, which passes everything. page.ModeAuto is for
	// browsers; programs get page.ModeRemove instead.
	Mode page.Mode
	// ModeOf returns the mode that takes the place of Mode for a host (as for Bypass); ok is false where there is none.
	// Nil has none. It must be quick and safe for concurrent use.
	ModeOf func(host string) (mode page.Mode, ok bool)
	// PolicyOf returns the policy that says which kinds of parts of a host go (host as for Bypass); requests may change
	// it. Nil means the zero policy, which follows the detector. It must be fast and safe for concurrent use.
	PolicyOf func(host string) policy.Policy
	// Limits bounds what a page may take.
	Limits limits.Limits
	// Learn is the learning policy.
	Learn LearnPolicy
	// Shared says that clients who must not learn about each other (see [exchange.Name]) share the models. Then memory
	// and waiting time are divided among clients, and no answer says anything about a model that depends on who taught
	// it: neither the number of its pages, nor scores, nor entity tags. The same holds, without it, for each request that
	// another proxy relays ([exchange.Exchange]).
	Shared bool
	// LearnQuorum is the number of clients that must have seen a page, and each block of it, before it is learned; default
	// 1. See [quorum.Quorum].
	LearnQuorum int
	// Bypass reports whether the pages of a host (lower case, without default port) pass. Nil bypasses none.
	Bypass func(host string) bool
	// Choices reads and removes the cookie by which a browser chooses how to see the site; nil means no choice.
	Choices interface {
		Take(h http.Header, site string) (mode page.Mode, chosen bool)
		Shown(client, address string) string
	}
	// DeviceMode returns the mode that the device behind a request wants on all sites, which holds for browsers that ask
	// for none and have chosen none for the site; ok is false where it wants none. Nil has none. It must be quick and safe
	// for concurrent use.
	DeviceMode func(ctx context.Context) (mode page.Mode, ok bool)
	// Vintage says whether a request comes from one of the old browsers that mode vintage is for unless they ask for
	// another mode, and whether that reaches the HTTPS of a host (canonical, without port) over plain HTTP, at port
	// 443. Nil knows none. It must be quick and safe for concurrent use.
	Vintage func(ctx context.Context, host string) (vintage, plain bool)
	// Pictures makes the pictures smaller that belong to pages in the modes lite and vintage; nil leaves them as they are.
	Pictures *pictures.Shrinker
	// Bar adds a link to winnow's page about the site to pages in mode auto that browsers navigate to.
	Bar bool
	// Judge returns a fingerprint of what judges the pages of a host (as for Bypass) beside the pages in Models: detector,
	// settings, rules. If it changes, stored pages are requested anew. It must be fast and safe for concurrent use. Nil
	// means a judge that never changes.
	Judge func(host string) uint32
	// Logger is required. LogURLs adds the path to log lines; queries are never logged.
	Logger  *slog.Logger
	LogURLs bool
	// Metrics are optional hooks.
	Metrics Metrics
	// Now is the clock for visits; default time.Now.
	Now func() time.Time
}

// withDefaults fills in defaults and checks required options.
func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Models == nil:
		return o, errors.New("pipeline: Models is missing")
	case o.Logger == nil:
		return o, errors.New("pipeline: Logger is missing")
	case o.LearnQuorum < 0 || o.LearnQuorum > quorum.Most:
		return o, fmt.Errorf("pipeline: a quorum of %d: it is 1 to %d", o.LearnQuorum, quorum.Most)
	case int(o.Mode) >= len(modeLetters):
		return o, fmt.Errorf("pipeline: %s is no mode", o.Mode)
	}
	o.Limits = o.Limits.WithDefaults("")
	if err := o.Limits.Check(); err != nil {
		return o, fmt.Errorf("pipeline: %w", err)
	}
	if o.Bypass == nil {
		o.Bypass = func(string) bool { return false }
	}
	if o.PolicyOf == nil {
		o.PolicyOf = func(string) policy.Policy { return policy.Policy{} }
	}
	if o.ModeOf == nil {
		o.ModeOf = func(string) (page.Mode, bool) { return page.ModeOff, false }
	}
	if o.DeviceMode == nil {
		o.DeviceMode = func(context.Context) (page.Mode, bool) { return page.ModeOff, false }
	}
	if o.Vintage == nil {
		o.Vintage = func(context.Context, string) (vintage, plain bool) { return false, false }
	}
	if o.Judge == nil {
		o.Judge = func(string) uint32 { return 0 }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, nil
}

// generationsKept is the number of hosts whose model's generation the pipeline remembers.
const generationsKept = 8192

// Pipeline cleans responses. It is safe for concurrent use.
type Pipeline struct {
	opts    Options
	decoder *decoder
	encoder *encoder
	shares  *access.Shares[string]
	samples *sampler.Sampler
	places  places
	// working counts the pages that have a place.
	working atomic.Int32
	load    load
	// quorum is nil where one client is enough.
	quorum *quorum.Quorum
	// parsing bounds what the pages being cleaned may take in memory, as [page.Cost] and [write.Form.Cost] estimate it, to
	// parsingRoom.
	parsing     *semaphore.Weighted
	parsingRoom int64
	// exempt is the part of each page's cost that does not count, so that small pages don't wait for large ones. All
	// places together have no more of it than half of what the largest page costs.
	exempt int64
	// generations has the generation of each host's model when a page was last marked. A missing host (after a restart)
	// costs its clients one full response.
	generations *lru.Cache[string, *generation]
	// scripts has the names in scripts that have passed through.
	scripts *scripts
	recipes *recipes
	// arrival and cleaning are the stages of a page; see stages.go.
	arrival, cleaning []stage
	// overrun is overrun, except in tests.
	overrun time.Duration
	// parse and write are page.ParseContext and write.Form.Write, except in tests.
	parse func(ctx context.Context, src []byte, contentType string) (*page.Page, error)
	write func(f write.Form, p *page.Page, m *page.Marking) (*write.Output, error)
}

// New returns a pipeline. It fails if a required option is missing or a limit is negative.
func New(opts Options) (*Pipeline, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	samples, err := sampler.New(sampler.Interval, sampler.Keys)
	if err != nil {
		return nil, err
	}
	generations, err := lru.New[string, *generation](generationsKept)
	if err != nil {
		return nil, err
	}
	known, err := newScripts()
	if err != nil {
		return nil, err
	}
	recipes, err := newRecipes()
	if err != nil {
		return nil, err
	}
	most := page.MaxCost(int64(opts.Limits.Body))
	pl := &Pipeline{
		opts:        opts,
		decoder:     newDecoder(int64(opts.Limits.Body), opts.Limits.Ratio),
		encoder:     newEncoder(),
		shares:      access.NewShares[string](int64(opts.Limits.Held), 0, false),
		samples:     samples,
		places:      newPlaces(opts.Limits.Cleaning, most),
		load:        load{now: opts.Now, used: cpuTime},
		parsing:     semaphore.NewWeighted(2 * most),
		parsingRoom: 2 * most,
		exempt:      most / int64(2*opts.Limits.Cleaning),
		generations: generations,
		scripts:     known,
		recipes:     recipes,
		arrival:     arrival(),
		cleaning:    cleaning(),
		overrun:     overrun,
		parse:       page.ParseContext,
		write:       write.Form.Write,
	}
	if opts.LearnQuorum > 1 {
		pl.quorum = quorum.New(opts.LearnQuorum, opts.Now)
	}
	return pl, nil
}

// Limits returns the limits of pages by their names in metrics.
func (pl *Pipeline) Limits() map[string]float64 { return pl.opts.Limits.Named("page") }

// Inherit shares the bounds of a pipeline with its successor, so that both together obey them. It does not take over
// the copies that clients have: pages may look different under the new configuration.
func (pl *Pipeline) Inherit(old *Pipeline) {
	pl.samples, pl.scripts = old.samples, old.scripts
	if now, then := pl.opts.Pictures, old.opts.Pictures; now != nil && then != nil && now.Options == then.Options {
		pl.opts.Pictures = then
	}
	if pl.opts.Limits.Held == old.opts.Limits.Held {
		pl.shares = old.shares
	}
	if pl.opts.Limits.Cleaning == old.opts.Limits.Cleaning {
		pl.places.small = old.places.small
	}
	pl.places.large = old.places.large
	if pl.opts.LearnQuorum == old.opts.LearnQuorum {
		pl.quorum = old.quorum
	}
	if pl.opts.Limits.Body == old.opts.Limits.Body {
		pl.parsing = old.parsing
	}
}
