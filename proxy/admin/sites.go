package admin

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// Configured is the configuration of a site, which the site's settings override.
type Configured struct {
	Mode page.Mode
	// Bypass says that the configuration bypasses the site. Settings can't change that.
	Bypass bool
	Policy policy.Policy
	// Pattern is the host pattern of Rules in the configuration, empty if there are none.
	Pattern string
	Rules   override.Site
}

// choiceOf is an entry of a list to choose from.
type choiceOf struct {
	Value, Label string
	Chosen       bool
}

// settingsForm is what the form of a site's settings shows.
type settingsForm struct {
	Token, Failed, Done  string
	Modes                []choiceOf
	Bypass               bool
	Kinds                []kindChoice
	KindsSet             int
	Keep, Remove, Ignore string
	Rules                int
	IsSet                bool
	// Last is the last change, nil if nothing can be undone.
	Last       *sites.Record
	Configured Configured
}

// kindChoice is a kind of parts with what becomes of it.
type kindChoice struct {
	Name, Words, Default string
	Choices              []choiceOf
}

// modeChoices lists the modes that make sense for a browser.
func modeChoices(configured page.Mode, set *page.Mode) []choiceOf {
	list := []choiceOf{{"", "As everywhere: " + configured.String(), set == nil}}
	for _, m := range []struct {
		mode  page.Mode
		words string
	}{
		{page.ModeAuto, "auto: cut what nothing misses, hide the rest"}, {page.ModeHide, "hide: keep all in the page, out of sight"},
		{page.ModeRemove, "remove: cut it out"}, {page.ModeReader, "reader: a plain page to read"}, {page.ModeLite, "lite: the reader for small devices"},
		{page.ModeVintage, "vintage: a page for old browsers"},
		{page.ModeTag, "tag: label what would go"}, {page.ModeOff, "off: the original"},
	} {
		list = append(list, choiceOf{m.mode.String(), m.words, set != nil && *set == m.mode})
	}
	if set != nil && !slices.ContainsFunc(list, func(c choiceOf) bool { return c.Chosen }) { // text, Markdown and JSON, by the API
		list = append(list, choiceOf{set.String(), set.String(), true})
	}
	return list
}

// kindWords are the kinds of parts in the order of the form, in words for people.
func kindWords() [][2]string {
	return [][2]string{
		{"nav", "Menus"}, {"header", "Page headers"}, {"footer", "Page footers"}, {"sidebar", "Sidebars"}, {"toc", "Tables of contents"},
		{"pagination", "Links to further pages"}, {"search", "Search fields"}, {"action", "Forms and buttons"}, {"related", "Related links"},
		{"comments", "Readers’ comments"}, {"comments-form", "Forms to comment"}, {"share", "Share buttons"}, {"ad", "Adverts"},
		{"cookie", "Cookie notices"}, {"legal", "Legal notes"}, {"byline", "Bylines"}, {"date", "Dates"}, {"caption", "Captions"},
		{"grid", "Grids of teasers"}, {"other", "Anything else"},
	}
}

// settingsFormOf fills in the form for the settings of a host.
func (a *admin) settingsFormOf(host string, s sites.Settings) *settingsForm {
	f := &settingsForm{Token: a.tokens.For(operator, "settings", host), Bypass: s.Bypass, Keep: strings.Join(s.Keep, "\n"),
		Remove: strings.Join(s.Remove, "\n"), Ignore: strings.Join(s.Ignore, "\n"), Rules: len(s.Keep) + len(s.Remove) + len(s.Ignore), IsSet: !s.IsZero()}
	if a.Configured != nil {
		f.Configured = a.Configured(host)
	}
	if record := a.Sites.Get(host); len(record.Before) > 0 {
		f.Last = &record
	}
	f.Modes = modeChoices(f.Configured.Mode, s.Mode)
	for _, words := range kindWords() {
		var kind page.KindSet
		if err := kind.UnmarshalText([]byte(words[0])); err != nil {
			panic(err) // the names are ours
		}
		k := kindChoice{Name: words[0], Words: words[1], Default: "as judged"}
		switch {
		case f.Configured.Policy.Keep&kind != 0:
			k.Default = "stays"
		case f.Configured.Policy.Drop&kind != 0:
			k.Default = "goes"
		}
		keep, drop := s.KeepKinds&kind != 0, s.DropKinds&kind != 0
		if keep || drop {
			f.KindsSet++
		}
		k.Choices = []choiceOf{{"", "Default: " + k.Default, !keep && !drop}, {"keep", "Stays", keep}, {"drop", "Goes", drop}}
		f.Kinds = append(f.Kinds, k)
	}
	return f
}

// readSettings reads the form. The error says what is wrong with it.
func readSettings(r *http.Request) (s sites.Settings, err error) {
	if name := r.PostFormValue("mode"); name != "" {
		s.Mode = new(page.Mode)
		err = s.Mode.UnmarshalText([]byte(name))
	}
	s.Bypass = r.PostFormValue("bypass") != ""
	for _, words := range kindWords() {
		var kind page.KindSet
		err = errors.Join(err, kind.UnmarshalText([]byte(words[0])))
		switch value := r.PostFormValue("kind-" + words[0]); value {
		case "keep":
			s.KeepKinds |= kind
		case "drop":
			s.DropKinds |= kind
		case "":
		default:
			err = errors.Join(err, fmt.Errorf("%s: %.20q: want keep, drop or nothing", words[0], value))
		}
	}
	lines := func(field string) []string {
		return strings.FieldsFunc(r.PostFormValue(field), func(c rune) bool { return c == '\n' || c == '\r' })
	}
	s.Keep, s.Remove, s.Ignore = lines("keep"), lines("remove"), lines("ignore")
	return s, err
}

// maxSettings bounds the body of the form of a site's settings, and of settings in JSON.
const maxSettings = 1 << 20

// settingsByForm changes the settings of a site for the form on its page.
func (a *admin) settingsByForm(w http.ResponseWriter, r *http.Request) {
	host, ok := a.site(w, r)
	if !ok {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxSettings)
	if !a.tokens.Check(r.PostFormValue("token"), operator, "settings", host) {
		fail(w, http.StatusForbidden, "this form is too old, or not from this page: open the page again")
		return
	}
	var s sites.Settings
	var err error
	done := r.PostFormValue("do")
	switch done {
	case "undo":
		err = a.Sites.Undo(host)
	case "reset":
		err = a.Sites.Set(host, s)
	case "save":
		if s, err = readSettings(r); err == nil {
			err = a.Sites.Set(host, s)
		}
	default:
		fail(w, http.StatusBadRequest, "field do: want save, undo or reset")
		return
	}
	if err != nil {
		a.Logger.InfoContext(r.Context(), "settings refused", "host", host, "error", err)
		a.showHost(w, r, host, s, err)
		return
	}
	a.Logger.InfoContext(r.Context(), "settings changed", "host", host, "how", done)
	http.Redirect(w, r, "/hosts/"+host+"?done="+done+"#settings", http.StatusSeeOther)
}

// openSite redirects from a typed host name to the host's page.
func (*admin) openSite(w http.ResponseWriter, r *http.Request) {
	typed := strings.TrimSpace(r.URL.Query().Get("host"))
	if _, rest, ok := strings.Cut(typed, "://"); ok { // an address that was pasted
		typed, _, _ = strings.Cut(rest, "/")
	}
	host, err := hostname.Site(typed)
	if err != nil {
		fail(w, http.StatusBadRequest, "parameter host: "+err.Error())
		return
	}
	http.Redirect(w, r, "/hosts/"+host, http.StatusSeeOther)
}

// site returns the host in the path, or answers that it is not valid.
func (*admin) site(w http.ResponseWriter, r *http.Request) (string, bool) {
	host, err := hostname.Site(r.PathValue("host"))
	if err != nil {
		fail(w, http.StatusNotFound, err.Error())
		return "", false
	}
	return host, true
}

// setSite is a site with settings, in words.
type setSite struct{ Host, Words string }

// setSites lists the sites that have settings.
func (a *admin) setSites() (list []setSite) {
	for host, record := range a.Sites.All() {
		if !record.IsZero() {
			list = append(list, setSite{host, record.String()})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Host < list[j].Host })
	return list
}
