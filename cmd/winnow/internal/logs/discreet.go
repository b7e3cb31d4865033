package logs

import (
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"regexp"
	"slices"
	"strings"
)

// Discreet returns a logger that hides the hosts that clients visit. It replaces each host with a token that is
// constant within this process, so that lines about one host stay related. It also removes names and addresses from
// error texts.
func Discreet(l *slog.Logger) *slog.Logger {
	return slog.New(&discreetHandler{next: l.Handler(), seed: maphash.MakeSeed(),
		addresses: regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b|\[[0-9a-fA-F:.%]+\](:\d+)?`),
		// A text after a slash is a file name.
		names: regexp.MustCompile(`(^|[^\w/.-])([\w-]+\.)+[a-zA-Z]{2,}(:\d+)?\b`)})
}

// discreetHandler implements slog.Handler.
type discreetHandler struct {
	next slog.Handler
	seed maphash.Seed
	// addresses and names match the origins in error texts.
	addresses, names *regexp.Regexp
	// hosts are those in attributes of the logger itself.
	hosts []string
}

// Enabled implements slog.Handler.
func (d *discreetHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return d.next.Enabled(ctx, level)
}

// WithGroup implements slog.Handler.
func (d *discreetHandler) WithGroup(name string) slog.Handler {
	c := *d
	c.next = d.next.WithGroup(name)
	return &c
}

// WithAttrs implements slog.Handler.
func (d *discreetHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *d
	c.hosts = slices.Concat(d.hosts, hostsIn(attrs))
	hidden := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		hidden[i] = c.hide(a, c.hosts)
	}
	c.next = d.next.WithAttrs(hidden)
	return &c
}

// Handle implements slog.Handler.
func (d *discreetHandler) Handle(ctx context.Context, r slog.Record) error {
	var attrs []slog.Attr
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	hosts := slices.Concat(d.hosts, hostsIn(attrs))
	out := slog.NewRecord(r.Time, r.Level, d.text(r.Message, hosts), r.PC)
	for _, a := range attrs {
		out.AddAttrs(d.hide(a, hosts))
	}
	return d.next.Handle(ctx, out)
}

// Keys of attributes that name a host, and of attributes whose text may contain one.
const (
	hostKey  = "host"
	errorKey = "error"
)

func hostsIn(attrs []slog.Attr) []string {
	var hosts []string
	for _, a := range attrs {
		if a.Key == hostKey && a.Value.String() != "" {
			hosts = append(hosts, a.Value.String())
		}
	}
	return hosts
}

// hide replaces the hosts in an attribute.
func (d *discreetHandler) hide(a slog.Attr, hosts []string) slog.Attr {
	switch v := a.Value.Resolve(); {
	case a.Key == hostKey:
		return slog.String(a.Key, d.token(v.String()))
	case a.Key == errorKey:
		text := d.text(fmt.Sprint(v.Any()), hosts)
		return slog.String(a.Key, d.names.ReplaceAllString(d.addresses.ReplaceAllString(text, "(address)"), "${1}(name)"))
	case v.Kind() == slog.KindString || v.Kind() == slog.KindAny:
		return slog.String(a.Key, d.text(fmt.Sprint(v.Any()), hosts))
	}
	return a
}

func (d *discreetHandler) text(s string, hosts []string) string {
	for _, h := range hosts {
		s = strings.ReplaceAll(s, h, d.token(h))
		if bare, _, ok := strings.Cut(h, ":"); ok && bare != "" { // a name without the port of the host
			s = strings.ReplaceAll(s, bare, d.token(h))
		}
	}
	return s
}

func (d *discreetHandler) token(host string) string {
	if host == "" {
		return ""
	}
	return fmt.Sprintf("host-%08x", uint32(maphash.String(d.seed, host)))
}
