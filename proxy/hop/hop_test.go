package hop

import (
	"net/http"
	"strings"
	"testing"
)

// FuzzHopByHop checks that no hop-by-hop field is forwarded, whatever Connection names, and that nothing panics.
func FuzzHopByHop(f *testing.F) {
	f.Add("close, X-A", "X-A", "1.1 winnow-1")
	f.Add("Host,,\t, Content-Length", "Te", "1.1 a (b, c), 1.0 winnow-1")
	f.Fuzz(func(t *testing.T, connection, name, viaLine string) {
		h := http.Header{"Connection": {connection}, "Content-Length": {"1"}, "Via": {viaLine}, "Upgrade": {"h2c"}}
		h.Set(name, "x")
		v := Via{"winnow-1"}
		_ = Upgrade(h)
		StripRequest(h)
		for _, gone := range hopByHop() {
			if _, ok := h[gone]; ok && gone != "Te" {
				t.Fatalf("%s went on", gone)
			}
		}
		for _, named := range strings.Split(connection, ",") {
			named = strings.Trim(named, " \t")
			if _, ok := h[http.CanonicalHeaderKey(named)]; ok && named != "" && !keptDespiteConnection(named) &&
				!strings.EqualFold(named, "Te") && !strings.EqualFold(named, "User-Agent") {
				t.Fatalf("%q went on", named)
			}
		}
		if v.Add(h, 1, 1); !v.Seen(h) {
			t.Fatal("own entry not recognized")
		}
	})
}
