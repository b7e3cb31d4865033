package evaluate

import (
	"strings"
	"testing"
)

func TestSavedFrom(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		{`<head><link rel="canonical" href="https://WWW.Example.org:8443/a/b">`, "example.org"},
		{`<link href=/style.css rel=stylesheet><meta property=og:url content="http://blog.example.co.uk/post">`, "example.co.uk"},
		{`<base href="http://alice.github.io/">`, "alice.github.io"},
		{`<!-- saved from url=(0023)https://m.example.com/x --><html><title>t</title>`, "example.com"},
		{`<!-- saved from url=(0023)https://a.example.com/ --><link rel=canonical href=https://b.example.net/>`, "example.net"},
		{`<base href="//192.0.2.7/x">`, "192.0.2.7"},
		{`<base href="http://a<b(c/">`, ""},
		{`<link rel=canonical href="/relative"><base target=_top>`, ""},
		{`<link rel=canonical href="file:///C:/saved.html"><link rel=canonical href="http://[">`, ""},
		{`<body><link rel=canonical href="https://example.org/">`, ""},
		{`<title><link rel=canonical href="https://example.org/"></title>`, ""},
		{strings.Repeat(" ", savedFromHead) + `<link rel=canonical href="https://example.org/">`, ""},
		{"", ""},
	} {
		if got := SavedFrom([]byte(tc.src)); got != tc.want {
			t.Errorf("%.120q is of %q, want %q", tc.src, got, tc.want)
		}
	}
}

// The site of any file is a host name or empty.
func FuzzSavedFrom(f *testing.F) {
	for _, seed := range []string{`<base href="http://a.example/">`, `<!-- saved from url=(1)x -->`, `<meta property=og:url content="http://%41/">`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if site := SavedFrom(b); strings.ContainsAny(site, "/ <>") {
			t.Errorf("site %q", site)
		}
	})
}
