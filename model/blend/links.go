package blend

import (
	"path"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
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
type address struct{ host, path string }

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
	return address{strings.TrimPrefix(strings.ToLower(host), "www."), p}
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
		if t := parseAddress(target); t.host == a.host {
			return linkPage, t.path
		}
		return linkPage, ""
	case target[0] == '/':
		return linkPage, target
	case target[0] == '?':
		own, _, _ := strings.Cut(a.path, "?")
		return linkPage, own + target
	}
	return linkPage, path.Join("/", a.directory(), target)
}

// directory is the path up to its last slash.
func (a address) directory() string {
	own, _, _ := strings.Cut(a.path, "?")
	return own[:strings.LastIndexByte(own, '/')+1]
}

// linkMeasures are what follows from the target of a link on the pages of a host, or of a directory of it.
type linkMeasures struct {
	// link is the hash of the target as it is, path that of the path on this host that it leads to, or 0.
	link, path uint64
	kind       linkKind
	// sharer says that the link shares the page on a social network.
	sharer bool
}

// keptLinks is the most links whose measures are kept, in about 1 MB.
const keptLinks = 1 << 15

// linkReader measures the links of a page.
type linkReader struct {
	*measurer
	at address
	// onHost and inDirectory are the salts of links that lead to the same place from every page of the host, or of the
	// page's directory.
	onHost, inDirectory uint64
}

func (m *measurer) linksOf(at address) linkReader {
	return linkReader{m, at, m.salt ^ m.hash.String(at.host), m.salt ^ m.hash.String(at.host+at.directory())}
}

// link returns the measures of a link to href.
func (r *linkReader) link(href string) linkMeasures {
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

func (r *linkReader) newLink(href string) linkMeasures {
	got := linkMeasures{link: r.hash.String(href), sharer: isSharer(strings.ToLower(href))}
	var path string
	if got.kind, path = r.at.resolve(href); path != "" {
		got.path = r.hash.String(path)
	}
	return got
}

// titleParts returns the parts of a title in lower case, because sites put their name before or after the page's title.
func titleParts(title string) (parts []string) {
	title = strings.Join(strings.Fields(strings.ToLower(title)), " ")
	for _, bar := range [...]string{"|", "»", "«", "·", "•", "–", "—", "::", "→"} {
		title = strings.ReplaceAll(title, " "+bar+" ", " - ")
	}
	for part := range strings.SplitSeq(title, " - ") {
		if countWords(part) >= 2 {
			parts = append(parts, part)
		}
	}
	return parts
}

// learnAddress records the address and the title of the page, so that links to it are recognised as teasers.
func (l *learner) learnAddress(v *view) {
	own := uint64(0)
	if v.at.path != "" {
		own = v.hash.String(v.at.path)
		l.sight(mix(own, saltVisited))
	}
	names := titleParts(v.title.text)
	if v.titleBlock != page.None {
		names = append(names, v.texts[v.titleBlock].folded)
	}
	for _, name := range names {
		title := v.hash.String(name)
		l.sight(mix(title, saltTitle))
		if own != 0 {
			l.sight(mix(mix(own, title), saltTeaser))
		}
	}
}

// findTitle finds the block that shows the page's title: the one that shares most words with it, headings before
// others.
func (v *view) findTitle() {
	v.titleBlock = page.None
	best := float32(0)
	for i := range v.blocks {
		b := &v.blocks[i]
		if b.inTitle < .6 || b.words < 2 || b.words > 40 {
			continue
		}
		points := b.inTitle * float32(min(b.words, 12))
		if level := v.headingLevel(page.BlockID(i)); level > 0 && level < weakHeading {
			points *= 3 - float32(level)/6
		}
		if b.linkChars*2 > b.chars {
			points /= 2
		}
		if points > best {
			best, v.titleBlock = points, page.BlockID(i)
		}
	}
}
