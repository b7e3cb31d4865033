package proxy

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/feed"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// RestoreFeed fetches a feed for a program, and gives its entries the whole text of the pages that they link to. The
// rules of the proxy apply to each request. The error is a [feed.Error], or as that of [Server.Fetch].
func (s *Server) RestoreFeed(ctx context.Context, u *url.URL, who access.Identity) (*feed.Feed, error) {
	defer s.Watch(ctx, "feed", "restore", feed.MaxTime)()
	return s.feeds.Restore(ctx, u, who)
}

// Watch has work seen that goes on for longer than it should. end ends the watch.
func (s *Server) Watch(ctx context.Context, what, stage string, most time.Duration) (end func()) {
	if s.opts.Pipeline == nil {
		return func() {}
	}
	return s.opts.Pipeline.Watch(ctx, what, stage, most)
}

// asksForFeed reports whether the answer to a request is completed if it is a feed: Options.Feeds has the host, and
// nobody forbids it.
func (s *Server) asksForFeed(req *http.Request, x *exchange.Exchange) bool {
	return s.opts.Pipeline != nil && s.feedHosts.Match(x.Origin.Host) && req.Method == http.MethodGet && req.Header.Get("Range") == "" &&
		req.Header.Get("Winnow-Mode") != "off" && !pipeline.ForbidsTransform(req.Header)
}

// feedDoor completes feeds in passing.
func (s *Server) feedDoor(x *exchange.Exchange, req, out *http.Request) func(*http.Response) {
	if !s.asksForFeed(req, x) {
		return nil
	}
	pipeline.LimitCodings(out.Header)
	return func(resp *http.Response) { s.completeFeed(req, x, resp) }
}

// completeFeed gives the entries of a feed in passing the whole text of their pages. Where it can't, the client gets
// the origin's bytes.
func (s *Server) completeFeed(req *http.Request, x *exchange.Exchange, resp *http.Response) {
	if resp.StatusCode != http.StatusOK || !isFeedType(resp.Header.Get("Content-Type")) || pipeline.ForbidsTransform(resp.Header) ||
		resp.ContentLength > feed.MaxBytes {
		return
	}
	start, err := io.ReadAll(io.LimitReader(resp.Body, feed.MaxBytes+1))
	rest := resp.Body
	resp.Body = continued{io.MultiReader(bytes.NewReader(start), rest), rest}
	if err != nil || len(start) > feed.MaxBytes {
		return // the rest, or the error, comes after what was read
	}
	plain, err := s.opts.Pipeline.Plain(resp.Header, start, feed.MaxBytes)
	if err != nil {
		s.log.Debug("feed passed as it is", "host", x.Origin.Host, "error", err)
		return
	}
	defer s.Watch(req.Context(), "feed", "complete", feed.MaxTime)()
	got, err := s.feeds.Complete(dial.Named(req.Context()), req.URL, plain, resp.Header.Get("Content-Type"), x.Identity)
	if err != nil || got.Counts.Restored == 0 {
		s.log.Debug("feed passed as it is", "host", x.Origin.Host, "error", err)
		return
	}
	h := resp.Header
	pipeline.ForgetBytes(h)
	h.Set("Content-Type", got.ContentType)
	h.Set("Etag", got.Tag)
	h.Set("Winnow", got.Counts.String())
	body := got.Body
	if slices.Contains(strings.Split(strings.ReplaceAll(req.Header.Get("If-None-Match"), " ", ""), ","), got.Tag) {
		resp.StatusCode, resp.Status, body = http.StatusNotModified, "", nil
		h.Del("Content-Length")
	} else {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	resp.Trailer, resp.TransferEncoding = nil, nil
	resp.ContentLength = int64(len(body))
	resp.Body = continued{bytes.NewReader(body), rest}
}

// continued reads from one place, and closes another.
type continued struct {
	io.Reader
	io.Closer
}

// isFeedType reports whether feeds are written in a media type; what is there decides in the end.
func isFeedType(contentType string) bool {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	return slices.Contains([]string{"application/rss+xml", "application/atom+xml", "application/feed+json",
		"application/rdf+xml", "application/xml", "text/xml", "application/json"}, mediaType)
}
