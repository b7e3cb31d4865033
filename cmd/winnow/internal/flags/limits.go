package flags

import (
	"time"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// Limits bound what clients and origins can make the proxy hold or wait for. The metrics show each: winnow_limit, and
// for memory and store winnow_models_limit_bytes and winnow_store_limit_bytes.
type Limits struct {
	MaxConnections  int           `reload:"restart" default:"8192" placeholder:"N" help:"Client connections open at once, tunnels included; more wait (default: ${default})."`
	MaxHeader       int           `reload:"restart" default:"128" placeholder:"KIB" help:"Size of a request's or response's header in KiB (default: ${default})."`
	MaxBody         int64         `default:"16" placeholder:"MIB" help:"Size of a page that is cleaned in MiB, packed and unpacked; larger ones pass as they are (default: ${default})."`
	MaxRatio        int64         `default:"200" placeholder:"N" help:"How much a page may grow when it is unpacked, beyond its first MiB (default: ${default})."`
	MaxHeld         int64         `reload:"restart" default:"256" placeholder:"MIB" help:"Memory for pages that are held back while they are cleaned in MiB; beyond, pages pass as they are (default: ${default})."`
	MaxCleaning     int           `default:"0" placeholder:"N" help:"Pages cleaned at once; more wait for two seconds and then pass as they are (default: 4 for each processor)."`
	CleanTimeout    time.Duration `default:"3s" placeholder:"TIME" help:"Time to clean a page; one that takes longer passes as it is (default: ${default})."`
	ReadTimeout     time.Duration `default:"10s" placeholder:"TIME" help:"Time that a page is held back while it arrives; a slower one passes as it is (default: ${default})."`
	IdleTimeout     time.Duration `reload:"restart" default:"2m" placeholder:"TIME" help:"Time that a connection is kept between requests (default: ${default})."`
	ResponseTimeout time.Duration `default:"3m" placeholder:"TIME" help:"Time that an origin may take to begin its answer (default: ${default})."`
	StallTimeout    time.Duration `default:"5m" placeholder:"TIME" help:"Longest pause within a request or an answer (default: ${default})."`
	TunnelTimeout   time.Duration `default:"1h" placeholder:"TIME" help:"Longest silence in a tunnel (default: ${default})."`
	TotalTimeout    time.Duration `default:"24h" placeholder:"TIME" help:"Longest life of a request with its answer, and of a tunnel (default: ${default})."`
	StoreSize       int64         `group:"base" reload:"restart" default:"1024" placeholder:"MIB" help:"Size of the model store in MiB, of which the models take up to 70 percent; the least useful go first (default: ${default})."`
}

// smallestStore has room for a batch of models beside those that are there.
const smallestStore = 64

// Largest is the most that sizes in KiB and MiB can be: in bytes they must be numbers too.
const Largest = 1 << 20

// Check says which limit makes no sense.
func (f Limits) Check() error {
	for _, l := range []struct {
		flag  string
		value int64
	}{
		{"max-connections", int64(f.MaxConnections)}, {"max-header", int64(f.MaxHeader)}, {"max-body", f.MaxBody},
		{"max-ratio", f.MaxRatio}, {"max-held", f.MaxHeld}, {"max-cleaning", int64(f.MaxCleaning) + 1},
		{"clean-timeout", int64(f.CleanTimeout)}, {"read-timeout", int64(f.ReadTimeout)},
		{"idle-timeout", int64(f.IdleTimeout)}, {"response-timeout", int64(f.ResponseTimeout)},
		{"stall-timeout", int64(f.StallTimeout)}, {"tunnel-timeout", int64(f.TunnelTimeout)},
		{"total-timeout", int64(f.TotalTimeout)},
	} {
		if l.value <= 0 {
			return console.Usagef("--%s: the limit must be more than nothing", l.flag)
		}
	}
	for _, l := range []struct {
		flag  string
		value int64
	}{
		{"max-header", int64(f.MaxHeader)}, {"max-body", f.MaxBody}, {"max-ratio", f.MaxRatio}, {"max-held", f.MaxHeld},
		{"store-size", f.StoreSize},
	} {
		if l.value > Largest {
			return console.Usagef("--%s: %d is more than any machine has: the most is %d", l.flag, l.value, int64(Largest))
		}
	}
	if f.StoreSize < smallestStore {
		return console.Usagef("--store-size: %d MiB is not enough: give %d or more", f.StoreSize, smallestStore)
	}
	return nil
}

// Bound sets the limits of the proxy.
func (f Limits) Bound(l *limits.Limits) {
	l.Connections, l.HeaderBytes = f.MaxConnections, f.MaxHeader<<10
	l.Idle, l.Response, l.Stall = f.IdleTimeout, f.ResponseTimeout, f.StallTimeout
	l.TunnelIdle, l.Total = f.TunnelTimeout, f.TotalTimeout
}

// BoundCleaning sets the limits of cleaning.
func (f Limits) BoundCleaning(o *pipeline.Options) {
	o.MaxBody, o.MaxRatio, o.MaxBuffered = f.MaxBody<<20, f.MaxRatio, f.MaxHeld<<20
	o.MaxConcurrent, o.ParseTimeout, o.ReadTimeout = f.MaxCleaning, f.CleanTimeout, f.ReadTimeout
}
