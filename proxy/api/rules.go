package api

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/cssrules"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// Bounds on these pages: how many if the program names no number, and how many times the size of the largest page they
// may have together.
const (
	usualSamples = 10
	maxTogether  = 2
)

// rules serves GET /api/v1/template with as: selectors for programs that know nothing of winnow. It fetches the host's
// first page, or the one that url names, and pages that it links to.
func (a *api) rules(w http.ResponseWriter, r *http.Request) {
	d, err := a.rulesOf(r)
	if err != nil {
		problemOf(err).Write(w)
		return
	}
	if wantsJSON(r) {
		writeJSON(w, d)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, d.Text) // a client that left needs no answer
}

// wantsJSON reports whether a program asks for JSON rather than for the file.
func wantsJSON(r *http.Request) bool {
	for kind := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		if mediaType, _, err := mime.ParseMediaType(kind); err == nil && mediaType == "application/json" {
			return true
		}
	}
	return false
}

func (a *api) rulesOf(r *http.Request) (d cssrules.Document, err error) {
	q := r.URL.Query()
	var as cssrules.Format
	if err := as.UnmarshalText([]byte(q.Get("as"))); err != nil {
		return d, wrong("as", err.Error())
	}
	pages := usualSamples
	if q.Has("pages") {
		if pages, err = number("pages", q.Get("pages")); err != nil || pages < 1 || pages > cssrules.MaxSamples {
			return d, wrong("pages", fmt.Sprintf("pages %q: want a number from 1 to %d", q.Get("pages"), cssrules.MaxSamples))
		}
	}
	q.Del("as")
	q.Del("pages")
	ctx, cancel := context.WithTimeout(r.Context(), 3*a.Timeout)
	defer cancel()
	g := gatherer{a: a, left: maxTogether * a.Body, reading: as.ForReading()}
	err = onHost(q, func(q url.Values) error {
		v, err := a.fromQuery(q)
		if err == nil {
			if g.params = v; g.reading {
				g.params.Drop |= policy.Default().Keep &^ v.Keep
			}
			err = g.fetch(ctx, v.URL)
		}
		return err
	})
	if err != nil {
		return d, err
	}
	samples, err := g.samples(ctx, pages)
	if err != nil {
		return d, err
	}
	report, err := a.make(ctx, samples)
	if err != nil {
		return d, err
	}
	d = report.Document(as, g.found[0].at.Host, g.found[0].at.String())
	d.Left = g.failed
	return d, nil
}

// make makes rules, those of one request at a time, because it keeps a processor busy.
func (a *api) make(ctx context.Context, samples []cssrules.Sample) (*cssrules.Report, error) {
	select {
	case a.making <- struct{}{}:
		defer func() { <-a.making }()
		return cssrules.Make(ctx, samples)
	case <-ctx.Done():
		return nil, problem.Document{Status: http.StatusServiceUnavailable, Detail: "rules for other sites are being made; try again"}
	}
}

// gatherer fetches pages of one site.
type gatherer struct {
	a *api
	// params is what the program asks for, with the parameters of its request.
	params params
	found  []rawPage
	// reading says that what people act with is template, unless the program asks to keep it.
	reading bool
	// named is the host that the program names.
	named string
	// left is how many bytes of pages may still be kept.
	left int64
	// failed counts the pages that could not be fetched or judged.
	failed int
}

// rawPage is a page as its origin sent it, in UTF-8.
type rawPage struct {
	at   *url.URL
	html string
	// links are the addresses of pages of the same site that it links to, in its order.
	links []string
	// shared are the fields by which the origin says whether others may learn of it.
	shared http.Header
}

// fetch fetches one page. A redirect to another host, or to a page that was found already, adds none.
func (g *gatherer) fetch(ctx context.Context, address string) error {
	v := g.params
	u, err := url.Parse(address)
	if err != nil {
		return wrong("url", err.Error())
	}
	if len(g.found) == 0 {
		g.named = u.Host
	}
	v.Private = v.Private && u.Host == g.named // what pages of other hosts name was not asked for by the program
	v.URL, v.Mode = address, page.ModeOff
	found, err := g.a.clean(ctx, v)
	if err != nil {
		return err
	}
	at, err := url.Parse(found.URL)
	if err != nil {
		return fmt.Errorf("the address of the page: %w", err)
	}
	for i, one := range g.found {
		if i == 0 && one.at.Host != at.Host || one.at.String() == at.String() {
			return nil
		}
	}
	if kind, _, _ := mime.ParseMediaType(found.ContentType); kind != "text/html" && kind != "application/xhtml+xml" {
		return problem.Document{Status: http.StatusUnprocessableEntity, Detail: fmt.Sprintf("%s is %s, not a page", at, found.ContentType)}
	}
	if g.left -= int64(len(found.Body)); g.left < 0 {
		return problem.Document{Status: http.StatusRequestEntityTooLarge, Detail: "the pages of the site are too large"}
	}
	cost := page.Cost(found.Body)
	if !memoryOf(ctx).Take(cost) {
		return errMemory()
	}
	defer memoryOf(ctx).Give(cost)
	p, err := page.Parse(found.Body, found.ContentType)
	if err != nil {
		return fmt.Errorf("reading %s: %w", at, err)
	}
	text, err := p.Decode(p.Source)
	if err != nil {
		return fmt.Errorf("reading %s: %w", at, err)
	}
	g.found = append(g.found, rawPage{at, string(text), linksOf(p, at), found.shared})
	return nil
}

// samples fetches more pages until there are as many as asked for, learns all of them where the program permits it, and
// judges each with what the host has taught then.
func (g *gatherer) samples(ctx context.Context, pages int) (samples []cssrules.Sample, err error) {
	g.fetchMore(ctx, pages)
	if g.params.Learn {
		if err := g.learn(ctx); err != nil {
			return nil, err
		}
	}
	for _, raw := range g.found {
		tagged, err2 := g.tagged(ctx, raw, false)
		if err2 != nil {
			err = err2
			continue
		}
		if !memoryOf(ctx).Take(page.Cost(tagged.Body)) { // a tree is many times as large as its text
			err = errMemory()
			break
		}
		p, err2 := page.Parse(tagged.Body, tagged.ContentType)
		if err2 != nil {
			err = err2
			continue
		}
		samples = append(samples, cssrules.TaggedSample(p))
	}
	g.failed += len(g.found) - len(samples)
	if len(samples) == 0 {
		return nil, fmt.Errorf("no page of the site can be judged: %w", err)
	}
	return samples, nil
}

// fetchMore fetches pages that the pages link to until there are as many as asked for.
func (g *gatherer) fetchMore(ctx context.Context, pages int) {
	tried := map[string]bool{g.found[0].at.String(): true}
	for i := 0; i < len(g.found) && len(g.found) < pages; i++ {
		links := slices.DeleteFunc(g.found[i].links, func(link string) bool { return tried[link] })
		for _, next := range spread(links, pages-len(g.found)) {
			if tried[next] = true; ctx.Err() == nil && g.fetch(ctx, next) != nil {
				g.failed++
			}
		}
		if len(tried)-len(g.found) >= pages { // as many led nowhere as pages are wanted
			return
		}
	}
}

// learn has all pages learned, and waits for it, because learning is only queued.
func (g *gatherer) learn(ctx context.Context) error {
	for _, raw := range g.found {
		_, _ = g.tagged(ctx, raw, true) // what fails here fails again when it is judged
	}
	if g.a.Drain == nil {
		return nil
	}
	if err := g.a.Drain(ctx); err != nil {
		return fmt.Errorf("learning the pages of the site: %w", err)
	}
	return nil
}

// tagged returns a page with tags that say what is template.
func (g *gatherer) tagged(ctx context.Context, raw rawPage, learn bool) (answer, error) {
	v := g.params
	v.shared = raw.shared
	v.URL, v.HTML, v.Mode, v.Learn = raw.at.String(), raw.html, page.ModeTag, learn
	return g.a.clean(ctx, v)
}

// linksOf returns the addresses of pages of the same site that the page at an address links to, in its order.
func linksOf(p *page.Page, at *url.URL) (found []string) {
	for e := range p.Elements {
		if p.Elements[e].Tag != atom.A || len(found) >= maxLinks {
			continue
		}
		href, _ := p.Attr(page.ElementID(e), "href")
		u, err := at.Parse(strings.TrimSpace(href))
		if err != nil || u.Host != at.Host || u.Scheme != at.Scheme || !isPageName(u.Path) {
			continue
		}
		if u.Fragment = ""; len(u.String()) <= longestLink && !slices.Contains(found, u.String()) {
			found = append(found, u.String())
		}
	}
	return found
}

// maxLinks bounds the links of one page that are considered, longestLink their length.
const maxLinks, longestLink = 500, 2048

// isPageName reports whether an address may be that of a page, by its extension.
func isPageName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".pdf", ".jpg", ".jpeg", ".png", ".gif", ".svg", ".webp", ".zip", ".gz", ".tgz", ".xml", ".rss", ".atom", ".json", ".txt", ".css", ".js", ".mp3", ".mp4",
		".epub", ".doc", ".docx", ".xls", ".xlsx", ".exe", ".dmg", ".deb":
		return false
	}
	return true
}

// spread returns n of the links at equal distances, so that menus and content both lead somewhere.
func spread(links []string, n int) (some []string) {
	if len(links) <= n {
		return links
	}
	for i := range n {
		some = append(some, links[i*len(links)/n])
	}
	return some
}
