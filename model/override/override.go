// Package override applies site rules that people write to the result of a detector: parts to keep, parts to remove,
// and pages to leave unchanged, by CSS selector. It works after any detector and depends on none.
package override

import (
	"fmt"
	"hash/fnv"

	"github.com/andybalholm/cascadia"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
)

// Pass is the reason in [page.Marking.Pass] of pages that stay unchanged.
const Pass = "override"

// Site has the rules of one host: lists of CSS selectors, and tests that show whether they still work.
type Site struct {
	// Keep and Remove select parts of pages. Where both match, the innermost match decides, and on one element Keep.
	Keep   []string `yaml:"keep"`
	Remove []string `yaml:"remove"`
	// KeepKinds and DropKinds name kinds of parts that stay and kinds that are removed, like the flags --keep and
	// --drop for all hosts.
	KeepKinds page.KindSet `yaml:"keep-kinds"`
	DropKinds page.KindSet `yaml:"drop-kinds"`
	// Ignore selects pages that have a matching element. They stay unchanged and are not learned.
	Ignore []string `yaml:"ignore"`
	Test   []Test   `yaml:"test"`
}

// Test names a page and texts that its cleaned content must have and must lack.
type Test struct {
	// File is a saved page, URL the address of one to fetch. Exactly one is set.
	File string `yaml:"file"`
	URL  string `yaml:"url"`
	// Has and Lacks are compared with the text of the cleaned page after white space is folded.
	Has   []string `yaml:"has"`
	Lacks []string `yaml:"lacks"`
}

// Rules are the compiled rules of one host. They are read-only. nil Rules change nothing.
type Rules struct {
	keep, remove, ignore cascadia.SelectorGroup
	keepKinds, dropKinds page.KindSet
	fingerprint          uint64
}

// Fingerprint identifies rules: rules with the same selectors have the same fingerprint in every run of the program.
// nil Rules have 0. Tests and kinds do not count.
func (r *Rules) Fingerprint() uint64 {
	if r == nil {
		return 0
	}
	return r.fingerprint
}

// fingerprintOf hashes the selectors. It quotes them, so that adjacent ones stay distinct.
func fingerprintOf(s Site) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %q", s.Keep, s.Remove, s.Ignore)
	return h.Sum64()
}

// Compile compiles the rules of one host. The error names the selector or the test.
func Compile(site Site) (*Rules, error) {
	r := &Rules{fingerprint: fingerprintOf(site), keepKinds: site.KeepKinds, dropKinds: site.DropKinds}
	for _, list := range []struct {
		name string
		from []string
		to   *cascadia.SelectorGroup
	}{{"keep", site.Keep, &r.keep}, {"remove", site.Remove, &r.remove}, {"ignore", site.Ignore, &r.ignore}} {
		for _, selector := range list.from {
			group, err := cascadia.ParseGroup(selector)
			if err != nil {
				return nil, fmt.Errorf("%s: selector %q: %w", list.name, selector, err)
			}
			*list.to = append(*list.to, group...)
		}
	}
	for i, t := range site.Test {
		if (t.File == "") == (t.URL == "") {
			return nil, fmt.Errorf("test %d: give either a file or a url", i+1)
		}
	}
	return r, nil
}

// Policy returns the policy for the host: the policy for all hosts, changed by the host's rules on kinds.
func (r *Rules) Policy(all policy.Policy) policy.Policy {
	if r == nil {
		return all
	}
	return all.With(r.keepKinds, r.dropKinds)
}

// Ignores reports whether the page must stay unchanged.
func (r *Rules) Ignores(p *page.Page) bool {
	return r != nil && len(r.ignore) > 0 && r.ignored(selectorTreeOf(p))
}

func (r *Rules) ignored(s selectorTree) bool {
	for _, n := range s {
		if r.ignore.Match(n) {
			return true
		}
	}
	return false
}

// Apply returns the marking after the rules; it does not change m. Where a rule matches, it also overrides a detector
// that passes the page. A page of which nothing would be left passes as "no-content".
func (r *Rules) Apply(p *page.Page, m *page.Marking) *page.Marking {
	if r == nil || len(p.Elements) == 0 {
		return m
	}
	s := selectorTreeOf(p)
	if r.ignored(s) {
		out := *m
		out.Pass, out.Marks, out.Parts = Pass, nil, nil
		return &out
	}
	actions, matched := r.actions(p, s)
	if !matched {
		return m
	}
	return Decide(p, m, actions)
}

// actions returns the action of every element that a rule matches. matched says that there is such an element.
func (r *Rules) actions(p *page.Page, s selectorTree) (actions []Action, matched bool) {
	actions = make([]Action, len(p.Elements))
	for e := range p.Elements {
		switch {
		case r.keep.Match(s[e]):
			actions[e], matched = Keep, true
		case r.remove.Match(s[e]):
			actions[e], matched = Remove, true
		}
	}
	return actions, matched
}
