package source

import (
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// allowsStyle reports whether every Content-Security-Policy of the page, in the header fields given and in its own meta
// elements, lets a style element run without a nonce or a hash (CSP3 §6.7.3.3).
func allowsStyle(p *page.Page, headers []string) bool {
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
			if !policyAllowsStyle(policy) {
				return false
			}
		}
	}
	return true
}

func policyAllowsStyle(policy string) bool {
	directives := map[string][]string{}
	for d := range strings.SplitSeq(policy, ";") {
		if fields := strings.Fields(strings.ToLower(d)); len(fields) > 0 && directives[fields[0]] == nil {
			directives[fields[0]] = fields // the first one of a name counts
		}
	}
	if _, sandboxed := directives["sandbox"]; sandboxed && len(directives) == 1 {
		return true
	}
	for _, name := range []string{"style-src-elem", "style-src", "default-src"} {
		if sources := directives[name]; sources != nil {
			return allowsInline(sources[1:])
		}
	}
	return true
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
