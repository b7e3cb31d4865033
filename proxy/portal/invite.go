package portal

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"rsc.io/qr"

	"github.com/winnow-proxy/winnow/proxy/problem"
)

// SetupURL returns the address of the portal for devices that do not use the proxy yet. It is the proxy's address; if
// listen means all addresses, it has this machine's first private address. It returns false if no other device can
// connect.
func SetupURL(listen string, addrs []net.Addr) (string, bool) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", false
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "localhost" || err == nil && ip.IsLoopback():
		return "", false
	case host != "" && (err != nil || !ip.IsUnspecified()):
		return "http://" + net.JoinHostPort(host, port) + "/", true
	}
	for _, a := range addrs {
		prefix, err := netip.ParsePrefix(a.String())
		if err == nil && prefix.Addr().Is4() && prefix.Addr().IsPrivate() {
			return "http://" + net.JoinHostPort(prefix.Addr().String(), port) + "/", true
		}
	}
	return "", false
}

// quiet is the number of light modules around a code (ISO/IEC 18004 §5.3.8).
const quiet = 4

// CodeText returns text as a QR code for a terminal, readable on dark and on light ground. Each line shows two rows of
// modules.
func CodeText(text string) (string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return "", fmt.Errorf("QR code: %w", err)
	}
	var b strings.Builder
	for y := -quiet / 2; y < code.Size+quiet/2; y += 2 {
		for x := -quiet / 2; x < code.Size+quiet/2; x++ {
			switch up, down := code.Black(x, y), code.Black(x, y+1); {
			case !up && !down:
				b.WriteRune('█')
			case !up:
				b.WriteRune('▀')
			case !down:
				b.WriteRune('▄')
			default:
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// ServeCode serves text as a QR code in SVG.
func ServeCode(w http.ResponseWriter, text string) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		problem.Write(w, http.StatusInternalServerError, "the QR code could not be made")
		return
	}
	size := code.Size + 2*quiet
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%dv%dH0z"/><path d="`,
		size, size, size, size)
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(w, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	fmt.Fprint(w, `"/></svg>`)
}
