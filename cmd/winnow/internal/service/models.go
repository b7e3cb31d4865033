package service

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// Ruled are models with the override rules of the configuration and, above them, what the operator has set for single
// sites. Each may be nil.
type Ruled struct {
	pipeline.Models
	Rules *sites.Rules
	Sites *sites.Book
}

// Mark implements pipeline.Models.
func (o Ruled) Mark(ctx context.Context, host string, p *page.Page, v model.Visit) (*page.Marking, error) {
	m, err := o.Models.Mark(ctx, host, p, v)
	if err != nil {
		return nil, err
	}
	return o.Sites.For(host).Rules().Apply(p, o.Rules.For(host).Apply(p, m)), nil
}

// LearnFrom implements pipeline.Models. A page that the rules ignore counts as accepted.
func (o Ruled) LearnFrom(client, host string, p *page.Page, v model.Visit) bool {
	return o.Rules.For(host).Ignores(p) || o.Sites.For(host).Rules().Ignores(p) || o.Models.LearnFrom(client, host, p, v)
}

// ruledModels are the models of a service, with its rules.
type ruledModels struct {
	*cache.Models
	rules *sites.Rules
	sites *sites.Book
}

func (o ruledModels) ruled() Ruled { return Ruled{o.Models, o.rules, o.sites} }

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

// Mark implements pipeline.Models.
func (o ruledModels) Mark(ctx context.Context, host string, p *page.Page, v model.Visit) (*page.Marking, error) {
	return o.ruled().Mark(ctx, host, p, v)
}

// LearnFrom implements pipeline.Models.
func (o ruledModels) LearnFrom(client, host string, p *page.Page, v model.Visit) bool {
	return o.ruled().LearnFrom(client, host, p, v)
}

// taught is the fingerprint of the lessons for a host.
func (o ruledModels) taught(host string) uint64 {
	if o.Models == nil {
		return 0
	}
	return o.Models.Taught(host)
}
