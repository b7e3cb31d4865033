package crawl

import (
	"context"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/overrides"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// Ruled are models with the configuration's rules for single hosts.
type Ruled struct {
	pipeline.Models
	Rules *overrides.Set
}

// Mark implements pipeline.Models.
func (m Ruled) Mark(ctx context.Context, host string, p *page.Page, v model.Visit) (*page.Marking, error) {
	marking, err := m.Models.Mark(ctx, host, p, v)
	if err != nil {
		return nil, err
	}
	return m.Rules.For(host).Apply(p, marking), nil
}

// LearnFrom implements pipeline.Models. A page that is to be left alone counts as taken.
func (m Ruled) LearnFrom(client, host string, p *page.Page, v model.Visit) bool {
	return m.Rules.For(host).Ignores(p) || m.Models.LearnFrom(client, host, p, v)
}
