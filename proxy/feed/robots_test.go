package feed

import (
	"net/url"
	"testing"
)

func TestRobots(t *testing.T) {
	const text = "\uFEFFUser-agent: *\nDisallow: /\n\n" +
		"User-Agent: other\nuser-agent: Winnow/2.0 # both\nDisallow: /private\r\nAllow: /private/not$\nDisallow: /*.pdf$\nDisallow: /caf%C3%A9\nDisallow:\nSitemap: /s\nDisallow: /a*b*c\n" +
		"User-agent: third\nDisallow: /third\n"
	own, all := parseRobots(text, robotsName), parseRobots(text, "somebody")
	for path, want := range map[string]bool{"": true, "/": true, "/privat": true, "/private": false, "/private/x": false, "/private/not": true,
		"/private/not/x": false, "/x.pdf": false, "/x.pdf?a": true, "/café": false, "/caf%C3%A9/1": false, "/third": true, "/a": true, "/a1b2c3": false, "/acb": true} {
		u, err := url.Parse("https://a.test" + path)
		if err != nil {
			t.Fatal(err)
		}
		if got := own.permit(u); got != want {
			t.Errorf("%s: %v", path, got)
		}
		if all.permit(u) {
			t.Errorf("%s: permitted to all", path)
		}
	}
	for _, text := range []string{"", "<html>", "User-agent: winnower\nDisallow: /", "Disallow: /", "User-agent: winnow\nAllow: /\nUser-agent: *\nDisallow: /"} {
		if !parseRobots(text, robotsName).permit(&url.URL{Path: "/x"}) {
			t.Errorf("%q forbids", text)
		}
	}
}

func FuzzRobots(f *testing.F) {
	f.Add("user-agent: *\ndisallow: /a*b$\nallow: /", "/a/b")
	f.Fuzz(func(t *testing.T, text, path string) {
		u := &url.URL{Path: path}
		if rules := parseRobots(text, robotsName); len(rules) == 0 && !rules.permit(u) {
			t.Error("no rule forbids")
		}
		if !(rules{{path: "/", allow: false}, {path: "/", allow: true}}).permit(u) {
			t.Error("of equally long rules the one that permits counts")
		}
	})
}
