package view

import (
	"path"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// A page stands among pages of its own kind: an article beside articles, a product beside products. Links to these are
// mostly no part of it ("related products", "other threads"), while a listing consists of links to pages of another
// kind. Addresses tell the kind: those of one kind have one pattern.

// Likeness says whether a link leads to a page of the page's own kind.
type Likeness int8

// The values are those of the feature.
const (
	NoLink    Likeness = iota - 2 // to no page
	OtherHost                     // to another host
	OtherKind                     // to a page of another kind on this host
	OwnKind                       // to a page of the page's own kind
)

// Likes counts blocks: all, those that begin with a link to a page of this host, of these those that lead to one of the
// page's own kind, and those with an amount of money.
type Likes struct{ Blocks, Linked, Own, Money int32 }

func (l *Likes) addBlock(b *Block) {
	l.Blocks++
	if b.Like >= OtherKind {
		l.Linked++
	}
	if b.Like == OwnKind {
		l.Own++
	}
	if b.Shape&ShapeMoney != 0 {
		l.Money++
	}
}

func (l *Likes) add(o Likes) {
	l.Blocks, l.Linked, l.Own, l.Money = l.Blocks+o.Blocks, l.Linked+o.Linked, l.Own+o.Own, l.Money+o.Money
}

// OwnShare is the share of the linked blocks whose links lead to pages of the page's own kind, or -1 without any.
func (l *Likes) OwnShare() float32 {
	if l.Linked == 0 {
		return -1
	}
	return Ratio(l.Own, l.Linked)
}

// MoneyShare is the share of the blocks with an amount of money.
func (l *Likes) MoneyShare() float32 { return Ratio(l.Money, l.Blocks) }

// countLikes sums up the links by element, list and section.
func (v *Page) countLikes() {
	for i := range v.Blocks {
		b := &v.Blocks[i]
		v.Elements[v.Doc.Blocks[i].Element].Likes.addBlock(b)
		if s := v.SectionOf[i]; s >= 0 {
			v.Sections[s].Likes.addBlock(b)
		}
	}
	for e := len(v.Elements) - 1; e > 0; e-- {
		v.Elements[v.Doc.Elements[e].Parent].Likes.add(v.Elements[e].Likes)
	}
	for e, l := range v.Listed {
		if l >= 0 {
			v.Lists[l].Likes.add(v.Elements[e].Likes)
		}
	}
}

// likenessOf compares the target of a link with the page.
func (v *Page) likenessOf(l *LinkMeasures) Likeness {
	switch {
	case l.kind != linkPage:
		return NoLink
	case l.pattern == 0:
		return OtherHost
	case l.pattern == v.pattern:
		return OwnKind
	}
	return OtherKind
}

// pattern returns what the addresses of pages of one kind have in common: the folders of the path without numbers and
// titles, the extension, and of a script its name and the first field of its query.
func pattern(address string) string {
	p, query, isScript := strings.Cut(address, "?")
	isFolder := strings.HasSuffix(p, "/")
	var b strings.Builder
	b.Grow(len(address) + 1)
	for rest := strings.Trim(p, "/"); rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		rest = strings.TrimLeft(rest, "/")
		b.WriteByte('/')
		switch ext := path.Ext(part); {
		case rest != "":
			b.WriteString(folderPattern(part))
		case isScript && !isFolder:
			b.WriteString(part)
		case len(ext) > 1 && len(ext) <= maxExtension && !strings.ContainsAny(ext, "0123456789"):
			b.WriteByte('*')
			b.WriteString(ext)
		default:
			b.WriteByte('*')
		}
	}
	if isFolder {
		b.WriteByte('/')
	}
	if isScript {
		b.WriteByte('?')
		b.WriteString(fieldPattern(query))
	}
	return b.String()
}

const (
	// maxExtension is the most characters of the extension of a file, maxFolder those of a folder that is no title.
	maxExtension = 6
	maxFolder    = 24
)

// folderPattern returns a part of a path as it is, or a mark where it is a number or a title.
func folderPattern(part string) string {
	switch {
	case strings.ContainsAny(part, "0123456789"):
		return "#"
	case len(part) > maxFolder || strings.Count(part, "-")+strings.Count(part, "_") >= 2:
		return "*"
	}
	return part
}

// fieldPattern returns the name of the first field of a query. If it is one that chooses what the script does, its
// value is part of the pattern.
func fieldPattern(query string) string {
	field, _, _ := strings.Cut(query, "&")
	name, value, _ := strings.Cut(field, "=")
	switch name {
	case "action", "route", "page", "mod", "act", "do", "option", "view", "task", "cmd":
		if folderPattern(value) == value {
			return field
		}
	}
	return name
}

// ownHost is the host that a page says it is on, without www, or empty. A page that is read behind another name, such
// as a mirror or a saved one, links to its own host by the name that it knows.
func ownHost(p *page.Page) string {
	best, most := "", 0
	for i := range p.Elements {
		e := page.ElementID(i)
		if p.Body != page.None && e >= p.Body {
			break
		}
		if url, trust := hostHint(p, e); trust > most {
			if at := parseAddress(url); at.host != "" {
				best, most = at.host, trust
			}
		}
	}
	return best
}

// hostHint returns a URL on the page's own host that an element of its head names, and how much it can be trusted.
func hostHint(p *page.Page, e page.ElementID) (url string, trust int) {
	attr := func(name string) string {
		value, _ := p.Attr(e, name)
		return value
	}
	switch p.Elements[e].Tag {
	case atom.Base:
		return attr("href"), 3
	case atom.Meta:
		if attr("property") == "og:url" || attr("name") == "og:url" {
			return attr("content"), 3
		}
	case atom.Link:
		switch rel := strings.ToLower(attr("rel")); rel {
		case "canonical":
			return attr("href"), 4
		case "home", "index", "start", "top", "contents", "shortlink", "pingback", "edituri":
			return attr("href"), 2
		case "alternate":
			if strings.Contains(attr("type"), "xml") { // a feed
				return attr("href"), 1
			}
		}
	}
	return "", 0
}
