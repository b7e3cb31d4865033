package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// examineTime bounds the fetch and the judgement of one page.
const examineTime = 20 * time.Second

// Examine fetches the page at address, as a client without cookies, and judges it. It reaches what clients may reach
// and nothing else, learns nothing and keeps nothing. The error is that of Fetch, or a [pipeline.NotExaminedError].
func (s *Server) Examine(ctx context.Context, who access.Identity, address, userAgent string) (*pipeline.Examined, error) {
	s = s.live.Load()
	if s.opts.Pipeline == nil {
		return nil, errors.New("this proxy cleans no pages")
	}
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
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
	return s.opts.Pipeline.Examine(ctx, who.Name(), resp)
}
