package portal

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// PAC returns a proxy auto-configuration file that sends everything through the proxy at addr (host:port) but names
// and addresses of the local network; a client goes directly when the proxy does not answer.
func PAC(addr string) []byte {
	literal, err := json.Marshal("PROXY " + addr) // JSON is JavaScript; Go's own escapes are not
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

// WritePAC answers r with the PAC file for the proxy at listen, where "all addresses" stands for the one that the
// client's connection came in by.
func WritePAC(w http.ResponseWriter, r *http.Request, listen string) {
	w.Header().Set("Content-Type", "application/x-ns-proxy-autoconfig")
	w.Header().Set("Cache-Control", "max-age=300")
	_, _ = w.Write(PAC(localAddr(r, listen))) // a client that left needs no file
}

// reachableAddr returns the address of the proxy as the client of r can reach it: the one that the client used, where
// it asked the proxy itself; else the configured one.
func reachableAddr(r *http.Request, listen string) string {
	if a, err := hostname.ParseAuthority(r.Host, "80"); err == nil && !r.URL.IsAbs() && a.Host != hostname.Portal {
		return a.String()
	}
	return localAddr(r, listen)
}

// localAddr returns listen with what it leaves open filled in from the connection of r.
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
