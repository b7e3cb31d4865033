// Package api is the HTTP API for programs: a page, by its URL or as HTML, cleaned in any mode; a site's template;
// links; feeds; batches; and the same as tools for language models, at /mcp. It obeys the same rules and uses the same
// models as the proxy.
package api

import (
	"context"
	_ "embed"
	"hash/maphash"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/agents"
	"github.com/winnow-proxy/winnow/proxy/feed"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// Cleaner fetches and cleans. *proxy.Server is one. It must be safe for concurrent use.
type Cleaner interface {
	// Fetch sends a GET request to its origin by the rules of the proxy, follows redirects, and returns the response,
	// cleaned or passed. Its Request has the final URL. The context of req says by dial.Named whether it may reach private
	// addresses. The error of a failed request is a failure.Failure.
	Fetch(req *http.Request, who access.Identity) (*http.Response, error)
	// Clean cleans resp as if it had come from the origin in req.
	Clean(req *http.Request, resp *http.Response, who access.Identity) error
	// Memory returns the account of who for what is in memory beside the pages themselves.
	Memory(who access.Identity) *pipeline.Memory
	// RestoreFeed fetches a feed and gives its entries the text of their pages. The error is a *feed.Error, or as that of
	// Fetch.
	RestoreFeed(ctx context.Context, u *url.URL, who access.Identity) (*feed.Feed, error)
	// Watch has work seen that goes on for longer than it should. end ends the watch.
	Watch(ctx context.Context, what, stage string, most time.Duration) (end func())
}

// Options configure the handler. Cleaner is required.
type Options struct {
	Cleaner Cleaner
	// Drain returns when every page that was cleaned before the call has been learned. nil means that nobody can say.
	Drain func(ctx context.Context) error
	// Mode is the default mode of requests. The zero value means page.ModeJSON.
	Mode page.Mode
	// Tokens are the accepted bearer tokens; nil requires none. Then the Host field of a request must name this machine or
	// Addr, which protects against DNS rebinding by web pages.
	Tokens *access.Tokens
	// Addr is the address of the handler.
	Addr string
	// Body is the most bytes of a page; 0 means 16 MiB.
	Body int64
	// Timeout bounds the time for one page; 0 means a minute.
	Timeout time.Duration
	// Version is winnow's, which the Model Context Protocol asks for.
	Version string
	// Logger takes the log; nil discards it.
	Logger *slog.Logger
}

// api is the handler's state.
type api struct {
	Options
	// pagesAtOnce is how many pages of one batch or book are in work at once.
	pagesAtOnce int
	// making is held by the request whose rules are being made.
	making     chan struct{}
	remembered *remembered
	// traces are of the pages that clients watch: the hashes of their blocks, by seed.
	traces *remembered
	seed   maphash.Seed
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
	a := &api{Options: o, pagesAtOnce: 4 * runtime.GOMAXPROCS(0), making: make(chan struct{}, 1),
		remembered: newRemembered(rememberPages, rememberBytes, rememberFor), traces: newRemembered(tracePages, traceBytes, traceFor), seed: maphash.MakeSeed()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/clean", a.cleanURL)
	mux.HandleFunc("POST /api/v1/clean", a.cleanBody)
	mux.HandleFunc("POST /api/v1/book", a.bookOf) // door: books
	mux.HandleFunc("GET /api/v1/template", a.template)
	mux.HandleFunc("GET /api/v1/changes", a.changes)
	mux.HandleFunc("GET /api/v1/links", a.links)
	mux.HandleFunc("GET /feed", a.feed)
	mux.HandleFunc("GET /api/v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(openAPI) // a client that left needs no answer
	})
	agentTools := agents.NewHandler(agents.NewServer(problem.Contain(mux, o.Logger), o.Version, false))
	mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) {
		a.readWithin(w)
		agentTools.ServeHTTP(w, r)
	})
	return problem.Contain(a.checkHost(a.identify(a.named(mux))), o.Logger)
}

// named serves mux, and answers unknown paths and methods with a problem.
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
		problem.Write(w, http.StatusMethodNotAllowed, "method "+r.Method+" is not allowed here; use "+allowed)
	})
}

// checkHost refuses requests that web pages send: those of another site, and those for a name that was rebound to this
// address. Only a token tells the latter from legitimate requests.
func (a *api) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Security-Policy", "sandbox") // pages in HTML must not act in the name of this address
		site := r.Header.Get("Sec-Fetch-Site")
		if site != "" && site != "same-origin" && site != "none" || a.isForeign(r) {
			problem.Write(w, http.StatusForbidden, "requests from web pages are refused")
			return
		}
		if a.Tokens == nil && !hostname.IsOwn(r.Host, a.Addr) {
			problem.Write(w, http.StatusMisdirectedRequest,
				"the Host field has a name that this address does not know; use its IP address, or require tokens by the setting api-token-file")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isForeign reports whether a request says that a web page at another address sends it.
func (a *api) isForeign(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	host, ok := strings.CutPrefix(origin, "http://")
	return origin != "" && (!ok || host != r.Host || !hostname.IsOwn(host, a.Addr))
}

// identity is the context key of the client.
type identity struct{}

func whoAsks(ctx context.Context) access.Identity {
	id, _ := ctx.Value(identity{}).(access.Identity)
	return id
}

// identify authenticates the client.
func (a *api) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := access.Identity{Client: access.ClientOf(access.ParseAddr(r.RemoteAddr))}
		if a.Tokens != nil {
			token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if _, password, ok := r.BasicAuth(); ok { // what programs that read feeds can send
				token = password
			}
			name, ok := a.Tokens.Owner(token)
			if !ok {
				w.Header().Set("WWW-Authenticate", `Bearer realm="winnow api"`)
				problem.Write(w, http.StatusUnauthorized, "give a token of the setting api-token-file as a bearer token")
				return
			}
			id.User = "api " + name
		}
		ctx := context.WithValue(r.Context(), identity{}, id)
		if a.Cleaner != nil { // the document that describes the API needs none
			account := a.Cleaner.Memory(id)
			defer account.Close()
			ctx = withMemory(ctx, account)
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
