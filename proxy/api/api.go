// Package api is the address for programs: a page, by its URL or as HTML, cleaned in any mode; a site's template;
// links; batches. It goes through the same rules and the same models as the clients of the proxy.
package api

import (
	"context"
	_ "embed"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// Cleaner fetches and cleans. *proxy.Server is one. It must be safe for concurrent use.
type Cleaner interface {
	// Fetch sends a GET request to its origin by the rules of the proxy, follows redirects, and returns the response,
	// cleaned or passed. Its Request has the final URL. The error of a failed request is a failure.Failure.
	Fetch(req *http.Request, who access.Identity) (*http.Response, error)
	// Clean cleans resp as if it had come from the origin that req names.
	Clean(req *http.Request, resp *http.Response, who access.Identity) error
}

// Options configure the handler. Cleaner is required.
type Options struct {
	Cleaner Cleaner
	// Mode is used where a request names none. The zero value stands for page.ModeJSON.
	Mode page.Mode
	// Tokens are asked for as bearer tokens; nil asks nobody. Then requests must name this machine or Addr as their host,
	// which keeps web pages out that have rebound a name to it.
	Tokens *access.Tokens
	// Addr is the address that the handler is served at.
	Addr string
	// Body is the most bytes of a page; 0 means 16 MiB.
	Body int64
	// Timeout bounds the time for one page; 0 means a minute.
	Timeout time.Duration
	// Logger takes the log; nil discards it.
	Logger *slog.Logger
}

// api is the handler's state.
type api struct {
	Options
	// pages bounds the pages of batches that are worked on at once, over all requests.
	pages chan struct{}
}

//go:embed openapi.json
var openAPI []byte

// New returns the handler.
func New(o Options) http.Handler {
	if o.Mode == page.ModeOff {
		o.Mode = page.ModeJSON
	}
	if o.Body == 0 {
		o.Body = 16 << 20
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = o.Logger.With("where", "api")
	a := &api{Options: o, pages: make(chan struct{}, 4*runtime.GOMAXPROCS(0))}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/clean", a.cleanURL)
	mux.HandleFunc("POST /api/v1/clean", a.cleanBody)
	mux.HandleFunc("GET /api/v1/template", a.template)
	mux.HandleFunc("GET /api/v1/links", a.links)
	mux.HandleFunc("GET /api/v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(openAPI) // a client that left needs no answer
	})
	return problem.Contain(a.checkHost(a.identify(a.named(mux))), o.Logger)
}

// named serves mux, and answers what it does not know as a problem.
func (a *api) named(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		allowed := ""
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, pattern := mux.Handler(other); pattern != "" {
				allowed = strings.TrimPrefix(allowed+", "+method, ", ")
			}
		}
		if allowed == "" {
			problem.Write(w, http.StatusNotFound, "nothing here; /api/v1/openapi.json describes what there is")
			return
		}
		w.Header().Set("Allow", allowed)
		problem.Write(w, http.StatusMethodNotAllowed, r.Method+" is not possible here, but "+allowed)
	})
}

// checkHost refuses what a web page in somebody's browser sends: a request of another site, and one for a name that was
// rebound to this address, which only a token can tell from an honest one.
func (a *api) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		site := r.Header.Get("Sec-Fetch-Site")
		if site != "" && site != "same-origin" && site != "none" || r.Header.Get("Origin") != "" {
			problem.Write(w, http.StatusForbidden, "requests from web pages are refused")
			return
		}
		if a.Tokens == nil && !hostname.IsOwn(r.Host, a.Addr) {
			problem.Write(w, http.StatusMisdirectedRequest,
				"this address does not go by that name; use its IP address, or ask for tokens with --api-token-file")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// identity is the context key of who asks.
type identity struct{}

func whoAsks(ctx context.Context) access.Identity {
	id, _ := ctx.Value(identity{}).(access.Identity)
	return id
}

// identify finds out who asks.
func (a *api) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := access.Identity{Client: access.ClientOf(access.ParseAddr(r.RemoteAddr))}
		if a.Tokens != nil {
			token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			name, ok := a.Tokens.Owner(token)
			if !ok {
				w.Header().Set("WWW-Authenticate", `Bearer realm="winnow api"`)
				problem.Write(w, http.StatusUnauthorized, "give a token of --api-token-file as a bearer token")
				return
			}
			id.User = "api " + name
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identity{}, id)))
	})
}
