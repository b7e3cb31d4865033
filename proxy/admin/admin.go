// Package admin serves the admin address of a proxy: health and readiness, metrics, the JSON API over the host models,
// the PAC file and a status page. It belongs on an address that only the operator can reach.
package admin

import (
	"context"
	"embed"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
	"github.com/winnow-proxy/winnow/proxy/ownpages"
	"github.com/winnow-proxy/winnow/proxy/portal"
	"github.com/winnow-proxy/winnow/proxy/problem"
	"github.com/winnow-proxy/winnow/proxy/recent"
	"github.com/winnow-proxy/winnow/proxy/savings"
	"github.com/winnow-proxy/winnow/proxy/sites"
	"github.com/winnow-proxy/winnow/proxy/words"
)

// Models are the host models, as far as the API needs them. *cache.Models implements it. Implementations must be safe
// for concurrent use.
type Models interface {
	// Hosts lists the hosts that have learned something.
	Hosts(ctx context.Context) ([]cache.HostInfo, error)
	// Host describes one host without reading the others, or returns cache.ErrNotFound (wrapped).
	Host(ctx context.Context, host string) (cache.HostInfo, error)
	// Forget removes the model of a host.
	Forget(ctx context.Context, host string) error
	// Drain returns when every page that was queued before the call has been learned.
	Drain(ctx context.Context) error
	// Counters returns totals and the present state.
	Counters() cache.Counters
	// Health says whether the store can be written to.
	Health() cache.Health
	// Sharing describes the exchange with other replicas, false where there is none.
	Sharing() (cache.Sharing, bool)
}

// Options configures the admin handler. Models is required.
type Options struct {
	// Models are the host models.
	Models Models
	// Addr is the address of the handler, as in --admin. Requests may name its host.
	Addr string
	// Names are further host names of the admin address that requests may name.
	Names []string
	// Users must give a name and a password; nil means that nobody must. Clients are the networks that requests may come
	// from; empty means all. Health, readiness and the PAC file stay open to everybody.
	Users   *access.Verifier
	Clients access.Networks
	// Token, if not empty, is required as a bearer token, or as the password of any name, which browsers can send. It is
	// an alternative to Users.
	Token string
	// Open says that metrics and drain need neither, because this machine alone can reach the address.
	Open bool
	// Proxy is the address of the proxy's listener, for the PAC file.
	Proxy string
	// Passthrough has the clients that refuse the proxy's certificates; nil omits them.
	Passthrough Passthrough
	// Sites are the settings of single sites; nil omits them. Configured returns the configuration of a host, which these
	// settings override; nil means none.
	Sites      *sites.Book
	Configured func(host string) Configured
	// Site serves the pages about single sites, below /site/; nil omits them.
	Site http.HandlerFunc
	// Savings has what cleaning saves; nil omits it.
	Savings *savings.Book
	// Recent has the last pages, and the devices that asked for pages; nil omits both. Devices can pause cleaning for
	// them; nil leaves that out.
	Recent  *recent.Book
	Devices *sites.Devices
	// Ready returns why the program can't serve now, or nil. A nil Ready means that it can.
	Ready func() error
	// Late says what work went on beyond its deadline, empty where none did; nil omits it.
	Late func() string
	// Metrics are served at /metrics; nil omits that path.
	Metrics *prom.Registry
	// Reload reads the configuration again and puts it into force, or returns an error and changes nothing; nil omits it.
	Reload func(context.Context) (Reloaded, error)
	// Export returns the encoded model of a host; nil omits that path.
	Export func(ctx context.Context, host string) ([]byte, error)
	// Profile serves profiles of the running program under /debug/pprof/, for go tool pprof.
	Profile bool
	// Started is when the program began; zero means now.
	Started time.Time
	// Version is shown on the status page.
	Version string
	// Logger receives log records; nil discards them.
	Logger *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// admin is the handler's state.
type admin struct {
	Options
	overview, one *ownpages.Page
	tokens        *ownpages.Tokens
}

// ownPage reads a page, which is in English: it is for operators.
func ownPage(name string) *ownpages.Page {
	page, err := ownpages.Parse(assets, name, words.All()[:1])
	if err != nil {
		panic(err) // it is embedded
	}
	return page
}

//go:embed overview.html host.html live.js
var assets embed.FS

// New returns the handler of the admin address.
func New(o Options) http.Handler {
	if o.Ready == nil {
		o.Ready = func() error { return nil }
	}
	if o.Late == nil {
		o.Late = func() string { return "" }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Started.IsZero() {
		o.Started = o.Now()
	}
	a := &admin{Options: o, tokens: ownpages.NewTokens(o.Now),
		overview: ownPage("overview.html"), one: ownPage("host.html")}
	mux := http.NewServeMux()
	for pattern, m := range map[string]methods{
		"/{$}":                 {http.MethodGet: a.status},
		"/setup.svg":           {http.MethodGet: a.setupCode},
		"/live.js":             {http.MethodGet: a.live},
		"/hosts/{host}":        {http.MethodGet: a.host, http.MethodPost: a.forgetByForm},
		"/passthrough":         {http.MethodPost: a.retryByForm},
		"/devices":             {http.MethodPost: a.pauseByForm},
		"/api/v1/counters":     {http.MethodGet: a.counters},
		"/healthz":             {http.MethodGet: a.healthz},
		"/readyz":              {http.MethodGet: a.readyz},
		"/proxy.pac":           {http.MethodGet: a.pac},
		"/api/v1/hosts":        {http.MethodGet: a.listHosts},
		"/api/v1/hosts/{host}": {http.MethodGet: a.getHost, http.MethodDelete: a.forgetHost},
		"/api/v1/drain":        {http.MethodPost: a.drain},
		"/api/v1/sharing":      {http.MethodGet: a.sharing},
	} {
		mux.Handle(pattern, m)
	}
	if o.Sites != nil {
		a.handleSettings(mux)
	}
	mux.HandleFunc("GET "+ownpages.StylePath, ownpages.ServeStyle)
	if o.Site != nil {
		mux.Handle("/site/", o.Site)
	}
	if o.Passthrough != nil {
		mux.Handle("/api/v1/passthrough", methods{http.MethodGet: a.listPassthrough, http.MethodDelete: a.forgetPassthrough})
	}
	if o.Metrics != nil {
		mux.Handle("/metrics", methods{http.MethodGet: o.Metrics.ServeHTTP})
	}
	if o.Reload != nil {
		mux.Handle("/api/v1/reload", methods{http.MethodPost: a.reload})
	}
	if o.Export != nil {
		mux.Handle("/api/v1/hosts/{host}/model", methods{http.MethodGet: a.exportHost})
	}
	if o.Profile {
		profiles(mux)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "nothing here; / lists what there is")
	})
	// A page in the operator's browser must not read this address through a name that it has rebound to it, and must not
	// change anything with a form. Answers have no CORS field, so scripts can't read them either.
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusForbidden, "requests from other sites are refused")
	}))
	return problem.Contain(a.checkHost(isolated(a.checkAccess(crossOrigin.Handler(mux)))), o.Logger.With("where", "admin"))
}

// handleSettings adds the paths of settings of single sites.
func (a *admin) handleSettings(mux *http.ServeMux) {
	for pattern, m := range map[string]methods{
		"/hosts/{$}":                         {http.MethodGet: a.openSite},
		"/hosts/{host}/settings":             {http.MethodPost: a.settingsByForm},
		"/api/v1/settings":                   {http.MethodGet: a.allSettings, http.MethodPost: a.importSettings},
		"/api/v1/hosts/{host}/settings":      {http.MethodGet: a.getSettings, http.MethodPut: a.putSettings, http.MethodDelete: a.deleteSettings},
		"/api/v1/hosts/{host}/settings/undo": {http.MethodPost: a.undoSettings},
	} {
		mux.Handle(pattern, m)
	}
}

// isolated refuses requests of other sites' pages, except links that a browser follows. Such pages can't read answers,
// but whether an object loads would tell them which hosts were visited (XS-Leaks; resource isolation policy, Fetch
// Metadata §5).
func isolated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		site := r.Header.Get("Sec-Fetch-Site")
		followed := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
		if (site == "cross-site" || site == "same-site") && !followed {
			fail(w, http.StatusForbidden, "requests from other sites are refused")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// methods serves a path by method.
type methods map[string]http.HandlerFunc

// ServeHTTP implements http.Handler.
func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if h, ok := m[method]; ok {
		h(w, r)
		return
	}
	var allow []string
	for _, name := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete} {
		if m[name] != nil || name == http.MethodHead && m[http.MethodGet] != nil {
			allow = append(allow, name)
		}
	}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	fail(w, http.StatusMethodNotAllowed, "method "+r.Method+" is not allowed here; use "+strings.Join(allow, ", "))
}

// checkHost refuses requests that name a host other than this address, as DNS rebinding makes browsers do.
func (a *admin) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.names(r) {
			fail(w, http.StatusMisdirectedRequest, "the Host field has a name that this address does not know; permit it with the setting admin-name")
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// names reports whether the Host field of r is a name for this address: a loopback name or address, the configured
// one, a listed one, or the address at which the connection arrived.
func (a *admin) names(r *http.Request) bool {
	own := append([]string{a.Addr}, a.Names...)
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		own = append(own, local.String())
	}
	return hostname.IsOwn(r.Host, own...)
}

// setupURL is the portal's address for other devices. It is empty if none can reach it.
func (a *admin) setupURL() string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		a.Logger.Warn("this machine's addresses are not known", "error", err)
	}
	to, _ := portal.SetupURL(a.Proxy, addrs)
	return to
}

// setupCode serves that address as a QR code.
func (a *admin) setupCode(w http.ResponseWriter, _ *http.Request) {
	to := a.setupURL()
	if to == "" {
		fail(w, http.StatusNotFound, "no other device can connect to this proxy")
		return
	}
	portal.ServeCode(w, to)
}

// pac serves the PAC file for the proxy's own address.
func (a *admin) pac(w http.ResponseWriter, r *http.Request) { portal.WritePAC(w, r, a.Proxy) }
