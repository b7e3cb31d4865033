package portal

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// PAC returns a proxy auto-configuration file. It sends everything through the proxy at addr (host:port) except for
// names and addresses of the local network. A client connects directly when the proxy does not answer.
func PAC(addr string) []byte {
	literal, err := json.Marshal("PROXY " + addr) // JSON is valid JavaScript; Go's escapes are not
	if err != nil {
		panic(err) // never for a string
	}
	return fmt.Appendf(nil, `function FindProxyForURL(url, host) {
  var proxy = %s;
  if (host == %q) return proxy;
  if (isPlainHostName(host) || dnsDomainIs(host, ".local") || dnsDomainIs(host, ".localhost")) return "DIRECT";
  if (/^(127|10)\.[0-9.]+$|^192\.168\.[0-9.]+$|^172\.(1[6-9]|2[0-9]|3[01])\.[0-9.]+$|^169\.254\.[0-9.]+$/.test(host) ||
      /^\[?(::1|f[cd][0-9a-f]{2}:|fe80:)/i.test(host)) return "DIRECT";
  return proxy + "; DIRECT";
}
`, literal, hostname.Portal)
}

// WritePAC answers r with the PAC file for the proxy at listen. If listen means all addresses, the file has the address
// at which the client's connection arrived.
func WritePAC(w http.ResponseWriter, r *http.Request, listen string) {
	w.Header().Set("Content-Type", "application/x-ns-proxy-autoconfig")
	w.Header().Set("Cache-Control", "max-age=300")
	_, _ = w.Write(PAC(localAddr(r, listen))) // ignore a client that left
}

// reachableAddr returns the address at which the client of r can reach the proxy: the address that the client used if
// it asked the proxy directly, otherwise the configured one.
func reachableAddr(r *http.Request, listen string) string {
	if a, err := hostname.ParseAuthority(r.Host, "80"); err == nil && !r.URL.IsAbs() && a.Host != hostname.Portal {
		return a.String()
	}
	return localAddr(r, listen)
}

// localAddr returns listen, completed with the local address of r's connection.
func localAddr(r *http.Request, listen string) string {
	host, port, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	if err == nil && host != "" && (ip == nil || !ip.IsUnspecified()) && port != "0" {
		return listen
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return listen
	}
	localHost, localPort, lerr := net.SplitHostPort(local.String())
	if lerr != nil {
		return listen
	}
	if err != nil || port == "0" {
		port = localPort
	}
	return net.JoinHostPort(localHost, port)
}
