package portal

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

func TestReachableAddr(t *testing.T) {
	request := func(target, host, local string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		r.Host = host
		if local == "" {
			return r
		}
		addr, err := net.ResolveTCPAddr("tcp", local)
		if err != nil {
			t.Fatal(err)
		}
		return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr))
	}
	for _, tc := range []struct{ target, host, local, listen, want string }{
		{"/", "box.lan:3128", "10.0.0.5:3128", "0.0.0.0:3128", "box.lan:3128"},
		{"/", "box.lan", "", ":80", "box.lan:80"},
		{"/", `x";alert(1)`, "10.0.0.5:3128", "0.0.0.0:3128", "10.0.0.5:3128"},
		{"http://winnow.internal/", hostname.Portal, "10.0.0.5:3128", ":3128", "10.0.0.5:3128"},
		{"http://winnow.internal/", hostname.Portal, "[::1]:3128", "[::]:3128", "[::1]:3128"},
		{"http://winnow.internal/", hostname.Portal, "10.0.0.5:3128", "box.lan:3128", "box.lan:3128"},
		{"http://winnow.internal/", hostname.Portal, "10.0.0.5:40000", "127.0.0.1:0", "10.0.0.5:40000"},
		{"http://winnow.internal/", hostname.Portal, "", ":3128", ":3128"},
		{"http://winnow.internal/", hostname.Portal, "10.0.0.5:40000", "", "10.0.0.5:40000"},
	} {
		if got := reachableAddr(request(tc.target, tc.host, tc.local), tc.listen); got != tc.want {
			t.Errorf("%+v: got %s", tc, got)
		}
	}
}

func TestPACQuotesItsAddress(t *testing.T) {
	for _, addr := range []string{`a";alert(1);"`, "a\\\n", "</script>"} {
		line, _, _ := strings.Cut(string(PAC(addr)), "\n  if")
		inner := strings.TrimSuffix(line[strings.Index(line, `"`)+1:], `";`)
		if strings.Contains(strings.ReplaceAll(strings.ReplaceAll(inner, `\\`, ""), `\"`, ""), `"`) || strings.Contains(inner, "\n") {
			t.Errorf("%q breaks out: %s", addr, line)
		}
	}
}
