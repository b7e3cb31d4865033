package flags

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
)

// unixPrefix begins the address of a Unix socket: unix:PATH.
const unixPrefix = "unix:"

// IsUnix reports whether an address is a Unix socket's.
func IsUnix(addr string) bool { return strings.HasPrefix(addr, unixPrefix) }

// Listen opens the address of a flag.
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

// ListenAdmin is like Listen, and also accepts a Unix socket. Only the process's own user may open that socket.
func ListenAdmin(ctx context.Context, flag, addr string) (net.Listener, error) {
	path, unix := strings.CutPrefix(addr, unixPrefix)
	if !unix {
		return Listen(ctx, flag, addr)
	}
	if st, err := os.Lstat(path); err == nil && st.Mode()&fs.ModeSocket != 0 {
		if c, err := new(net.Dialer).DialContext(ctx, "unix", path); err == nil {
			return nil, errors.Join(fmt.Errorf("%s: %s is in use", flag, path), c.Close())
		}
		_ = os.Remove(path) // a winnow that was killed has left it
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", flag, err), l.Close())
	}
	return l, nil
}

// Reachable returns a form of a listen address that this machine can connect to.
func Reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}
