package site

import (
	"context"
	"net/http"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// framePolicy isolates a page of somebody else that winnow shows in a frame: no script, no request, an opaque origin.
const framePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"

// tint colours what goes by its kind, and labels it with the kind and the detector's score.
const tint = `<style>[data-winnow=noise]{background:#ffe3a8!important;outline:2px solid #b07800!important;color:#3a2800!important}
[data-winnow=noise][data-winnow-kind=ad],[data-winnow=noise][data-winnow-kind=cookie]{background:#ffd0c4!important;outline-color:#a3321f!important}
[data-winnow=noise][data-winnow-kind=nav],[data-winnow=noise][data-winnow-kind=header],[data-winnow=noise][data-winnow-kind=footer]{background:#d5e4ff!important;outline-color:#2a58a8!important}
[data-winnow=noise]::before{content:attr(data-winnow-kind) " " attr(data-winnow-score);display:inline-block;font:11px/1.4 system-ui;background:#222;color:#fff;padding:0 .4em;margin-right:.4em}</style>`

// before serves a page with what goes tinted, after what is left of it. Both are for a frame of winnow's own page.
func (h *handler) before(w http.ResponseWriter, r *http.Request) { h.frame(w, r, page.ModeTag, tint) }

func (h *handler) after(w http.ResponseWriter, r *http.Request) { h.frame(w, r, page.ModeRemove, "") }

// frameFor is what the token of the frames permits: the page's own permission to reach private addresses is theirs.
func frameFor(ctx context.Context) string {
	if dial.IsNamed(ctx) {
		return "frame of a named page"
	}
	return "frame"
}

func (h *handler) frame(w http.ResponseWriter, r *http.Request, mode page.Mode, style string) {
	host, v, ok := h.host(w, r)
	if !ok {
		return
	}
	q := r.URL.Query()
	address := q.Get("page")
	ctx := dial.Named(r.Context())
	if !h.tokens.Check(q.Get("token"), v.Name, frameFor(ctx), host, address) {
		ctx = r.Context()
	}
	if !dial.IsNamed(ctx) && !h.tokens.Check(q.Get("token"), v.Name, frameFor(ctx), host, address) {
		problem.Write(w, http.StatusForbidden, "this frame is not from winnow's own page, or too old: open the page again")
		return
	}
	ex, err := h.Examine(ctx, v.Who, address, r.UserAgent())
	if err != nil {
		problem.Write(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	defer ex.Close()
	out, err := write.Form{Mode: mode, URL: ex.URL}.Write(ex.Page, ex.Marking)
	if err != nil {
		problem.Write(w, http.StatusUnprocessableEntity, "the page can't be written in this form")
		return
	}
	head := w.Header()
	head.Set("Content-Type", out.ContentType)
	head.Set("Content-Security-Policy", framePolicy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cache-Control", "no-store")
	_, _ = w.Write(out.Body)
	_, _ = w.Write([]byte(style)) // a client that left needs no answer
}
