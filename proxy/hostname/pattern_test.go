package hostname

import (
	"strings"
	"testing"
)

func TestSetMatches(t *testing.T) {
	h, err := ParseSet([]string{"one.test", ".two.test", "*.three.test", "10.0.0.1", "[::1]", "BÜCHER.test", "a_b.test."})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{
		"one.test": true, "ONE.test.": true, "one.test:8443": true, "www.one.test": false, "xone.test": false,
		"two.test": true, "a.b.two.test": true, "xtwo.test": false, "two.test.evil": false,
		"www.three.test": true, "three.test": false,
		"10.0.0.1": true, "10.0.0.1:1": true, "::1": true, "[::1]:443": true, "[0:0:0::1]": true, "::2": false,
		"xn--bcher-kva.test": true, "A_B.test": true, "": false, ".": false,
	} {
		if h.Match(host) != want {
			t.Errorf("Match(%q) = %v", host, !want)
		}
	}
	if (Set{}).Match("one.test") {
		t.Error("the zero Set matches")
	}
}

func TestHostPatternsThatMakeNoSense(t *testing.T) {
	for _, p := range []string{"", ".", "*", "*.", "a*b.test", "https://a.test", "a.test/x", "a.test:443", "a b", "*a.test"} {
		if _, err := ParseSet([]string{p}); err == nil {
			t.Errorf("%q was taken", p)
		}
	}
}

// A pattern that covers half of the web is a mistake, on any list.
func TestPublicSuffixesAreRefused(t *testing.T) {
	for _, p := range []string{"com", ".com", "*.com", ".co.uk", "co.uk", "*.CO.UK.", ".орг.срб", ".kawasaki.jp"} {
		if _, err := ParseSet([]string{"one.test", p}); err == nil || !strings.Contains(err.Error(), "anybody can register") {
			t.Errorf("%q: %v", p, err)
		}
	}
	for _, p := range []string{".example.co.uk", "github.io", ".github.io", ".test", "localhost", ".internal", "10.0.0.1", "::1",
		"metadata"} {
		if _, err := ParseSet([]string{p}); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}
