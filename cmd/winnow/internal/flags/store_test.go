package flags

import "testing"

// A port is part of the name: example.org:80 is the model of https://example.org:80, and not that of example.org.
func TestSiteNames(t *testing.T) {
	for name, want := range map[string]string{
		"Example.ORG": "example.org", "example.org:443": "example.org:443", "example.org:80": "example.org:80", "BÜCHER.example": "xn--bcher-kva.example",
	} {
		var got SiteName
		if err := got.UnmarshalText([]byte(name)); err != nil || string(got) != want {
			t.Errorf("%q is %q, %v, want %q", name, got, err, want)
		}
	}
	if err := new(SiteName).UnmarshalText([]byte("https://example.org/")); err == nil {
		t.Error("a URL is a name")
	}
}
