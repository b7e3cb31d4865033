package proxy

import (
	"context"
	"net/url"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/feed"
)

// RestoreFeed fetches a feed for a program, and gives its entries the whole text of the pages that they link to. The
// rules of the proxy apply to each request. The error is a [feed.Error], or as that of [Server.Fetch].
func (s *Server) RestoreFeed(ctx context.Context, u *url.URL, who access.Identity) (*feed.Feed, error) {
	return s.feeds.Restore(ctx, u, who)
}
