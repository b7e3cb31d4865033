package feed

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// Bounds of robots.txt (RFC 9309 §2.4, §2.5). One that could not be had is asked for again after a while.
const (
	robotsCurrent = 24 * time.Hour
	robotsAgain   = 10 * time.Minute
	robotsBytes   = 500 << 10
	robotsRules   = 2000
)

// permitted returns an error if robots.txt of the site does not permit the request. It fetches robots.txt first, if the
// site's is not known or old.
func (r *Restorer) permitted(req *http.Request, who access.Identity) error {
	key := r.key(req.Context(), "robots.txt", req.URL.Scheme+"://"+req.URL.Host, who)
	known := r.kept.get(key)
	if known == nil || time.Now().After(known.until) {
		rules, current, err := r.robots(req.Context(), req.URL, who)
		if req.Context().Err() != nil {
			return req.Context().Err()
		}
		if err != nil {
			r.log.Debug("robots.txt can't be had", "host", req.URL.Host, "error", err)
		}
		known = &item{rules: rules, until: time.Now().Add(current)}
		r.kept.put(key, known)
	}
	if !known.rules.permit(req.URL) {
		return errRobots
	}
	return nil
}

// robots fetches robots.txt, and says how long it counts. Where there is none (4xx), everything is permitted; where the
// site can't say (5xx, or no answer), nothing is (RFC 9309 §2.3.1).
func (r *Restorer) robots(ctx context.Context, of *url.URL, who access.Identity) (rules, time.Duration, error) {
	nothing := rules{{path: "/"}}
	u := url.URL{Scheme: of.Scheme, Host: of.Host, Path: "/robots.txt"}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nothing, robotsAgain, err
	}
	req.Header = http.Header{"Winnow-Mode": {"off"}, "User-Agent": {agent}, "Accept": {"text/plain"}}
	fetch := func(req *http.Request) (*http.Response, error) { return r.fetch(req, who, robotsBytes) }
	client := http.Client{Transport: transport(fetch), CheckRedirect: func(req *http.Request, via []*http.Request) error {
		follow(req, via)
		if len(via) > maxMoves {
			return errMoves
		}
		return nil
	}}
	resp, err := client.Do(req)
	switch {
	case errors.Is(err, errTooLong):
		return nothing, robotsCurrent, err
	case err != nil:
		return nothing, robotsAgain, err
	case resp.StatusCode >= 500, resp.StatusCode == http.StatusTooManyRequests:
		return nothing, robotsAgain, nil
	case resp.StatusCode != http.StatusOK:
		return nil, robotsCurrent, nil
	}
	body, err := io.ReadAll(resp.Body)
	return parseRobots(string(body), robotsName), robotsCurrent, err
}

// rules are the rules of robots.txt for winnow.
type rules []rule

// rule permits or forbids the paths that match its pattern.
type rule struct {
	path  string
	allow bool
}

// parseRobots reads the rules for name, or those for everybody where there are none for name (RFC 9309 §2.2).
func parseRobots(text, name string) rules {
	var own, others rules
	named, forUs, forAll, inHead := false, false, false, false
	for line := range strings.Lines(strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r", "\n")) {
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch key = strings.ToLower(strings.TrimSpace(key)); key {
		case "user-agent":
			if !inHead {
				forUs, forAll, inHead = false, false, true
			}
			product := strings.ToLower(value)
			if i := strings.IndexFunc(product, notInToken); i > 0 {
				product = product[:i]
			}
			forUs = forUs || product == name
			forAll = forAll || value == "*"
			named = named || forUs
		case "allow", "disallow":
			inHead = false
			r := rule{path: unescaped(value), allow: key == "allow"}
			if value != "" && forUs && len(own) < robotsRules {
				own = append(own, r)
			}
			if value != "" && forAll && len(others) < robotsRules {
				others = append(others, r)
			}
		}
	}
	if named {
		return own
	}
	return others
}

// size is about what the rules take in memory.
func (rs rules) size() (bytes int) {
	for i := range rs {
		bytes += 32 + len(rs[i].path)
	}
	return bytes
}

// notInToken reports whether a character can't be in the name of a crawler.
func notInToken(r rune) bool { return (r < 'a' || r > 'z') && r != '-' && r != '_' }

// permit reports whether the rules permit an address: the longest pattern that matches decides, and of two equally long
// ones the one that permits.
func (rs rules) permit(u *url.URL) bool {
	path := "/" + strings.TrimPrefix(u.Path, "/")
	if u.RawQuery != "" {
		path += "?" + unescaped(u.RawQuery)
	}
	longest, permitted := -1, true
	for _, r := range rs {
		if n := len(r.path); (n > longest || n == longest && r.allow) && matches(path, r.path) {
			longest, permitted = n, r.allow
		}
	}
	return permitted
}

// unescaped undoes percent-encoding, which paths and patterns may have where the other has none.
func unescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// matches reports whether a path begins with a pattern, in which * stands for anything, and $ at its end for the end.
func matches(path, pattern string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	path = path[len(parts[0]):]
	for i, part := range parts[1:] {
		if whole && i == len(parts)-2 {
			return strings.HasSuffix(path, part)
		}
		at := strings.Index(path, part)
		if at < 0 {
			return false
		}
		path = path[at+len(part):]
	}
	return !whole || path == ""
}
