package portal

import (
	"encoding/json"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// FuzzPAC makes PAC files for any address of the listener and any Host of the client. Both stay inside of one string,
// and the client's part is a host and port.
func FuzzPAC(f *testing.F) {
	for _, s := range [][2]string{{"127.0.0.1:8080", "proxy.test"}, {":8080", "[::1]:1"}, {"0.0.0.0:0", "a\"; alert(1); \""},
		{"[::]:8080", "x:99999"}, {"\" + evil() + \"", "\u2028\n"}, {"\a\v\x00\U0001F600\xff", "b\u00fccher.test"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, listen, host string) {
		if got, want := proxyIn(t, PAC(listen)), string([]rune(listen)); got != want {
			t.Fatalf("%q became %q", listen, got)
		}
		r := httptest.NewRequest("GET", "/proxy.pac", nil)
		r.Host = host
		w := httptest.NewRecorder()
		WritePAC(w, r, reachableAddr(r, "127.0.0.1:8080"))
		got := proxyIn(t, w.Body.Bytes())
		h, port, err := net.SplitHostPort(got)
		if err != nil || port == "" {
			t.Fatalf("Host %q sends clients to %q: %v", host, got, err)
		}
		if name, err := hostname.Canonical(h); name != h || err != nil {
			t.Fatalf("Host %q sends clients to %q, which is %q, %v", host, h, name, err)
		}
	})
}

// proxyIn returns the address in a PAC file, and fails if the rest of the file differs from the usual one.
func proxyIn(t *testing.T, pac []byte) string {
	t.Helper()
	before, rest, ok := strings.Cut(string(pac), "var proxy = ")
	literal, after, ok2 := strings.Cut(rest, ";\n")
	fixedBefore, fixedRest, _ := strings.Cut(string(PAC("x:1")), "var proxy = ")
	_, fixedAfter, _ := strings.Cut(fixedRest, ";\n")
	var value string
	if err := json.Unmarshal([]byte(literal), &value); !ok || !ok2 || err != nil || before != fixedBefore || after != fixedAfter {
		t.Fatalf("the address is not one string: %q, %v", literal, err)
	}
	addr, ok := strings.CutPrefix(value, "PROXY ")
	if !ok {
		t.Fatalf("%q", value)
	}
	return addr
}
