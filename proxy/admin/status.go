package admin

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/proxy/intercept"
)

// statusHosts is the most hosts that the status page lists; the API lists all.
const statusHosts = 200

// statusData is what the status page shows.
type statusData struct {
	Version, Proxy, NotReady string
	Up                       time.Duration
	Counters                 cache.Counters
	Store                    cache.Health
	Hosts                    []*cache.HostInfo
	More                     int
	Metrics                  bool
	Passthrough              []intercept.Entry
}

// status serves the status page: the hosts seen last first.
func (a *admin) status(w http.ResponseWriter, r *http.Request) {
	hosts, err := a.Models.Hosts(r.Context())
	if err != nil {
		a.failed(w, r, "list hosts", err)
		return
	}
	shown := make([]*cache.HostInfo, len(hosts)) // which are sorted in a fraction of the code that the values would take
	for i := range hosts {
		shown[i] = &hosts[i]
	}
	slices.SortFunc(shown, func(x, y *cache.HostInfo) int {
		return cmp.Or(y.LastSeen.Compare(x.LastSeen), cmp.Compare(x.Host, y.Host))
	})
	d := statusData{Version: a.Version, Proxy: a.Proxy, Up: a.Now().Sub(a.Started).Round(time.Second),
		Counters: a.Models.Counters(), Store: a.Models.Health(), Hosts: shown, Metrics: a.Metrics != nil}
	if len(shown) > statusHosts {
		d.Hosts, d.More = shown[:statusHosts], len(shown)-statusHosts
	}
	if a.Passthrough != nil {
		d.Passthrough = a.Passthrough.Passthrough()
		d.Passthrough = d.Passthrough[:min(len(d.Passthrough), statusHosts)]
	}
	if err := a.Ready(); err != nil {
		d.NotReady = err.Error()
	}
	var b bytes.Buffer
	if err := a.page.Execute(&b, d); err != nil {
		a.failed(w, r, "status page", err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	_, _ = w.Write(b.Bytes())
}
