// Package feed gives the entries of feeds the whole text of the pages that they link to. Many feeds (RSS, Atom, JSON
// Feed) have only the first sentences of each page.
//
// A feed is written as it came, byte for byte, but for the contents that are put in: order, ids, enclosures and all
// extensions stay. Contents are the cleaned page in simple HTML, with absolute addresses. Sites are asked politely: one
// request at a time, by robots.txt (RFC 9309), not before the time that they gave (Retry-After), and with the
// conditions that spare them what has not changed.
package feed

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/dial"
)

// Fetch sends a request to its origin by the rules of the proxy, and returns the response, cleaned or passed. It
// follows no redirects, so that each site on the way has its turn. It must be safe for concurrent use.
type Fetch func(req *http.Request, who access.Identity) (*http.Response, error)

// Bounds of one feed. Most programs that read feeds wait for 20 or 30 seconds.
const (
	feedTime   = 10 * time.Second // until the feed itself is here
	pageTime   = 8 * time.Second  // until one page is here
	MaxTime    = 15 * time.Second // until the answer
	maxPages   = 50               // entries that are completed
	maxHosts   = 4                // sites that are asked at once for a feed
	maxFeeds   = 16               // feeds that are worked on at once, shared out among clients
	maxContent = 512 << 10        // bytes of a page's content
	maxAdded   = 16 << 20         // bytes of all contents
)

// Error is what is wrong with a feed.
type Error struct {
	// Status is the status of the answer that tells of it, OriginStatus that of the origin's answer, if it is the problem.
	Status, OriginStatus int
	// Wait is how long the origin, or winnow, wants to be left alone.
	Wait time.Duration
	Err  error
}

// Error implements error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap implements errors.Unwrap.
func (e *Error) Unwrap() error { return e.Err }

// Feed is a feed with whole texts.
type Feed struct {
	Body        []byte
	ContentType string
	// Tag is an entity tag of the body, with its quotation marks.
	Tag    string
	Counts Counts
}

// Counts says what became of the entries of a feed.
type Counts struct {
	// Restored have the text of their page now; Complete had it, or their page has no more than they; Failed have pages
	// that can't be had; Waiting are left for the next time, for want of time or because a site wants to be left alone.
	Restored, Complete, Failed, Waiting int
}

// String is the counts in the form of the field Winnow.
func (c Counts) String() string {
	return fmt.Sprintf("feed; restored=%d; complete=%d; failed=%d; waiting=%d",
		c.Restored, c.Complete, c.Failed, c.Waiting)
}

// Restorer gives feeds whole texts. It is safe for concurrent use.
type Restorer struct {
	send  Fetch
	log   *slog.Logger
	sites *sites
	kept  *store
	feeds *access.Shares[string]
}

// New returns a Restorer. alone says that only this machine can ask, so that all who ask are one.
func New(send Fetch, alone bool, log *slog.Logger) *Restorer {
	return &Restorer{send: send, log: log, sites: newSites(), kept: newStore(),
		feeds: access.NewShares[string](maxFeeds, 0, alone)}
}

// key is the name of what was found at an address, in what is kept. Each client has its own: by the time of an answer,
// others would find out what somebody reads. What was found inside is not for requests that may not go there.
func (r *Restorer) key(ctx context.Context, kind, at string, who access.Identity) string {
	return fmt.Sprintf("%s %t %q %s", kind, dial.IsNamed(ctx), who.Name(), at)
}

// Restore fetches the feed at u and completes its entries, in the name of who. The error is an [Error], or that of
// [Fetch].
func (r *Restorer) Restore(ctx context.Context, u *url.URL, who access.Identity) (*Feed, error) {
	return r.restore(ctx, u, who, func(ctx context.Context) (*item, error) { return r.feed(ctx, u, who) })
}

// Complete completes the entries of a feed that was fetched from u, in the name of who. The error is an [Error].
func (r *Restorer) Complete(ctx context.Context, u *url.URL, body []byte, contentType string, who access.Identity) (*Feed, error) {
	return r.restore(ctx, u, who, func(context.Context) (*item, error) { return &item{body: body, contentType: contentType, url: u}, nil })
}

// restore completes the entries of the feed at u, which get returns.
func (r *Restorer) restore(ctx context.Context, u *url.URL, who access.Identity, get func(context.Context) (*item, error)) (*Feed, error) {
	if !r.feeds.Take(who.Name(), 1) {
		return nil, &Error{Status: http.StatusServiceUnavailable, Wait: time.Minute,
			Err: errors.New("too many feeds are being read at the moment; try again in a minute")}
	}
	defer r.feeds.Give(who.Name(), 1)
	ctx, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	source, err := get(ctx)
	if err != nil {
		return nil, err
	}
	doc, err := parse(source.body, source.contentType, source.url)
	if err != nil {
		status := http.StatusUnprocessableEntity
		if errors.Is(err, errNoFeed) {
			status = http.StatusUnsupportedMediaType
		}
		return nil, &Error{Status: status, Err: err}
	}
	counts := r.complete(dial.Follow(ctx, u, source.url), doc, source.url, who)
	body, err := doc.write()
	if err != nil {
		return nil, err
	}
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(body))
	return &Feed{Body: body, ContentType: doc.contentType, Tag: tag, Counts: counts}, nil
}

// progress is what has become of the entries so far. It is safe for concurrent use.
type progress struct {
	mu    sync.Mutex
	added int
	Counts
}

// complete gets the pages of teasers: the sites of several hosts at once, each page of a host after the other.
func (r *Restorer) complete(ctx context.Context, doc *document, from *url.URL, who access.Identity) Counts {
	p := &progress{}
	hosts, pages := map[string][]*entry{}, 0
	for _, e := range doc.entries {
		switch {
		case !e.isTeaser():
			p.Complete++
		case e.link == nil, *e.link == *from: // such as a feed that refers to itself
			p.Failed++
		case pages == maxPages:
			p.Waiting++
		default:
			pages++
			hosts[e.link.Host] = append(hosts[e.link.Host], e)
		}
	}
	var group errgroup.Group
	group.SetLimit(maxHosts)
	for _, entries := range hosts {
		group.Go(func() error {
			for _, e := range entries {
				html, err := r.page(dial.Follow(ctx, from, e.link), e.link, who)
				p.note(e, html, err)
				if err != nil {
					r.log.Debug("entry of a feed left as it is", "host", e.link.Host, "error", err)
				}
			}
			return nil
		})
	}
	_ = group.Wait() // which only waits: no entry ends the others
	return p.Counts
}

// note puts what was found into the entry, and counts it.
func (p *progress) note(e *entry, html string, err error) {
	length := utf8.RuneCountInString(plainText(html))
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case isPassing(err):
		p.Waiting++
	case err != nil:
		p.Failed++
	case length <= utf8.RuneCountInString(e.text)*11/10: // the page says no more than the entry
		p.Complete++
	case p.added+len(html) > maxAdded:
		p.Waiting++
	default:
		p.added += len(html)
		e.full = html
		p.Restored++
	}
}
