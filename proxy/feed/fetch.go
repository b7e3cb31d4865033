package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// How long what was fetched is taken to be current.
const (
	feedCurrent   = time.Minute
	pageCurrent   = 6 * time.Hour
	failedCurrent = time.Hour // a page that could not be had
)

// agent names winnow to sites; robotsName is how robots.txt names it.
const (
	agent      = "Mozilla/5.0 (compatible; winnow; +https://github.com/winnow-proxy/winnow)"
	robotsName = "winnow"
)

// maxMoves is how often a feed or a page may be somewhere else.
const maxMoves = 5

var (
	// errLater says that a site is not asked now, but may be another time.
	errLater   = errors.New("the site wants to be left alone for a while")
	errRobots  = errors.New("the site's robots.txt does not permit it")
	errTooLong = errors.New("what is there is too large")
	errMoves   = fmt.Errorf("it was moved more than %d times", maxMoves)
)

// feed returns a feed as it is at its origin.
func (r *Restorer) feed(ctx context.Context, u *url.URL, who access.Identity) (*item, error) {
	ctx, cancel := context.WithTimeout(ctx, feedTime)
	defer cancel()
	key := r.key(ctx, "feed", u.String(), who)
	old := r.kept.get(key)
	if old != nil && time.Since(old.at) < feedCurrent {
		return old, nil
	}
	header := http.Header{"Winnow-Mode": {"off"}, "Accept": {"application/rss+xml, application/atom+xml, " +
		"application/feed+json, application/xml;q=0.9, application/json;q=0.9, text/xml;q=0.9, */*;q=0.1"}}
	resp, err := r.get(ctx, visit{who: who, most: MaxBytes, header: header}, u, old)
	switch {
	case errors.Is(err, errLater):
		return nil, &Error{Status: http.StatusServiceUnavailable, Wait: time.Minute, Err: err}
	case errors.Is(err, errTooLong):
		return nil, &Error{Status: http.StatusUnprocessableEntity,
			Err: fmt.Errorf("the feed is larger than %d bytes", MaxBytes)}
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusNotModified && old != nil:
		return r.kept.renew(key, old, time.Now()), nil
	case resp.StatusCode != http.StatusOK:
		return nil, &Error{Status: http.StatusBadGateway, OriginStatus: resp.StatusCode,
			Wait: retryAfter(resp.Header, time.Now()), Err: errors.New("the origin answered with another status than 200")}
	}
	it := itemOf(resp, time.Now())
	r.kept.put(key, it)
	return it, nil
}

// page returns the content of a page as HTML.
func (r *Restorer) page(ctx context.Context, u *url.URL, who access.Identity) (string, error) {
	key := r.key(ctx, "page", u.String(), who)
	old := r.kept.get(key)
	if old != nil && (time.Since(old.at) < failedCurrent || old.err == nil && time.Since(old.at) < pageCurrent) {
		return string(old.body), old.err
	}
	if old != nil && old.err != nil {
		old = nil
	}
	if ctx.Err() != nil {
		return "", errLater
	}
	within, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	header := http.Header{"Winnow-Mode": {page.ModeJSON.String()}, "Accept": {"text/html,application/xhtml+xml"}}
	resp, err := r.get(within, visit{who: who, most: 16 * maxContent, header: header, robots: true}, u, old)
	if isPassing(err) || ctx.Err() != nil {
		return "", errors.Join(err, errLater) // nothing is known of the page
	}
	var it *item
	switch {
	case err == nil && resp.StatusCode == http.StatusNotModified && old != nil:
		return string(r.kept.renew(key, old, time.Now()).body), nil
	case err == nil:
		it = itemOf(resp, time.Now())
		if it.body, it.err = contentOf(resp, it.body); isPassing(it.err) {
			return "", it.err
		}
	default:
		it = &item{at: time.Now(), err: err}
	}
	r.kept.put(key, it)
	return string(it.body), it.err
}

// isPassing reports whether an error says nothing of a page, but of the moment.
func isPassing(err error) bool {
	var f failure.Failure
	return errors.Is(err, errLater) || errors.As(err, &f) && f.Reason == failure.Rate
}

// contentOf returns the HTML of a page in JSON mode.
func contentOf(resp *http.Response, body []byte) ([]byte, error) {
	reason, passed := pipeline.PassedReason(resp.Header)
	switch {
	case reason == pipeline.ReasonBusy, reason == pipeline.ReasonTimeout:
		return nil, fmt.Errorf("%w: the page was not cleaned: %s", errLater, reason)
	case passed, resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the page was not cleaned: %s, status %d", resp.Header.Get("Winnow"), resp.StatusCode)
	}
	var d jsondoc.Document
	switch err := json.Unmarshal(body, &d); {
	case err != nil:
		return nil, fmt.Errorf("the page's JSON: %w", err)
	case d.Thin:
		return nil, errors.New("the page has nothing to read")
	}
	content := d.ReaderHTML()
	if len(content) > maxContent {
		return nil, errTooLong
	}
	return []byte(content), nil
}

// visit is how something is fetched.
type visit struct {
	who    access.Identity
	most   int64 // bytes
	header http.Header
	// robots says that the site is asked whether it permits it: nobody asked for this very page.
	robots bool
}

// get fetches what is at u, over redirects, on the condition that it is not what old is.
func (r *Restorer) get(ctx context.Context, v visit, u *url.URL, old *item) (*http.Response, error) {
	v.header.Set("User-Agent", agent)
	if old != nil && old.tag != "" {
		v.header.Set("If-None-Match", old.tag)
	}
	if old != nil && old.modified != "" {
		v.header.Set("If-Modified-Since", old.modified)
	}
	client := http.Client{
		Transport: transport(func(req *http.Request) (*http.Response, error) { return r.hop(req, v) }),
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			req.Header = v.header.Clone() // net/http takes over what the first request had, but adds a Referer
			if len(via) > maxMoves {
				return errMoves
			}
			follow(req, via)
			return nil
		},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = v.header.Clone()
	return client.Do(req) // with a body that is in memory and needs no closing
}

// follow gives a request that a redirect leads to its context.
func follow(req *http.Request, via []*http.Request) {
	last := via[len(via)-1]
	*req = *req.WithContext(dial.Follow(last.Context(), last.URL, req.URL))
}

// transport makes a function an http.RoundTripper.
type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// hop sends one request once it is the site's turn, and reads the whole answer.
func (r *Restorer) hop(req *http.Request, v visit) (*http.Response, error) {
	s, leave, err := r.sites.enter(req.Context(), req.URL.Host)
	if err != nil {
		return nil, err
	}
	defer leave()
	if time.Now().Before(s.until) {
		return nil, errLater
	}
	if v.robots {
		if err := r.permitted(req, v.who); err != nil {
			return nil, err
		}
	}
	resp, err := r.fetch(req, v.who, v.most)
	if err == nil && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable) {
		s.until = time.Now().Add(max(retryAfter(resp.Header, time.Now()), time.Minute))
		if v.robots {
			return nil, errLater
		}
	}
	return resp, err
}

// fetch sends a request and reads the whole answer.
func (r *Restorer) fetch(req *http.Request, who access.Identity, most int64) (*http.Response, error) {
	resp, err := r.send(req, who)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > most {
		return nil, errTooLong
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// longestWait bounds how long a site can have itself left alone.
const longestWait = 24 * time.Hour

// retryAfter returns how long the field Retry-After wants (RFC 9110 §10.2.3), 0 where there is none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	if n, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, longestWait)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(at.Sub(now), longestWait))
	}
	return 0
}

// itemOf keeps an answer. The caller has no more use for its body.
func itemOf(resp *http.Response, now time.Time) *item {
	body, _ := io.ReadAll(resp.Body) // it is in memory
	h := resp.Header
	return &item{body: body, contentType: h.Get("Content-Type"), tag: h.Get("ETag"), modified: h.Get("Last-Modified"),
		url: resp.Request.URL, at: now}
}
