package facts

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// Names is what the class, id and property of an element say about it.
type Names struct {
	// related says that it is a part with other things or with readers' comments, ingredients that it is a list of these.
	related, ingredients bool
	// writer says that it is the name of somebody who writes, name that it is a name, which in a forum is the same.
	writer, name bool
}

// IsWriter reports whether they are those of the name of somebody who writes.
func (n Names) IsWriter() bool { return n.writer }

// NamesOf reads the names of an element. They are the same on all pages of a template.
func NamesOf(p *page.Page, e page.ElementID) (n Names) {
	for _, a := range p.Attrs(e) {
		switch a.Key {
		case "itemprop":
			n.writer = n.writer || a.Val == "author" || a.Val == "creator"
		case "class":
			val := strings.ToLower(a.Val)
			n.addPart(val)
			n.addPerson(val)
		case "id":
			n.addPart(strings.ToLower(a.Val))
		}
	}
	return n
}

// addPart adds what a class or id in lower case says about a part of a page.
func (n *Names) addPart(val string) {
	n.related = n.related || containsAny(val, "related", "recommend", "upsell", "up-sell", "cross-sell", "crosssell", "also-bought", "also-like", "alsolike",
		"recently-viewed", "recentlyviewed", "minicart", "mini-cart")
	n.ingredients = n.ingredients || containsAny(val, "ingredi", "ingrédi", "zutaten", "skladnik", "sastojc", "malzeme", "ainesosa", "hozzaval", "surovin")
	for part := range strings.FieldsSeq(val) {
		switch part {
		case "comments", "comment-list", "commentlist", "comment", "similar", "similar-products", "reviews":
			n.related = true
		}
	}
}

// addPerson adds what a class in lower case says about a person.
func (n *Names) addPerson(class string) {
	for name := range strings.FieldsSeq(class) {
		n.writer = n.writer || isWriterName(strings.ReplaceAll(name, "_", "-"))
		n.name = n.name || name == "name"
	}
}

// isWriterName reports whether forum programs give a class, in lower case and with hyphens, to the name of an author.
func isWriterName(class string) bool {
	switch class {
	case "author", "poster", "names", "creator", "pseudo", "nick", "authi", "authorwrap", "fn", "userlink", "user-link", "user-details", "postuser", "post-user", "largetext":
		return true
	}
	return containsAny(class, "username", "user-name", "authorname", "author-name", "pane-author", "comment-author", "post-author", "postauthor", "message-author",
		"message-name", "postername", "poster-name", "membername", "member-name", "nickname", "screenname", "display-name", "displayname", "usertext")
}

// LeadsToProfile reports whether an address, in lower case, is that of a member of a forum.
func LeadsToProfile(href string) bool {
	return containsAny(href, "/profile/", "/profiles/", "/u/", "/user/", "/users/", "/members/", "/member/", "member.php", "viewprofile", "action=profile",
		"mode=viewprofile", "space-uid", "mod=space", "profile.php", "userinfo.php", "user.php", "userid=", "/profil", "/perfil", "/usuario", "/membre", "/mitglied",
		"/user-", "/people/", "showuser=", "/author/")
}

func containsAny(s string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
