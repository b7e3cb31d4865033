package flags

import (
	"context"
	"fmt"
	"net"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
)

// Listen opens the address that a flag names.
func Listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return nil, console.Usagef("%s: want HOST:PORT or :PORT: %w", flag, err)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return l, nil
}

// Reachable is a listen address as this machine reaches it.
func Reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}
