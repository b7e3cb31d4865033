package view

import (
	"path"
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page/facts"
)

// linkKind is the kind of a link's target.
type linkKind uint8

const (
	linkNone   linkKind = iota
	linkInside          // to a place on the same page
	linkPage            // to another page
	linkOther           // to a script, an address for mail or telephone
)

// address is where a page is: its host and its path with the query.
type address struct {
	host, Path string
	// alias is the host that the page says it is on.
	alias string
}

// parseAddress splits an absolute URL. It does not check it: the parts are hashed and compared, never fetched.
func parseAddress(url string) address {
	_, rest, ok := strings.Cut(url, "//")
	if !ok {
		return address{}
	}
	rest, _, _ = strings.Cut(rest, "#")
	host, p := rest, "/"
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		host, p = rest[:i], rest[i:]
	}
	return address{host: strings.TrimPrefix(strings.ToLower(host), "www."), Path: p}
}

// resolve returns what kind of link href is on the page at a, and the path that it leads to on the same host, empty for
// other hosts.
func (a address) resolve(href string) (linkKind, string) {
	href = strings.TrimSpace(href)
	target, _, _ := strings.Cut(href, "#")
	scheme, _, hasScheme := strings.Cut(target, ":")
	hasScheme = hasScheme && !strings.ContainsAny(scheme, "/?.")
	switch {
	case target == "":
		return linkInside, ""
	case hasScheme && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		return linkOther, ""
	case hasScheme || strings.HasPrefix(target, "//"):
		if t := parseAddress(target); t.host == a.host || t.host != "" && t.host == a.alias {
			return linkPage, t.Path
		}
		return linkPage, ""
	case target[0] == '/':
		return linkPage, target
	case target[0] == '?':
		own, _, _ := strings.Cut(a.Path, "?")
		return linkPage, own + target
	}
	return linkPage, path.Join("/", a.directory(), target)
}

// directory is the path up to its last slash.
func (a address) directory() string {
	own, _, _ := strings.Cut(a.Path, "?")
	return own[:strings.LastIndexByte(own, '/')+1]
}

// LinkMeasures are what follows from the target of a link on the pages of a host, or of a directory of it.
type LinkMeasures struct {
	// link is the hash of the target as it is, path that of the path on this host that it leads to, or 0.
	link, path uint64
	kind       linkKind
	// pattern is the hash of the pattern of that path, or 0.
	pattern uint64
	// Shares says that the link shares the page on a social network, Profile that it leads to the profile of a member.
	Shares, Profile bool
}

// keptLinks is the most links whose measures are kept, in about 1 MB.
const keptLinks = 1 << 15

// linkReader measures the links of a page.
type linkReader struct {
	*Measurer
	at address
	// onHost and inDirectory are the salts of links that lead to the same place from every page of the host, or of the
	// page's directory.
	onHost, inDirectory uint64
}

func (m *Measurer) linksOf(at address) linkReader {
	hosts := at.host + " " + at.alias
	return linkReader{m, at, m.salt ^ m.hash.String(hosts), m.salt ^ m.hash.String(hosts+at.directory())}
}

// link returns the measures of a link to href.
func (r *linkReader) link(href string) LinkMeasures {
	salt := r.inDirectory
	switch {
	case strings.HasPrefix(strings.TrimSpace(href), "?"):
		return r.newLink(href) // which leads to another page from every page
	case strings.HasPrefix(href, "/") || strings.HasPrefix(href, "http:") || strings.HasPrefix(href, "https:"):
		salt = r.onHost
	}
	key := r.links.Key(href, salt)
	got, ok := r.links.Get(key)
	if !ok {
		got = r.newLink(href)
		r.links.Put(key, got)
	}
	return got
}

func (r *linkReader) newLink(href string) LinkMeasures {
	lower := strings.ToLower(href)
	got := LinkMeasures{link: r.hash.String(href), Shares: vocab.IsShareLink(lower), Profile: facts.LeadsToProfile(lower)}
	var path string
	if got.kind, path = r.at.resolve(href); path != "" {
		got.path, got.pattern = r.hash.String(path), r.hash.String(pattern(path))
	}
	return got
}
