package admin

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// withSites returns options with a book of settings in a file.
func withSites(t *testing.T) (o Options, file string) {
	t.Helper()
	o, file = busy(), filepath.Join(t.TempDir(), sites.FileName)
	var err error
	if o.Sites, err = sites.OpenBook(file, o.Now); err != nil {
		t.Fatal(err)
	}
	o.Configured = func(host string) Configured {
		c := Configured{Mode: page.ModeAuto, Policy: policy.Default()}
		if host == "wiki.example" {
			c.Bypass, c.Pattern, c.Rules = true, ".example", override.Site{Keep: []string{".infobox"}, Remove: []string{".navbox", "#toc"}}
		}
		return c
	}
	return o, file
}

// The form of a site's settings saves, refuses, undoes and resets; what it saved is on disk when it answers.
func TestSettingsForm(t *testing.T) {
	o, file := withSites(t)
	send := serve(t, o)
	resp, body := send("GET", "/hosts/new.example")
	base := "http://" + resp.Request.URL.Host
	token := regexp.MustCompile(`name="token" value="([0-9a-f]+)"`).FindStringSubmatch(body)
	if resp.StatusCode != 200 || token == nil {
		t.Fatalf("a site that nothing was learned of: %s %s", resp.Status, body)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	post := func(path string, form url.Values, fields ...string) (int, string) {
		t.Helper()
		req, _ := http.NewRequest("POST", base+path, strings.NewReader(form.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i < len(fields); i += 2 {
			req.Header.Set(fields[i], fields[i+1])
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	form := url.Values{"token": {token[1]}, "do": {"save"}, "mode": {"reader"}, "bypass": {"on"}, "kind-related": {"keep"}, "kind-date": {"drop"},
		"remove": {".a\r\n\r\n  .b > p  \r\n"}}
	for name, c := range map[string]struct {
		path   string
		spoil  url.Values
		fields []string
		want   int
	}{
		"no token":         {"/hosts/new.example/settings", url.Values{"token": nil}, nil, 403},
		"another site's":   {"/hosts/other.example/settings", nil, nil, 403},
		"another origin":   {"/hosts/new.example/settings", nil, []string{"Origin", "https://evil.example"}, 403},
		"cross-site":       {"/hosts/new.example/settings", nil, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"no mode":          {"/hosts/new.example/settings", url.Values{"mode": {"sideways"}}, nil, 422},
		"no kind's choice": {"/hosts/new.example/settings", url.Values{"kind-nav": {"perhaps"}}, nil, 422},
		"no selector":      {"/hosts/new.example/settings", url.Values{"keep": {"p["}}, nil, 422},
		"nothing to do":    {"/hosts/new.example/settings", url.Values{"do": {"dance"}}, nil, 400},
		"nothing to undo":  {"/hosts/new.example/settings", url.Values{"do": {"undo"}}, nil, 422},
		"no host":          {"/hosts/a%20b/settings", nil, nil, 404},
	} {
		spoilt := url.Values{}
		for k, v := range form {
			spoilt[k] = v
		}
		for k, v := range c.spoil {
			spoilt[k] = v
		}
		if got, body := post(c.path, spoilt, c.fields...); got != c.want {
			t.Errorf("%s: %d, want %d: %s", name, got, c.want, body)
		} else if name == "no selector" && (!strings.Contains(body, `selector &#34;p[&#34;`) || !strings.Contains(body, ".b &gt; p")) {
			t.Errorf("what is wrong is not said, or what was typed is lost: %s", body)
		}
	}
	if len(o.Sites.All()) != 0 {
		t.Fatalf("something was set: %v", o.Sites.All())
	}
	if got, body := post("/hosts/new.example/settings", form); got != 303 {
		t.Fatalf("saving: %d %s", got, body)
	}
	again, err := sites.OpenBook(file, nil) // as after kill -9
	if err != nil {
		t.Fatal(err)
	}
	if s := again.Get("new.example"); s.Mode == nil || *s.Mode != page.ModeReader || !s.Bypass || s.KeepKinds != page.Kinds(page.KindRelated) ||
		s.DropKinds != page.Kinds(page.KindDate) || strings.Join(s.Remove, "|") != ".a|.b > p" {
		t.Errorf("saved: %+v", s)
	}
	if _, body := send("GET", "/"); !strings.Contains(body, "left alone · mode reader · keeps related · drops date · 2 rules") {
		t.Errorf("the overview does not say what is set: %s", body)
	}
	for _, do := range []string{"reset", "undo", "undo"} {
		if got, body := post("/hosts/new.example/settings", url.Values{"token": {token[1]}, "do": {do}}); got != 303 {
			t.Fatalf("%s: %d %s", do, got, body)
		}
	}
	if len(o.Sites.All()) != 0 {
		t.Errorf("left: %v", o.Sites.All())
	}
	if resp, _ := send("GET", "/hosts/?host=https://news.example/a"); resp.Request.URL.Path != "/hosts/news.example" {
		t.Errorf("an address leads to %s", resp.Request.URL)
	}
	if resp, _ := send("GET", "/hosts/?host=a%20b"); resp.StatusCode != 400 {
		t.Errorf("no host: %s", resp.Status)
	}
}

// The page tells what the configuration says, and that it can't be overruled where it can't.
func TestThePageShowsWhatTheConfigurationSays(t *testing.T) {
	o, _ := withSites(t)
	_, body := serve(t, o)("GET", "/hosts/wiki.example")
	for _, want := range []string{".navbox", "<code>.example</code>", "--bypass", "As everywhere: auto", "Default: goes"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q: %s", want, body)
		}
	}
}

// The API does what the form does.
func TestSettingsAPI(t *testing.T) {
	o, _ := withSites(t)
	s := httptest.NewServer(New(o))
	defer s.Close()
	do := func(method, path, body string) (int, string) {
		t.Helper()
		req, _ := http.NewRequest(method, s.URL+"/api/v1/"+path, strings.NewReader(body))
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "hosts/a.example/settings", "", 200, `{"at":"0001-01-01T00:00:00Z"}`},
		{"PUT", "hosts/a.example/settings", `{"mode":"off","drop_kinds":"date,nav","remove":[".x"]}`, 200, `"drop_kinds":"nav,date"`},
		{"GET", "hosts/a.example/settings", "", 200, `"mode":"off"`},
		{"PUT", "hosts/a.example/settings", `{"mode":"up"}`, 400, `mode \"up\" is not one of`},
		{"PUT", "hosts/a.example/settings", `{"moed":"off"}`, 400, `unknown field \"moed\"`},
		{"PUT", "hosts/a.example/settings", `{} {}`, 400, `more than one value`},
		{"PUT", "hosts/a.example/settings", `{"keep":["` + strings.Repeat("a", maxSettings) + `"]}`, 413, "at most"},
		{"PUT", "hosts/a.example/settings", `{"keep":["p["]}`, 422, `selector \"p[\"`},
		{"PUT", "hosts/a%20b/settings", `{}`, 404, "want a host name"},
		{"GET", "settings", "", 200, `{"sites":{"a.example":{"mode":"off","drop_kinds":"nav,date","remove":[".x"]}}}`},
		{"POST", "settings", `{"sites":{"b.example":{"bypass":true},"c.example":{"mode":"lite"}}}`, 200, `{"sites":2}`},
		{"POST", "settings", `{"sites":{"d.example":{"bypass":true},"a b":{}}}`, 422, "want a host name"},
		{"GET", "settings", "", 200, `"b.example":{"bypass":true},"c.example":{"mode":"lite"}}`},
		{"POST", "hosts/a.example/settings/undo", "", 200, `{"at":"0001-01-01T00:00:00Z"}`},
		{"POST", "hosts/a.example/settings/undo", "", 409, "nothing to undo"},
		{"DELETE", "hosts/b.example/settings", "", 204, ""},
		{"GET", "settings", "", 200, `{"sites":{"c.example":{"mode":"lite"}}}`},
		{"PATCH", "settings", "", 405, "PATCH is not allowed"},
	} {
		if status, body := do(c.method, c.path, c.body); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s %.80s: %d %s, want %d %s", c.method, c.path, c.body, status, body, c.status, c.want)
		} else if status >= 400 && !json.Valid([]byte(body)) {
			t.Errorf("%s %s: no problem document: %s", c.method, c.path, body)
		}
	}
}
