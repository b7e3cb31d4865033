package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// siteTemplate is everything of a page but its content. A program needs it once a site.
type siteTemplate struct {
	Host string `json:"host"`
	URL  string `json:"url"`
	// Pages is the number of the host's pages on which the judgement rests.
	Pages int               `json:"pages"`
	Parts []jsondoc.Removed `json:"parts"`
}

// pageLinks are the links of a page, in its content and around it.
type pageLinks struct {
	URL      string         `json:"url"`
	Content  []jsondoc.Link `json:"content"`
	Template []kindLinks    `json:"template"`
}

type kindLinks struct {
	Kind  string         `json:"kind"`
	Links []jsondoc.Link `json:"links"`
}

// template serves GET /api/v1/template for the host's first page (host) or for a page (url). It fetches the page,
// because models contain no text.
func (a *api) template(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("as") {
		a.rules(w, r)
		return
	}
	d, at, err := a.templateOf(r)
	if err != nil {
		problemOf(err).Write(w)
		return
	}
	u, err := url.Parse(at)
	if err != nil {
		problemOf(err).Write(w)
		return
	}
	writeJSON(w, siteTemplate{Host: u.Host, URL: at, Pages: d.Pages, Parts: d.Template})
}

// templateOf returns the page whose template is asked for.
func (a *api) templateOf(r *http.Request) (d jsondoc.Document, at string, err error) {
	err = onHost(r.URL.Query(), func(q url.Values) error {
		d, at, err = a.document(r, q)
		return err
	})
	return d, at, err
}

// onHost calls get with the query of a page: that which url names, or the first page of the host, by HTTPS, and by HTTP
// where nothing speaks HTTPS there.
func onHost(q url.Values, get func(q url.Values) error) error {
	host := q.Get("host")
	if host == "" {
		q.Del("host")
		return get(q)
	}
	if q.Has("url") {
		return wrong("host", "host and url exclude each other: give the site, or the address of one of its pages")
	}
	q.Del("host")
	var err error
	for _, scheme := range []string{"https", "http"} {
		authority, wrongName := hostname.ParseAuthority(host, hostname.DefaultPort(scheme))
		if wrongName != nil {
			return wrong("host", fmt.Sprintf("host %q is not the name of a site: %v", host, wrongName))
		}
		q.Set("url", (&url.URL{Scheme: scheme, Host: authority.In(scheme), Path: "/"}).String())
		if err = get(q); err == nil || !lacksHTTPS(err) {
			break
		}
	}
	return err
}

// lacksHTTPS reports whether an error says that nothing speaks HTTPS at an address. A wrong certificate does not.
func lacksHTTPS(err error) bool {
	var failed failure.Failure
	if !errors.As(err, &failed) {
		return false
	}
	switch failed.Reason {
	case failure.Refused, failure.Unreachable, failure.Reset, failure.Timeout, failure.Protocol, failure.TLS:
		return true
	}
	return false
}

// links serves GET /api/v1/links, for crawlers that need the links which cleaning removes.
func (a *api) links(w http.ResponseWriter, r *http.Request) {
	d, at, err := a.document(r, r.URL.Query())
	if err != nil {
		problemOf(err).Write(w)
		return
	}
	out := pageLinks{URL: at, Content: d.Links, Template: []kindLinks{}}
	for _, part := range d.Template {
		if len(part.Links) > 0 {
			out.Template = append(out.Template, kindLinks{part.Kind, part.Links})
		}
	}
	writeJSON(w, out)
}

// document returns a page in mode json and its final address.
func (a *api) document(r *http.Request, q url.Values) (d jsondoc.Document, at string, err error) {
	v, err := a.fromQuery(q)
	if err != nil {
		return d, "", err
	}
	v.Mode = page.ModeJSON
	found, err := a.clean(r.Context(), v)
	if err != nil {
		return d, "", err
	}
	if err := json.Unmarshal(found.Body, &d); err != nil {
		return d, "", fmt.Errorf("reading the page's JSON: %w", err)
	}
	return d, found.URL, nil
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // a client that left needs no answer
}
