package demo

import (
	"context"
	"errors"
	"html/template"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/winnow-proxy/winnow/proxy/ownpages"
)

// viewerPage is the page of winnow demo --serve: the site's pages on two phones, as they come and through winnow, with
// a slider that draws the one over the other. Browsers bypass the proxy for loopback addresses, so the viewer fetches
// the cleaned pages itself.
const viewerPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>winnow demo</title>
<style>{{.Style}}
.phones figure { width: 20.5rem }
.phones { display: flex; flex-wrap: wrap; gap: var(--s8); justify-content: center }
.phone { position: relative; height: 38rem; border: .6rem solid #1c1f1d; border-radius: 2.4rem; overflow: hidden; background: #fff }
.phone iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; background: #fff }
.phone .over { clip-path: inset(0 calc(100% - var(--cut, 0%)) 0 0); border-inline-end: 2px solid var(--accent) }
figcaption { text-align: center; margin-top: var(--s3) }
input[type=range] { padding: 0 !important; border: 0 !important; accent-color: var(--accent) }
[aria-current] { font-weight: 650; text-decoration: none }
</style></head><body><div class="wrap">
<header class="top"><span class="brand">winnow</span><span>demo</span><nav aria-label="Pages">{{range .Names}}<a href="./?page={{.}}"{{if eq . $.Current}} aria-current="page"{{end}}>{{.}}</a>{{end}}</nav></header>
<main><h1>The same page, without the clutter</h1>
<div class="phones">
<figure class="wide"><div class="phone"><iframe src="./original/{{.Current}}" title="As the site serves it"></iframe></div><figcaption>As the site serves it</figcaption></figure>
<figure><div class="phone" id="phone"><iframe src="./cleaned/{{.Current}}" title="Through winnow"></iframe><iframe class="over" src="./original/{{.Current}}" title="The original, over it" tabindex="-1"></iframe></div>
<figcaption>Through winnow ({{.Proxy}})<label for="cut">How much of the original to show</label><input type="range" id="cut" value="0" min="0" max="100" oninput="phone.style.setProperty('--cut', value + '%')"></figcaption></figure>
</div></main></div></body></html>
`

// Show serves the viewer on l until ctx ends, and then closes l.
func (st *Stage) Show(ctx context.Context, l net.Listener) error {
	handler, err := st.viewer()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// viewer is the handler of the viewer's page and of the pages in its frames.
func (st *Stage) viewer() (http.Handler, error) {
	t, err := template.New("viewer").Parse(viewerPage)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		current := r.FormValue("page")
		if !slices.Contains(st.site.names, current) {
			current = st.site.names[0]
		}
		_ = t.Execute(w, map[string]any{"Names": st.site.names, "Current": current, "Proxy": st.proxyAt, "Style": template.CSS(ownpages.Style)})
	})
	mux.HandleFunc("GET /original/{name...}", st.frame(st.direct))
	mux.HandleFunc("GET /cleaned/{name...}", st.frame(st.client))
	return mux, nil
}

// frame serves the site's pages as client receives them.
func (st *Stage) frame(client *http.Client) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		if name != "" && !slices.Contains(st.site.names, name) {
			http.NotFound(w, r)
			return
		}
		body, err := st.fetch(r.Context(), client, name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(body) // a browser that left needs no answer
	}
}
