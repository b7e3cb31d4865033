package hostname

import (
	"fmt"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Table maps host patterns to values. The zero Table is empty. After the last Add it is safe for concurrent use.
//
// The pattern "example.org" matches only that host, ".example.org" the host and its subdomains, "*.example.org" only
// its subdomains. An address matches itself.
type Table[V any] struct {
	exact map[string]V
	// apex has the names of patterns like ".example.org", suffix all names whose subdomains match.
	apex, suffix map[string]V
}

// Add maps a pattern to v. A single host may have a port ("example.org:8080") and then matches only that port. All
// other patterns match every port.
func (t *Table[V]) Add(pattern string, v V) error {
	name, wild := strings.CutPrefix(pattern, "*")
	name, dot := strings.CutPrefix(name, ".")
	if wild && !dot {
		return fmt.Errorf("host pattern %q: a star must be followed by a dot, as in *.example.org", pattern)
	}
	site, err := Site(name)
	if err != nil {
		return fmt.Errorf("host pattern %w", err)
	}
	if dot && WithoutPort(site) != site {
		return fmt.Errorf("host pattern %q: only a single host can have a port", pattern)
	}
	if t.exact == nil {
		t.exact, t.apex, t.suffix = map[string]V{}, map[string]V{}, map[string]V{}
	}
	switch {
	case wild:
		t.suffix[site] = v
	case dot:
		t.apex[site], t.suffix[site] = v, v
	default:
		t.exact[site] = v
	}
	return nil
}

// Lookup returns the value of the most specific pattern for host, which may have a port: first host and port, then the
// host, then the longest suffix.
func (t Table[V]) Lookup(host string) (v V, ok bool) {
	if t.exact == nil {
		return v, false
	}
	site, err := Site(host)
	if err != nil {
		return v, false
	}
	bare := bracketed(WithoutPort(site))
	for _, step := range []struct {
		patterns map[string]V
		name     string
	}{{t.exact, site}, {t.exact, bare}, {t.apex, bare}} {
		if v, ok = step.patterns[step.name]; ok {
			return v, true
		}
	}
	for more := true; more; {
		if _, bare, more = strings.Cut(bare, "."); more {
			if v, ok = t.suffix[bare]; ok {
				return v, true
			}
		}
	}
	return v, false
}

// Set is a set of hosts, given by patterns as in [Table]. It is immutable; the zero Set matches nothing.
type Set struct{ patterns Table[struct{}] }

// ParseSet parses patterns without ports. It refuses suffixes under which registries sell names, such as "com" and
// ".co.uk", because nobody means so many sites.
func ParseSet(patterns []string) (Set, error) {
	var s Set
	for _, p := range patterns {
		host, err := Canonical(strings.TrimPrefix(strings.TrimPrefix(p, "*"), "."))
		if err != nil {
			return Set{}, fmt.Errorf("host pattern %q: %w, without scheme, port or path", p, ErrInvalid)
		}
		if err := s.patterns.Add(p, struct{}{}); err != nil {
			return Set{}, err
		}
		if publicSuffix(host) {
			return Set{}, fmt.Errorf("host pattern %q: %s is a public suffix, where anybody can register names; name the sites "+
				"that you mean, as in .example.%s", p, host, host)
		}
	}
	return s, nil
}

// Match reports whether host, with or without a port, is in the set.
func (s Set) Match(host string) bool {
	_, ok := s.patterns.Lookup(host)
	return ok
}

// publicSuffix reports whether a canonical host, or everything directly below it, is a registry's suffix
// (publicsuffix.org). It ignores the list's private part, suffixes of hosting companies such as github.io, because
// people may mean those.
func publicSuffix(host string) bool {
	for _, name := range []string{host, "any." + host} { // *.kawasaki.jp
		if suffix, registry := publicsuffix.PublicSuffix(name); registry && suffix == name {
			return true
		}
	}
	return false
}
