package site

import (
	"net/http"
	"net/url"

	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/ownpages"
	"github.com/winnow-proxy/winnow/proxy/parts"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// sheetPolicy lets any page show the sheet that winnow's bar opens over it, and its forms lead to the site. The sheet
// changes nothing: its links lead elsewhere.
const sheetPolicy = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action http: https:"

// sheet is the content of the sheet. Menu and Searches are shown once they are asked for, because winnow has to fetch
// the page for them.
type sheet struct {
	Host, Address, Wrong, Original, Reader, MenuLink, Failed string

	Looked   bool
	Menu     []parts.Link
	Searches []parts.Search
}

// sheet serves what the bar of a page opens over it: the ways to see the page, the parts for finding one's way that
// were taken out, and winnow's page about it. Only a page that winnow has put the bar into can show it.
func (h *handler) sheet(w http.ResponseWriter, r *http.Request) {
	host, v, ok := h.host(w, r)
	if !ok {
		return
	}
	q := r.URL.Query()
	address, shown := q.Get("page"), q.Get("shown")
	if h.Choices == nil || !h.Choices.HasShown(v.Name, address, shown) {
		problem.Write(w, http.StatusForbidden, "open this sheet with winnow's bar on a page")
		return
	}
	if u, err := url.Parse(address); err != nil || siteOf(u) != host {
		problem.Write(w, http.StatusBadRequest, "parameter page: the page belongs to another site")
		return
	}
	query := url.Values{"page": {address}, "shown": {shown}}
	s := sheet{Host: host, Address: address, Wrong: "/site/" + host + "?" + query.Encode()}
	query.Set("menu", "1")
	s.MenuLink = "/site/" + host + "/sheet?" + query.Encode()
	for _, c := range h.choices(v, address) {
		switch c.Label {
		case originalOnce:
			s.Original = c.Link
		case readerOnce:
			s.Reader = c.Link
		}
	}
	framed := r.Header.Get("Sec-Fetch-Dest") == "iframe"
	if s.Looked = q.Get("menu") != "" && (framed || opened(r.Header)); s.Looked {
		ex, err := h.Examine(h.context(r, v, address, shown), v.Who, address, r.UserAgent())
		if err != nil {
			s.Failed = err.Error()
		} else {
			s.Menu, s.Searches = parts.Menu(ex.Page, ex.Marking, ex.URL), parts.Searches(ex.Page, ex.Marking, ex.URL)
			ex.Close()
		}
	}
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // for pages that require it of their frames
	w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
	if err := ownpages.WriteWith(w, r, http.StatusOK, h.sheetPage, s, sheetPolicy); err != nil {
		h.Logger.ErrorContext(r.Context(), "sheet of a page", "error", err)
		problem.Write(w, http.StatusInternalServerError, "the sheet could not be made")
	}
}

// siteOf returns the site that an address belongs to, or nothing.
func siteOf(u *url.URL) string {
	host, err := hostname.SiteOf(u)
	if err != nil {
		return ""
	}
	return host
}
