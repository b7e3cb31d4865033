package service

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// without are overrides that remove one element from the pages of a host.
func without(t *testing.T, host, selector string) *sites.Rules {
	t.Helper()
	set, err := sites.CompileRules(map[string]override.Site{host: {Remove: []string{selector}}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// A stored page is no longer valid once other overrides are in force, even if other clients have fetched it since.
func TestStoredPagesEndWithTheirOverrides(t *testing.T) {
	t.Parallel()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"v1"`)
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Harbour</title><p id=one>The first boats came in.</p><p id=two>By seven the ice was gone.</p>")
	}))
	defer origin.Close()
	host := strings.TrimPrefix(origin.URL, "http://")
	front := local(t)
	o := options(t)
	o.Cleaning.Learn, o.Rules = pipeline.LearnOff, without(t, host, "#one")
	s := newTestService(t, o, Listeners{Proxy: front})
	stop, done := runService(t, s)
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: front.Addr().String()})}}
	get := func(known string) (status int, tag, body string) {
		return revalidate(t, client, origin.URL, known)
	}

	_, first, body := get(`"none"`)
	if strings.Contains(body, "boats") {
		t.Fatalf("the override does not hold: %s", body)
	}
	if status, tag, _ := get(first); status != http.StatusNotModified || tag != first {
		t.Errorf("the page that is stored: %d with %s, want 304 with %s", status, tag, first)
	}

	o = s.options
	o.Rules = without(t, host, "#two")
	if err := s.Reload(o); err != nil {
		t.Fatal(err)
	}
	_, second, _ := get(`"none"`) // another client's
	if status, _, body := get(first); status != http.StatusOK || !strings.Contains(body, "boats") {
		t.Errorf("the page that is stored, after a reload: %d\n%s", status, body)
	}
	if status, _, _ := get(second); status != http.StatusNotModified {
		t.Errorf("the new page: %d, want 304", status)
	}

	// Rules for other hosts, and a reload that changes nothing, leave stored pages valid.
	more := map[string]override.Site{host: {Remove: []string{"#two"}}, "other.example": {Remove: []string{"#one"}}}
	var err error
	if o.Rules, err = sites.CompileRules(more); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(o); err != nil {
		t.Fatal(err)
	}
	if _, third, _ := get(`"none"`); third != second {
		t.Errorf("the tag is %s after a reload, and was %s", third, second)
	}
}

// revalidate asks for a page that the client has stored with the tag known.
func revalidate(t *testing.T, client *http.Client, target, known string) (status int, tag, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", known)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Etag"), string(b)
}

// Another program, another detector and another setting each give another judge.
func TestJudges(t *testing.T) {
	seen := map[uint32]int{}
	for i, host := range []string{"a.example", "b.example"} {
		for j, detector := range []string{"purify", "purify:beta=0.65"} {
			for k, program := range []string{"1.0.0", "1.1.0"} {
				judge := ruledModels{rules: without(t, "a.example", "p")}.judge(program, detector)
				if was, ok := seen[judge(host)]; ok {
					t.Errorf("judge %d is judge %d", i*4+j*2+k, was)
				}
				seen[judge(host)] = i*4 + j*2 + k
			}
		}
	}
}
