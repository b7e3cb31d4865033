package admin

import (
	"net/http"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/intercept"
	"github.com/winnow-proxy/winnow/proxy/ownpages"
	"github.com/winnow-proxy/winnow/proxy/savings"
)

// statusHosts is the most hosts that the page lists; the API lists all.
const statusHosts = 200

// scriptPolicy permits winnow's own script, which updates the counters and the last pages.
const scriptPolicy = "; script-src 'self'; connect-src 'self'"

// row is a host in the list.
type row struct {
	*cache.HostInfo
	savings.Sum
}

// statusData is what the overview shows.
type statusData struct {
	Version, Proxy, NotReady, Portal string
	// Setup is the portal's address for other devices, empty if none can reach it.
	Setup      string
	Up         time.Duration
	Counters   cache.Counters
	Store      cache.Health
	StoreCause string
	// Sharing is nil where models are not shared.
	Sharing *cache.Sharing
	Saved   savings.Sum
	Charts  []chart
	Pages   []shownPage
	Devices []shownDevice
	// Pauses says that cleaning can be paused for devices.
	Pauses bool
	Order  order
	Hosts  []*row
	// Settings says that sites have settings, SetSites lists those that have.
	Settings    bool
	SetSites    []setSite
	More        int
	Metrics     bool
	Failures    []*reasonCount
	Passthrough []passthroughRow
}

// passthroughRow is a pass-through with the token of the form that ends it.
type passthroughRow struct {
	*intercept.Entry
	Token string
}

// operator is the client that forms of this address are made for.
const operator = "operator"

// status serves the overview, with the hosts seen last at the top. With only=pages it lists no hosts: the script asks
// for it every few seconds, and a store may have many.
func (a *admin) status(w http.ResponseWriter, r *http.Request) {
	var hosts []cache.HostInfo
	if r.URL.Query().Get("only") != "pages" {
		var err error
		if hosts, err = a.Models.Hosts(r.Context()); err != nil {
			a.failed(w, r, "list hosts", err)
			return
		}
	}
	d := statusData{Version: strings.TrimPrefix(a.Version, "winnow "), Proxy: a.Proxy, Portal: hostname.Portal, Setup: a.setupURL(), Up: a.Now().Sub(a.Started).Round(time.Second),
		Counters: a.Models.Counters(), Store: a.Models.Health(), Metrics: a.Metrics != nil, Failures: a.failures()}
	if !d.Store.OK() {
		d.StoreCause = cause(d.Store.Err)
	}
	if s, shared := a.Models.Sharing(); shared {
		d.Sharing = &s
	}
	if a.Savings != nil {
		d.Saved = a.Savings.All()
	}
	a.activity(&d)
	d.Pauses, d.Order = a.Devices != nil, order{r.URL.Query().Get("find"), r.URL.Query().Get("sort")}
	d.Hosts = d.Order.arrange(a.rows(hosts))
	d.Settings, d.SetSites = a.Sites != nil, a.setSites()
	if len(d.Hosts) > statusHosts {
		d.Hosts, d.More = d.Hosts[:statusHosts], len(d.Hosts)-statusHosts
	}
	if a.Passthrough != nil {
		entries := a.Passthrough.Passthrough()
		for _, e := range entries[:min(len(entries), statusHosts)] {
			d.Passthrough = append(d.Passthrough, passthroughRow{e, a.tokens.For(operator, "retry", e.Client, e.Host)})
		}
	}
	if err := a.Ready(); err != nil {
		d.NotReady = err.Error()
	}
	if err := ownpages.Write(w, r, http.StatusOK, a.overview, d, scriptPolicy); err != nil {
		a.failed(w, r, "overview", err)
	}
}

// rows lists hosts with their savings.
func (a *admin) rows(hosts []cache.HostInfo) []*row {
	rows := make([]*row, len(hosts))
	for i := range hosts {
		rows[i] = &row{HostInfo: &hosts[i]}
		if a.Savings != nil {
			rows[i].Sum = a.Savings.Host(hosts[i].Host)
		}
	}
	return rows
}

// counters answers the overview's script with the current counters.
func (a *admin) counters(w http.ResponseWriter, _ *http.Request) {
	c := a.Models.Counters()
	shown := map[string]string{"learned": ownpages.Count(c.Learned), "queue": ownpages.Count(c.Queue)}
	if a.Savings != nil {
		s := a.Savings.All()
		shown["cleaned"], shown["saved"], shown["reading"] = ownpages.Count(s.Pages), ownpages.Bytes(s.Saved()), ownpages.Span(s.Reading())
	}
	reply(w, shown)
}

// live serves that script.
func (*admin) live(w http.ResponseWriter, _ *http.Request) {
	b, err := assets.ReadFile("live.js")
	if err != nil {
		panic(err) // it is embedded
	}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write(b) // a client that left needs no answer
}
