// Package site is winnow's page about one site: the parts of a page that stay and those that go, the menu that was
// removed, and people's lessons. The portal and the admin address serve it.
package site

import (
	"context"
	"embed"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/taught"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/ownpages"
	"github.com/winnow-proxy/winnow/proxy/parts"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/problem"
	"github.com/winnow-proxy/winnow/proxy/sites"
	"github.com/winnow-proxy/winnow/proxy/words"
)

// Lessons stores people's lessons. *cache.Models implements it. It must be safe for concurrent use.
type Lessons interface {
	Propose(ctx context.Context, host string, p *page.Page, m *page.Marking, e page.ElementID, v taught.Verdict, at time.Time) (taught.Lesson, error)
	Teach(ctx context.Context, host string, l taught.Lesson) error
	Revoke(ctx context.Context, host string, key uint64, at time.Time) error
	Lessons(ctx context.Context, host string) ([]taught.Lesson, error)
}

// Rules take the rules that an operator makes. *sites.Book implements it. It must be safe for concurrent use.
type Rules interface {
	// AddRule adds the rule that what a CSS selector matches on the pages of host always stays, or always goes.
	AddRule(host, selector string, stay bool) error
}

// Options configure the handler. Examine and Lessons are required.
type Options struct {
	// Examine fetches and judges the page at an address. It obeys the rules for what clients may reach.
	Examine func(ctx context.Context, who access.Identity, address, userAgent string) (*pipeline.Examined, error)
	Lessons Lessons
	// Rules takes what operators make of parts; nil leaves that out.
	Rules Rules
	// Choices makes the links for a visitor's choice of mode.
	Choices *sites.Choices
	// Logger takes the log; nil discards it.
	Logger *slog.Logger
	// Now tells the time; nil means time.Now.
	Now func() time.Time
}

// Visitor is the person who opens the page.
type Visitor struct {
	// Name identifies the visitor; without a name there is no page. Who is the visitor's identity in limits.
	Name string
	Who  access.Identity
	// Chooses says that the visitor may choose how to see a site.
	Chooses bool
	// Teacher says that the visitor may teach the models, for everybody who uses them.
	Teacher bool
	// Operator says that this visitor may make rules; the pages are at the admin address then.
	Operator bool
	// Refuses returns the time until which connections of a program of the visitor pass unopened to a host, because it
	// refuses the proxy's certificate. It is zero for none.
	Refuses func(host string) (until time.Time)
}

type visitorKey struct{}

// WithVisitor puts the visitor into ctx.
func WithVisitor(ctx context.Context, v Visitor) context.Context {
	return context.WithValue(ctx, visitorKey{}, v)
}

func visitorOf(ctx context.Context) Visitor {
	v, _ := ctx.Value(visitorKey{}).(Visitor)
	return v
}

//go:embed site.html sheet.html
var assets embed.FS

type handler struct {
	Options
	page, sheetPage *ownpages.Page
	tokens          *ownpages.Tokens
}

// New returns the handler of /site/. It authorizes by WithVisitor and, what changes something, by a token for the
// visitor and the change. Over plain HTTP nothing else shows where a form comes from: browsers send no Sec-Fetch-Site
// there, and an Origin of "null" from pages without a referrer.
func New(o Options) (http.Handler, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	t, err := ownpages.Parse(assets, "site.html", words.All())
	if err != nil {
		return nil, err
	}
	s, err := ownpages.Parse(assets, "sheet.html", words.All())
	if err != nil {
		return nil, err
	}
	h := &handler{Options: o, page: t, sheetPage: s, tokens: ownpages.NewTokens(o.Now)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /site/{$}", h.find)
	mux.HandleFunc("GET /site/{host}", h.show)
	mux.HandleFunc("GET /site/{host}/sheet", h.sheet)
	mux.HandleFunc("GET /site/{host}/before", h.before)
	mux.HandleFunc("GET /site/{host}/after", h.after)
	mux.HandleFunc("POST /site/{host}/teach", h.teach)
	mux.HandleFunc("POST /site/{host}/revoke", h.revoke)
	if o.Rules != nil {
		mux.HandleFunc("POST /site/{host}/rule", h.rule)
	}
	return mux, nil
}

// shownPart is a part with the form for the opposite lesson.
type shownPart struct {
	parts.Part
	Lesson, Token, Scope string
	// Selector is that of the rule that an operator may make of the part, empty where there is none; it matches so many
	// elements of the page.
	Selector, RuleToken string
	Matches             int
	// Why is what the verdict rests on, as messages; empty where that is not known.
	Why []string
	// Data is the page that the part is on.
	Data *data
}

// KindKey is the message that names the part's kind.
func (p shownPart) KindKey() string {
	if key := "kind." + p.Kind; words.All()[0].Has(key) {
		return key
	}
	return "kind.other"
}

// RuleVerdict is what becomes of the part by the rule.
func (p shownPart) RuleVerdict() string { return verdictWord(p.Gone) }

// data is the content of the page. Saved and the labels of choices are messages.
type data struct {
	Host, Address, Failed, Passes, Saved string
	Teacher, Operator                    bool
	Lessons                              []shownLesson
	Stays, Goes                          []shownPart
	Choices                              []shownChoice
	// Frames is the token of the two frames, empty where there are none.
	Frames string
	Menu   []parts.Link
	Share  float64
	Looked bool
	// Refused is the time until which connections of a program of the visitor pass unopened, zero for none.
	Refused time.Time
}

// shownChoice is a link by which a visitor chooses a mode for the site.
type shownChoice struct{ Label, Link string }

// The messages of the choices that the sheet offers too.
const (
	originalOnce = "site.original.once"
	readerOnce   = "site.reader.once"
)

// choices returns the links of a visitor for the page at an address.
func (h *handler) choices(v Visitor, address string) []shownChoice {
	u, err := url.Parse(address)
	if !v.Chooses || err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	if u.Host, err = hostname.SiteOf(u); err != nil {
		return nil
	}
	u.User = nil
	link := func(ch sites.Choice) string { return h.Choices.Link(v.Name, u, ch) }
	return []shownChoice{
		{originalOnce, link(sites.Choice{Mode: page.ModeOff, Once: true})},
		{readerOnce, link(sites.Choice{Mode: page.ModeReader, Once: true})},
		{"site.original", link(sites.Choice{Mode: page.ModeOff})},
		{"site.reader", link(sites.Choice{Mode: page.ModeReader})},
		{"site.clean", link(sites.Choice{Cleaned: true})},
	}
}

type shownLesson struct {
	taught.Lesson
	Token string
}

// find redirects from a typed address to the page about its site.
func (h *handler) find(w http.ResponseWriter, r *http.Request) {
	u, err := url.Parse(r.URL.Query().Get("page"))
	if err != nil || u.Host == "" {
		problem.Write(w, http.StatusBadRequest, "parameter page: want an address that begins with http:// or https://")
		return
	}
	host, err := hostname.SiteOf(u)
	if err != nil {
		problem.Write(w, http.StatusBadRequest, "parameter page: "+err.Error())
		return
	}
	http.Redirect(w, r, "/site/"+host+"?page="+url.QueryEscape(u.String()), http.StatusSeeOther)
}

// host returns the site in the path, or answers with an error.
func (h *handler) host(w http.ResponseWriter, r *http.Request) (host string, v Visitor, ok bool) {
	if v = visitorOf(r.Context()); v.Name == "" {
		problem.Write(w, http.StatusForbidden, "open this page through the proxy, at http://"+hostname.Portal+"/site/")
		return "", v, false
	}
	host, err := hostname.Site(r.PathValue("host"))
	if err != nil {
		problem.Write(w, http.StatusNotFound, err.Error())
		return "", v, false
	}
	return host, v, true
}

// show serves the page about a site, with the parts of the page in the query.
func (h *handler) show(w http.ResponseWriter, r *http.Request) {
	host, v, ok := h.host(w, r)
	if !ok {
		return
	}
	if !opened(r.Header) {
		problem.Write(w, http.StatusForbidden, "open this page as a page")
		return
	}
	d := data{Host: host, Address: r.URL.Query().Get("page"), Teacher: v.Teacher, Operator: v.Operator}
	if done := "done." + r.URL.Query().Get("done"); words.All()[0].Has(done) {
		d.Saved = done
	}
	if d.Address == "" {
		d.Address = "https://" + host + "/"
	} else if err := h.look(r, v, &d); err != nil {
		d.Failed = err.Error()
		h.Logger.InfoContext(r.Context(), "a page could not be examined", "host", host, "error", err)
	}
	d.Choices = h.choices(v, d.Address)
	if v.Refuses != nil {
		d.Refused = v.Refuses(hostname.WithoutPort(host))
	}
	if v.Teacher {
		lessons, err := h.Lessons.Lessons(r.Context(), host)
		if err != nil {
			h.Logger.ErrorContext(r.Context(), "list lessons", "host", host, "error", err)
		}
		for _, l := range lessons {
			d.Lessons = append(d.Lessons, shownLesson{l, h.tokens.For(v.Name, "revoke", host, l.ID())})
		}
	}
	status := http.StatusOK
	if d.Failed != "" {
		status = http.StatusUnprocessableEntity
	}
	if err := ownpages.Write(w, r, status, h.page, d, "; frame-src 'self'"); err != nil {
		h.Logger.ErrorContext(r.Context(), "page about a site", "error", err)
		problem.Write(w, http.StatusInternalServerError, "the page could not be made")
	}
}

// opened reports whether a browser opens a page as such, so that no image or script of another page sets off a look.
// Over plain HTTP browsers don't say what a request is for, but what they accept: frames can't be told from pages
// there.
func opened(h http.Header) bool {
	dest := h.Get("Sec-Fetch-Dest")
	browser := strings.HasPrefix(h.Get("User-Agent"), "Mozilla/")
	return dest == "document" || dest == "" && (!browser || strings.Contains(h.Get("Accept"), "text/html"))
}

// context returns the context of a request to the page at an address. It may reach private addresses only if the
// visitor named the address: without that, any page could send its reader here with one. A program and a browser that
// says so name what they ask for, and sign shows that winnow's line on that page led here.
func (h *handler) context(r *http.Request, v Visitor, address, sign string) context.Context {
	site := r.Header.Get("Sec-Fetch-Site")
	program := site == "" && !strings.HasPrefix(r.UserAgent(), "Mozilla/")
	if program || site == "none" || site == "same-origin" || h.Choices != nil && h.Choices.HasShown(v.Name, address, sign) {
		return dial.Named(r.Context())
	}
	return r.Context()
}

// look fills in the parts of the page at d.Address.
func (h *handler) look(r *http.Request, v Visitor, d *data) error {
	ctx := h.context(r, v, d.Address, r.URL.Query().Get("shown"))
	ex, err := h.Examine(pipeline.WithEvidence(ctx, v.Operator), v.Who, d.Address, r.UserAgent())
	if err != nil {
		return err
	}
	defer ex.Close()
	if ex.Host != d.Host {
		return fmt.Errorf("the page belongs to another site: %s", ex.Host)
	}
	d.Looked, d.Passes = true, ex.Marking.Pass
	if d.Passes == "" {
		d.Frames = h.tokens.For(v.Name, frameFor(ctx), d.Host, d.Address)
	}
	d.Menu = parts.Menu(ex.Page, ex.Marking, ex.URL)
	var selectors override.Matcher
	ruled := h.Rules != nil && v.Operator
	if ruled {
		selectors = override.NewMatcher(ex.Page)
	}
	for _, part := range parts.Of(ex.Page, ex.Marking) {
		shown := shownPart{Part: part, Data: d}
		if v.Teacher && ex.Marking.Pass == "" {
			h.propose(r, v, ex, &shown)
		}
		shown.Why = parts.Why(ex.Page, ex.Evidence, &part)
		if ruled {
			h.proposeRule(v, ex, selectors, &shown)
		}
		if part.Gone {
			d.Share += part.Share
			d.Goes = append(d.Goes, shown)
		} else {
			d.Stays = append(d.Stays, shown)
		}
	}
	return nil
}

// propose fills in the form for the lesson that contradicts the verdict on a part.
func (h *handler) propose(r *http.Request, v Visitor, ex *pipeline.Examined, part *shownPart) {
	verdict := taught.Noise
	if part.Gone {
		verdict = taught.Content
	}
	l, err := h.Lessons.Propose(r.Context(), ex.Host, ex.Page, ex.Marking, part.Element, verdict, h.Now())
	if err != nil {
		return // nothing can be taught about it, so there is no form
	}
	b, err := l.MarshalBinary()
	if err != nil {
		return
	}
	part.Lesson, part.Scope = hex.EncodeToString(b), l.Scope()
	part.Token = h.tokens.For(v.Name, "teach", ex.Host, part.Lesson)
}

// proposeRule fills in the form that makes a rule of the opposite.
func (h *handler) proposeRule(v Visitor, ex *pipeline.Examined, selectors override.Matcher, part *shownPart) {
	selector := parts.Selector(ex.Page, part.Element)
	n, err := selectors.Count(selector)
	if err != nil || n == 0 {
		return
	}
	part.Selector, part.Matches = selector, n
	part.RuleToken = h.tokens.For(v.Name, "rule", ex.Host, selector, verdictWord(part.Gone))
}

// verdictWord is what becomes of parts by a rule, in a form.
func verdictWord(stay bool) string {
	if stay {
		return "stay"
	}
	return "go"
}

// maxForm bounds the body of a form.
const maxForm = 16 << 10
