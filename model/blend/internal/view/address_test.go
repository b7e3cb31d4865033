package view

import (
	"testing"
)

func TestResolve(t *testing.T) {
	at := parseAddress("https://www.Example.org/news/today.html?x=1#y")
	for href, want := range map[string]struct {
		kind linkKind
		path string
	}{
		"#top": {linkInside, ""}, "": {linkInside, ""}, "mailto:a@b.c": {linkOther, ""}, "javascript:go()": {linkOther, ""},
		"/a?b#c": {linkPage, "/a?b"}, "b.html": {linkPage, "/news/b.html"}, "../c/": {linkPage, "/c"}, "?p=2": {linkPage, "/news/today.html?p=2"},
		"http://example.org/d": {linkPage, "/d"}, "//example.org": {linkPage, "/"}, "https://other.example/d": {linkPage, ""},
	} {
		if kind, path := at.resolve(href); kind != want.kind || path != want.path {
			t.Errorf("%q leads to %q, kind %d; want %q, %d", href, path, kind, want.path, want.kind)
		}
	}
}
