// Package limits is the one table of what bounds clients, origins and pages. A limit is a field of [Limits] with its
// default, its name, its metric and its documentation; a new one needs nothing else.
package limits

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strconv"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// Limits bounds what a client or an origin can make the proxy store or wait for, and what a page may cost. A zero
// field means its default. This package and the command line read the tags: default is the value of a zero field;
// least is the smallest valid value, 1 if missing; metric is the label in winnow_limit; of separates bounds of a page
// from bounds of the proxy. name, help, placeholder and reload describe a limit that winnow serve --limit NAME=VALUE
// sets; a field with kong:"-" has none. With reload:"restart", a reload leaves the limit unchanged.
type Limits struct {
	// Connections is the most client connections open at once, tunnels included; more wait to be accepted.
	Connections int `metric:"connections" default:"8192" name:"max-connections" hidden:"" reload:"restart" placeholder:"N" help:"Client connections open at once, tunnels included; more wait (default: ${default})."`
	// Requests is the most concurrent requests.
	Requests int `metric:"requests" default:"4096" name:"max-requests" hidden:"" placeholder:"N" help:"Requests under way at once (default: ${default})."`
	// Upstream is the most connections to origins, including idle and half-open ones.
	Upstream int `metric:"upstream" default:"8192" name:"max-upstream" hidden:"" placeholder:"N" help:"Connections to origins open at once; fewer where the process may not have as many descriptors (default: ${default})."`
	// HeaderBytes is the most that a request's or a response's header may take.
	HeaderBytes KiB `metric:"header_bytes" default:"128" name:"max-header" hidden:"" reload:"restart" placeholder:"KIB" help:"Size of a request's or response's header in KiB (default: ${default})."`
	// Body is the most bytes of a page, coded and decoded.
	Body MiB `of:"page" metric:"body_bytes" default:"16" name:"max-body" hidden:"" placeholder:"MIB" help:"Size of a page that is cleaned in MiB, packed and unpacked; larger ones pass as they are (default: ${default})."`
	// Ratio is the highest ratio of decoded to coded size beyond the first MiB.
	Ratio int64 `of:"page" metric:"ratio" default:"200" most:"1048576" name:"max-ratio" hidden:"" placeholder:"N" help:"How much a page may grow when it is unpacked, beyond its first MiB (default: ${default})."`
	// Held is the most bytes of buffered, coded bodies, over all responses.
	Held MiB `of:"page" metric:"held_bytes" default:"256" name:"max-held" hidden:"" reload:"restart" placeholder:"MIB" help:"Memory for pages that are held back while they are cleaned in MiB; beyond, pages pass as they are (default: ${default})."`
	// Cleaning is the most pages that are cleaned at once; 0 means 4 for each processor that Go uses. Together they may
	// have twice Body decoded bytes, because a parsed page takes many times its size.
	Cleaning int `of:"page" metric:"cleaning" default:"0" least:"0" name:"max-cleaning" hidden:"" placeholder:"N" help:"Pages cleaned at once; more wait for two seconds and then pass as they are (default: 4 for each processor)."`
	// Clean bounds the work on one page, from decoding to encoding.
	Clean time.Duration `of:"page" metric:"clean_seconds" default:"3s" name:"clean-timeout" hidden:"" placeholder:"TIME" help:"Time to clean a page; one that takes longer passes as it is (default: ${default})."`
	// Read is how long the proxy waits for a body that it buffers.
	Read time.Duration `of:"page" metric:"read_seconds" default:"10s" name:"read-timeout" hidden:"" placeholder:"TIME" help:"Time that a page is held back while it arrives; a slower one passes as it is (default: ${default})."`
	// Idle is how long a connection to a client or an origin stays open between requests.
	Idle time.Duration `metric:"idle_seconds" default:"2m" name:"idle-timeout" hidden:"" reload:"restart" placeholder:"TIME" help:"Time that a connection is kept between requests (default: ${default})."`
	// Response is the longest wait for the header of an origin's response. Long polling deliberately keeps a request open
	// for a minute or two.
	Response time.Duration `metric:"response_seconds" default:"3m" name:"response-timeout" hidden:"" placeholder:"TIME" help:"Time that an origin may take to begin its answer (default: ${default})."`
	// Stall is the longest pause within a body, in either direction, and the longest time that a client may read nothing.
	Stall time.Duration `metric:"stall_seconds" default:"5m" name:"stall-timeout" hidden:"" placeholder:"TIME" help:"Longest pause within a request or an answer (default: ${default})."`
	// TunnelIdle is the longest silence in a tunnel.
	TunnelIdle time.Duration `metric:"tunnel_seconds" default:"1h" name:"tunnel-timeout" hidden:"" placeholder:"TIME" help:"Longest silence in a tunnel (default: ${default})."`
	// Total is the longest life of a request with its answer, and of a tunnel.
	Total time.Duration `metric:"total_seconds" default:"24h" name:"total-timeout" hidden:"" placeholder:"TIME" help:"Longest life of a request with its answer, and of a tunnel (default: ${default})."`

	// ClientConnections is the most connections of one client ([access.Client]); a further one is closed with a 429.
	// Zero means 1024, or no limit where only this machine can connect; a negative number means no limit.
	ClientConnections int `metric:"client_connections" least:"any" name:"client-connections" hidden:"" placeholder:"N" help:"Connections that one client may have open; -1 for any number (default: 1024, and any number where only this machine can connect)."`
	// ClientRequests is the most requests under way of one user or client; a further one is answered with a 429. Zero
	// means 256, or no limit where only this machine can connect; a negative number means no limit. Where others can
	// connect, a client gets no more of connections, requests and Upstream than it leaves for others ([access.Shares]).
	ClientRequests int `metric:"client_requests" least:"any" name:"client-requests" hidden:"" placeholder:"N" help:"Requests that one user, or client where no password is asked for, may have under way; -1 for any number (default: 256, and any number where only this machine can connect)."`
	// ClientRate is the most requests a second of one user or client over ten seconds; a further one is answered with
	// a 429. Zero means 500, or no limit where only this machine can connect; a negative number means no limit.
	ClientRate float64 `metric:"client_rate" least:"any" name:"client-rate" hidden:"" placeholder:"N" help:"Requests a second of one user, or client where no password is asked for, over ten seconds; -1 for any number (default: 500, and any number where only this machine can connect)."`

	// Header is the most time that a client may take over a request's header.
	Header time.Duration `metric:"header_seconds" default:"20s" reload:"restart" kong:"-"`
	// Handshake is the most time for a TLS handshake, with a client or an origin, and for a client's first bytes
	// after CONNECT to port 443.
	Handshake time.Duration `metric:"handshake_seconds" default:"15s" kong:"-"`
	// Sniff is how long a client may stay silent after CONNECT to another port before the origin is connected to, for
	// protocols in which the server speaks first (SSH, SMTP). If it does, the connection is tunnelled.
	Sniff time.Duration `default:"1s" kong:"-"`
	// Dial is the most time for connecting to an origin, name lookup included.
	Dial time.Duration `metric:"dial_seconds" default:"15s" kong:"-"`
	// Continue is how long the proxy waits for a 100 (Continue) before it sends the body.
	Continue time.Duration `default:"1s" kong:"-"`
	// Wait is how long a page may wait to be cleaned. After that it passes.
	Wait time.Duration `of:"page" default:"2s" kong:"-"`
	// Grace is how long Serve waits for requests and tunnels when its context ends.
	Grace time.Duration `default:"10s" kong:"-"`
}

// Default returns the defaults of a proxy that only this machine can reach. They are generous to slow connections, and
// still end whatever nobody waits for.
func Default() Limits { return Limits{}.WithDefaults("127.0.0.1:0") }

// WithDefaults fills in zero fields. listen is the address of the proxy: where only this machine can connect, all
// clients are one, and single clients have no limits.
func (l Limits) WithDefaults(listen string) Limits {
	for f, v := range l.fields() {
		if text := f.Tag.Get("default"); text != "" && v.IsZero() {
			parse(v, text)
		}
	}
	if l.Cleaning == 0 {
		l.Cleaning = 4 * runtime.GOMAXPROCS(0)
	}
	if access.LoopbackOnly(listen) {
		return l
	}
	if l.ClientConnections == 0 {
		l.ClientConnections = 1024
	}
	if l.ClientRequests == 0 {
		l.ClientRequests = 256
	}
	if l.ClientRate == 0 {
		l.ClientRate = 500
	}
	return l
}

// reserved is the number of descriptors for everything but clients and origins: listeners, logs, the store, and the
// admin address.
const reserved = 128

// Within lowers Connections and Upstream so that both together leave reserved descriptors free: the admin address must
// answer even if clients use up theirs.
func (l Limits) Within(descriptors int) Limits {
	free := descriptors - min(reserved, descriptors/2)
	l.Connections = min(l.Connections, max(1, free/2))
	l.Upstream = min(l.Upstream, max(1, free-l.Connections))
	return l
}

// Check returns an error that names an invalid limit. Zero fields without a flag are not checked.
func (l Limits) Check() error {
	for f, v := range l.fields() {
		name := f.Tag.Get("name")
		if name == "" && v.IsZero() {
			continue
		}
		if err := checkField(f.Tag, number(v)); err != nil {
			return fmt.Errorf("--limit %s: %w", cmp.Or(name, f.Name), err)
		}
	}
	return nil
}

func checkField(tag reflect.StructTag, n float64) error {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return fmt.Errorf("%v is not a number of requests; -1 means no limit", n)
	}
	least, most := cmp.Or(tag.Get("least"), "1"), tag.Get("most")
	if at, err := strconv.ParseFloat(least, 64); err == nil && n < at {
		return errors.New("the limit must be greater than 0")
	}
	if at, err := strconv.ParseFloat(most, 64); err == nil && n > at {
		return fmt.Errorf("%.0f is more than any machine has: the most is %s", n, most)
	}
	return nil
}

// Keep copies from old the limits that a reload does not change.
func (l *Limits) Keep(old Limits) {
	was := reflect.ValueOf(old)
	for f, v := range l.fields() {
		if f.Tag.Get("reload") == "restart" && f.Tag.Get("of") == "" {
			v.Set(was.FieldByIndex(f.Index))
		}
	}
}

// Named returns the limits of the proxy (of is empty) or of a page (of is "page") by the label that they have in
// winnow_limit, times in seconds; a limit that is off is 0.
func (l Limits) Named(of string) map[string]float64 {
	named := map[string]float64{}
	for f, v := range l.fields() {
		if name := f.Tag.Get("metric"); name != "" && f.Tag.Get("of") == of {
			named[name] = max(0, number(v))
			if d, ok := v.Interface().(time.Duration); ok {
				named[name] = d.Seconds()
			}
		}
	}
	return named
}

// fields iterates over the table.
func (l *Limits) fields() func(yield func(reflect.StructField, reflect.Value) bool) {
	return func(yield func(reflect.StructField, reflect.Value) bool) {
		v := reflect.ValueOf(l).Elem()
		for i := range v.NumField() {
			if !yield(v.Type().Field(i), v.Field(i)) {
				return
			}
		}
	}
}

// number returns the value of a field as stored: bytes, nanoseconds, or a count.
func number(v reflect.Value) float64 {
	if v.CanFloat() {
		return v.Float()
	}
	return float64(v.Int())
}

// parse sets a field to the value of a tag. An invalid tag is a defect of the table; a test checks all tags.
func parse(v reflect.Value, text string) {
	var err error
	switch field := v.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		err = field.UnmarshalText([]byte(text))
	case *time.Duration:
		*field, err = time.ParseDuration(text)
	case *float64:
		*field, err = strconv.ParseFloat(text, 64)
	default:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
	}
	if err != nil {
		panic(err)
	}
}

// KiB is a size in KiB.
type KiB int64

// MiB is a size in MiB.
type MiB int64

// maxUnits is the largest size in KiB or MiB, so that its bytes still fit a number.
const maxUnits = 1 << 20

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *KiB) UnmarshalText(text []byte) error {
	n, err := units(text)
	*k = KiB(n << 10)
	return err
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *MiB) UnmarshalText(text []byte) error {
	n, err := units(text)
	*m = MiB(n << 20)
	return err
}

func units(text []byte) (int64, error) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("expected a valid number but got %q", text)
	}
	if n > maxUnits {
		return 0, fmt.Errorf("%d is more than any machine has: the most is %d", n, maxUnits)
	}
	return n, nil
}
