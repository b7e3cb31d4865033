package demo

import (
	"context"
	"errors"
	"html/template"
	"net"
	"net/http"
	"slices"
	"time"
)

// viewerPage is the page of winnow demo --serve: the site's pages, original and cleaned side by side. Browsers bypass
// the proxy for loopback addresses, so the viewer fetches the cleaned pages itself.
const viewerPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>winnow demo</title>
<style>
body { font: 1rem/1.4 system-ui, sans-serif; margin: 0; height: 100vh; display: flex; flex-direction: column }
nav { padding: .5rem 1rem; background: #eee } nav a { margin-right: 1rem }
main { flex: 1; display: flex } section { flex: 1; display: flex; flex-direction: column; border-left: 1px solid #ccc }
h2 { font-size: 1rem; margin: .3rem 1rem } iframe { flex: 1; border: 0 }
</style></head><body>
<nav>{{range .Names}}<a href="./?page={{.}}"{{if eq . $.Current}} aria-current="page"{{end}}>{{.}}</a> {{end}}</nav>
<main>
<section><h2>As the site serves it</h2><iframe src="./original/{{.Current}}" title="original"></iframe></section>
<section><h2>Through winnow ({{.Proxy}})</h2><iframe src="./cleaned/{{.Current}}" title="cleaned"></iframe></section>
</main></body></html>
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
		_ = t.Execute(w, map[string]any{"Names": st.site.names, "Current": current, "Proxy": st.proxyAt})
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
