package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// errRedirects says that a page leads to another one, again and again.
var errRedirects = failure.New(http.StatusBadGateway, failure.Request, "The page redirects too often", "It leads to another page, again and again.")

// examineTime bounds one look at a page, and examineRedirects the way to it.
const (
	examineTime      = 20 * time.Second
	examineRedirects = 5
)

// Examine fetches the page at address, as a client without cookies, and judges it. It reaches what clients may reach
// and nothing else, learns nothing and keeps nothing. The error is that of Fetch, or a [pipeline.NotExaminedError].
func (s *Server) Examine(ctx context.Context, who access.Identity, address, userAgent string) (*pipeline.Examined, error) {
	s = s.live.Load()
	if s.opts.Pipeline == nil {
		return nil, errors.New("this proxy cleans no pages")
	}
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	for range examineRedirects {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, unfetchable()
		}
		req.Header = http.Header{"Accept": {"text/html,application/xhtml+xml;q=0.9"}, "Accept-Encoding": {"gzip"}, "User-Agent": {userAgent},
			"Winnow-Mode": {"off"}}
		resp, err := s.Fetch(req, who)
		if err != nil {
			return nil, err
		}
		next, err := redirect(req.URL, resp)
		if err != nil {
			return nil, errors.Join(err, resp.Body.Close())
		}
		if next == "" {
			resp.Request = req
			return s.opts.Pipeline.Examine(ctx, who.Name(), resp)
		}
		resp.Body.Close()
		address = next
	}
	return nil, errRedirects
}

// redirect returns the address that a response to a request for from leads to, empty where it leads nowhere.
func redirect(from *url.URL, resp *http.Response) (string, error) {
	to := resp.Header.Get("Location")
	if resp.StatusCode < 300 || resp.StatusCode > 399 || to == "" {
		return "", nil
	}
	u, err := from.Parse(to)
	if err != nil {
		return "", unfetchable()
	}
	return u.String(), nil
}
