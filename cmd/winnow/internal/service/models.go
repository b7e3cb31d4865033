package service

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/overrides"
	"github.com/winnow-proxy/winnow/proxy/sitesettings"
)

// ruledModels are the models of a proxy with the override rules of the configuration and, above them, what the operator
// has set for single sites. It is a proxy.Models.
type ruledModels struct {
	*cache.Models
	rules *overrides.Set
	sites *sitesettings.Book
}

// judge returns a function for pipeline.Options.Judge, which identifies what decides about a host's pages: the program
// (another version may have other weights), the detector as named by the flag, with settings, the host's rules and
// those that were set for it, and what people have taught about it.
func (o ruledModels) judge(program, detector string) func(host string) uint32 {
	return func(host string) uint32 {
		h := fnv.New32a()
		fmt.Fprintf(h, "%q %q %x", program, detector, o.rules.For(host).Fingerprint())
		if set := o.sites.For(host).Rules().Fingerprint(); set != 0 {
			fmt.Fprintf(h, " set %x", set)
		}
		if lessons := o.taught(host); lessons != 0 {
			fmt.Fprintf(h, " %x", lessons)
		}
		return h.Sum32()
	}
}

// Mark implements proxy.Models.
func (o ruledModels) Mark(ctx context.Context, host string, p *page.Page, v model.Visit) (*page.Marking, error) {
	m, err := o.Models.Mark(ctx, host, p, v)
	if err != nil {
		return nil, err
	}
	return o.sites.For(host).Rules().Apply(p, o.rules.For(host).Apply(p, m)), nil
}

// LearnFrom implements pipeline.Models. A page that the rules ignore counts as accepted.
func (o ruledModels) LearnFrom(client, host string, p *page.Page, v model.Visit) bool {
	return o.rules.For(host).Ignores(p) || o.sites.For(host).Rules().Ignores(p) || o.Models.LearnFrom(client, host, p, v)
}

// taught is the fingerprint of the lessons for a host.
func (o ruledModels) taught(host string) uint64 {
	if o.Models == nil {
		return 0
	}
	return o.Models.Taught(host)
}
