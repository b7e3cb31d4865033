package sites

import (
	"fmt"
	"maps"
	"slices"

	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Rules has the rules of all hosts. It is read-only and safe for concurrent use. A nil Rules has no rules.
type Rules struct {
	rules hostname.Table[ruled]
	sites map[string]override.Site
}

// ruled is a pattern with its rules.
type ruled struct {
	pattern string
	*override.Rules
}

// CompileRules compiles the rules by host pattern, in the syntax of [hostname.Table]. The error names the pattern and
// what is wrong with it or its rules.
func CompileRules(sites map[string]override.Site) (*Rules, error) {
	s := &Rules{sites: sites}
	for _, pattern := range s.Hosts() {
		rules, err := override.Compile(sites[pattern])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if err := s.rules.Add(pattern, ruled{pattern, rules}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Hosts lists the patterns that have rules, as written, in order.
func (s *Rules) Hosts() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.sites))
}

// Site returns the configuration of a pattern.
func (s *Rules) Site(pattern string) override.Site { return s.sites[pattern] }

// Policies returns a function that gives the policy of a host: the policy for all hosts, changed by the kinds that the
// host's rules name.
func (s *Rules) Policies(all policy.Policy) func(host string) policy.Policy {
	return func(host string) policy.Policy { return s.For(host).Policy(all) }
}

// For returns the rules of a host, with or without a port: those of the most specific pattern, or nil.
func (s *Rules) For(host string) *override.Rules {
	if s == nil {
		return nil
	}
	found, _ := s.rules.Lookup(host)
	return found.Rules
}

// Pattern returns the pattern that For takes the rules of a host from. ok is false where there is none.
func (s *Rules) Pattern(host string) (pattern string, ok bool) {
	if s == nil {
		return "", false
	}
	found, ok := s.rules.Lookup(host)
	return found.pattern, ok
}
