package sites

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/override"
)

func TestFor(t *testing.T) {
	set, err := CompileRules(map[string]override.Site{"a.example": {}, ".b.example": {}, "c.example:8080": {}, "bücher.example": {},
		"10.0.0.1": {}, "*.d.example": {}})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{"a.example": true, "A.Example": true, "www.a.example": false, "b.example": true,
		"www.b.example": true, "x.www.b.example": true, "ab.example": false, "c.example:8080": true, "c.example": false, "": false,
		"a.example:8080": true, "www.b.example:81": true, "xn--bcher-kva.example": true, "BÜCHER.example:81": true,
		"10.0.0.1:8080": true, "www.d.example": true, "d.example": false} {
		if got := set.For(host) != nil; got != want {
			t.Errorf("%s has rules: %v, want %v", host, got, want)
		}
	}
	var nobody *Rules
	if nobody.For("a.example") != nil || nobody.Hosts() != nil {
		t.Error("a nil set has rules")
	}
}

// The most specific pattern decides.
func TestNearest(t *testing.T) {
	sites := map[string]override.Site{}
	for _, pattern := range []string{"a.example", ".a.example", ".b.a.example", "a.example:81"} {
		sites[pattern] = override.Site{Keep: []string{"#x" + strings.Map(func(r rune) rune {
			if r == '.' || r == ':' {
				return '-'
			}
			return r
		}, pattern)}}
	}
	set, err := CompileRules(sites)
	if err != nil {
		t.Fatal(err)
	}
	for host, pattern := range map[string]string{"a.example": "a.example", "a.example:81": "a.example:81", "a.example:82": "a.example",
		"x.a.example": ".a.example", "b.a.example": ".b.a.example", "x.b.a.example": ".b.a.example"} {
		want, err := override.Compile(sites[pattern])
		if err != nil {
			t.Fatal(err)
		}
		if set.For(host).Fingerprint() != want.Fingerprint() {
			t.Errorf("%s has not the rules of %s", host, pattern)
		}
	}
}

// A key that no host can match is a mistake and must not be ignored silently.
func TestBadPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		"https://a.example":  "neither scheme nor path",
		"a.example/news":     "neither scheme nor path",
		"":                   "want a host name",
		"a b.example":        "want a host name",
		"*a.example":         "followed by a dot",
		".a.example:80":      "only a single host",
		"a.example:tomorrow": "no valid port",
	} {
		if _, err := CompileRules(map[string]override.Site{pattern: {}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", pattern, err, want)
		}
	}
	bad := override.Site{Keep: []string{"p["}}
	if _, err := CompileRules(map[string]override.Site{"x.example": bad}); err == nil || !strings.Contains(err.Error(), `x.example: keep: selector "p["`) {
		t.Errorf("a bad selector: %v", err)
	}
}
