package source

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// allowsStyle reports whether every Content-Security-Policy of the page lets a style element run without a nonce or a
// hash (CSP3 §6.7.3.3).
func allowsStyle(p *page.Page, headers []string) bool {
	return policiesAllow(p, headers, func(directives map[string][]string) bool {
		if _, sandboxed := directives["sandbox"]; sandboxed && len(directives) == 1 {
			return true
		}
		sources, ok := firstOf(directives, "style-src-elem", "style-src", "default-src")
		return !ok || allowsInline(sources)
	})
}

// allows reports whether every Content-Security-Policy of the page lets it load something from another host, by the
// first of these directives that the policy has (CSP3 §6.1). In a sandbox, links lead nowhere.
func allows(p *page.Page, headers []string, address string, directive ...string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	return policiesAllow(p, headers, func(directives map[string][]string) bool {
		if _, sandboxed := directives["sandbox"]; sandboxed {
			return false
		}
		sources, ok := firstOf(directives, directive...)
		return !ok || slices.Contains(sources, "*") || slices.Contains(sources, scheme+":")
	})
}

// policiesAllow reports whether all policies of the page, in the header fields given and in its own meta elements,
// allow something. Each is a list of sources by the name of its directive.
func policiesAllow(p *page.Page, headers []string, allows func(directives map[string][]string) bool) bool {
	policies := headers
	for e := range p.Elements {
		if p.Elements[e].Tag != atom.Meta {
			continue
		}
		if equiv, _ := p.Attr(page.ElementID(e), "http-equiv"); strings.EqualFold(equiv, "content-security-policy") {
			content, _ := p.Attr(page.ElementID(e), "content")
			policies = append(policies[:len(policies):len(policies)], content)
		}
	}
	for _, list := range policies {
		for policy := range strings.SplitSeq(list, ",") {
			directives := map[string][]string{}
			for d := range strings.SplitSeq(policy, ";") {
				if fields := strings.Fields(strings.ToLower(d)); len(fields) > 0 && directives[fields[0]] == nil {
					directives[fields[0]] = fields[1:] // the first one of a name counts
				}
			}
			if !allows(directives) {
				return false
			}
		}
	}
	return true
}

// firstOf returns the sources of the first directive that a policy has.
func firstOf(directives map[string][]string, names ...string) (sources []string, ok bool) {
	for _, name := range names {
		if sources, ok = directives[name]; ok {
			return sources, true
		}
	}
	return nil, false
}

func allowsInline(sources []string) bool {
	allowed := false
	for _, s := range sources {
		if strings.HasPrefix(s, "'nonce-") || strings.HasPrefix(s, "'sha") {
			return false // 'unsafe-inline' is ignored beside these
		}
		allowed = allowed || s == "'unsafe-inline'"
	}
	return allowed
}
