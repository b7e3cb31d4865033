// Command bomber serves pages that cost much more than their length, and has clients ask a proxy for them. The tests of
// package attack run it in a process of its own with a low priority: bombs come from other machines, and must not take
// the processor from those who read.
//
// It throws bombs until its standard input ends, and prints what became of them as JSON.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/attack"
)

// Where bombs come from, and who asks for them.
const (
	origin  = "127.0.1.6"
	clients = "127.9.9.1"
)

func main() {
	proxy := flag.String("proxy", "", "address of the proxy")
	size := flag.Int("size", 2, "size of a bomb in MiB")
	parallel := flag.Int("parallel", 4, "number of clients")
	every := flag.Duration("every", 0, "least time between two bombs of a client")
	mode := flag.String("mode", "", "mode to ask for; by default one after the other")
	flag.Parse()
	if err := run(attack.Crowd{Proxy: *proxy, Mode: *mode}, *size<<20, *parallel, *every); err != nil {
		fmt.Fprintln(os.Stderr, "bomber:", err)
		os.Exit(1)
	}
}

func run(c attack.Crowd, size, parallel int, every time.Duration) error {
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", origin+":0")
	if err != nil {
		return fmt.Errorf("serve the bombs: %w", err)
	}
	c.Plain = ln.Addr().String()
	s := &http.Server{Handler: pages(size), ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // an error ends it too
		cancel()
	}()
	outcomes := throw(ctx, c, parallel, every)
	if err := errors.Join(s.Close(), <-served); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the bombs: %w", err)
	}
	return json.NewEncoder(os.Stdout).Encode(outcomes)
}

// pages serves the bombs, of n bytes each, by number.
func pages(n int) http.HandlerFunc {
	var bombs []string
	for _, b := range attack.Bombs() {
		bombs = append(bombs, b.Page(n))
	}
	return func(w http.ResponseWriter, r *http.Request) {
		i, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/bomb/"))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, bombs[i%len(bombs)]) // the client may be gone
	}
}

// throw has clients ask for one bomb after the other until ctx ends, and returns what became of them.
func throw(ctx context.Context, c attack.Crowd, parallel int, every time.Duration) map[string]int {
	outcomes := map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	ip := netip.MustParseAddr(clients)
	modes := []string{"", "auto", "markdown", "json", "reader", "text"}
	for i := range parallel {
		client := ip
		wg.Go(func() {
			for n := i; ctx.Err() == nil; n += parallel {
				began := time.Now()
				c := c
				c.Mode = cmp.Or(c.Mode, modes[(i+n/parallel)%len(modes)])
				what := outcome(c.Fetch(client, false, fmt.Sprint("/bomb/", n)))
				mu.Lock()
				outcomes[what]++
				mu.Unlock()
				attack.Pause(ctx, every-time.Since(began))
			}
		})
		ip = ip.Next()
	}
	wg.Wait()
	return outcomes
}

// outcome is the field Winnow in a word: the reason for which a page passed, or that it was cleaned.
func outcome(field string, err error) string {
	if err != nil {
		return "failed"
	}
	what, _, _ := strings.Cut(field, ";")
	if _, reason, ok := strings.Cut(field, "reason="); ok {
		what, _, _ = strings.Cut(reason, ";")
	}
	return what
}
