package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/api"
)

// wanted is what a problem should be.
type wanted struct {
	Title, Detail, Reason, Parameter string
	Status                           int
	OriginStatus                     int `json:"origin_status"`
}

// isProblem sees that an answer is the problem that is wanted.
func isProblem(t *testing.T, name string, resp *http.Response, text string, want wanted) {
	t.Helper()
	var got wanted
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Errorf("%s: %s: %v: %s", name, resp.Status, err, text)
		return
	}
	if resp.StatusCode != want.Status || got.Status != want.Status || resp.Header.Get("Content-Type") != "application/problem+json" ||
		got.Parameter != want.Parameter || got.Reason != want.Reason || got.OriginStatus != want.OriginStatus || got.Detail == "" || got.Title == "" {
		t.Errorf("%s: %s: %s", name, resp.Status, text)
	}
}

func TestBadInput(t *testing.T) {
	w := newWorld(t, func(o *api.Options) { o.Timeout = 8 * time.Second }) // enough for what does not stall
	at := w.origin
	for name, c := range map[string]struct {
		params url.Values
		want   wanted
	}{
		"no address":       {url.Values{}, wanted{Status: 400, Parameter: "url"}},
		"no web address":   {url.Values{"url": {"file:///etc/passwd"}}, wanted{Status: 400, Parameter: "url"}},
		"opaque":           {url.Values{"url": {"http:http://127.0.0.1/"}}, wanted{Status: 400, Parameter: "url"}},
		"no mode":          {url.Values{"url": {at + "/"}, "mode": {"pretty"}}, wanted{Status: 400, Parameter: "mode"}},
		"no kind":          {url.Values{"url": {at + "/"}, "keep": {"adverts"}}, wanted{Status: 400, Parameter: "keep"}},
		"no number":        {url.Values{"url": {at + "/"}, "chunks": {"many"}}, wanted{Status: 400, Parameter: "chunks"}},
		"below zero":       {url.Values{"url": {at + "/"}, "chunks": {"-1"}}, wanted{Status: 400, Parameter: "chunks"}},
		"a part of JSON":   {url.Values{"url": {at + "/"}, "tokens": {"500"}}, wanted{Status: 400, Parameter: "tokens"}},
		"parts too short":  {url.Values{"url": {at + "/"}, "mode": {"text"}, "tokens": {"1"}}, wanted{Status: 400, Parameter: "tokens"}},
		"part of a whole":  {url.Values{"url": {at + "/"}, "mode": {"text"}, "part": {"2"}}, wanted{Status: 400, Parameter: "part"}},
		"part too high":    {url.Values{"url": {at + "/"}, "mode": {"text"}, "tokens": {"500"}, "part": {"9"}}, wanted{Status: 400, Parameter: "part"}},
		"no parameter":     {url.Values{"url": {at + "/"}, "format": {"text"}}, wanted{Status: 400, Parameter: "format"}},
		"twice":            {url.Values{"url": {at + "/", at + "/log/1"}}, wanted{Status: 400, Parameter: "url"}},
		"metadata service": {url.Values{"url": {"http://169.254.169.254/latest/"}}, wanted{Status: 403, Reason: "denied"}},
		"port":             {url.Values{"url": {"http://127.0.0.1:22/"}}, wanted{Status: 403, Reason: "denied"}},
		"nobody there":     {url.Values{"url": {"http://127.0.0.1:9999/"}}, wanted{Status: 502, Reason: "refused"}},
		"an application":   {url.Values{"url": {at + "/application"}}, wanted{Status: 422, Reason: "application"}},
		"a picture":        {url.Values{"url": {at + "/picture"}}, wanted{Status: 415, Reason: "type"}},
		"not found":        {url.Values{"url": {at + "/nothing"}}, wanted{Status: 502, Reason: "status", OriginStatus: 404}},
		"too large":        {url.Values{"url": {at + "/huge"}}, wanted{Status: 422, Reason: "too-large"}},
		"stalls":           {url.Values{"url": {at + "/stalls"}}, wanted{Status: 504, Reason: "timeout"}},
	} {
		resp, text := w.get("/api/v1/clean", c.params)
		isProblem(t, name, resp, text, c.want)
	}
}

func TestBadBodies(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		contentType, sent string
		params            url.Values
		want              wanted
	}{
		"a form":          {"application/x-www-form-urlencoded", "url=x", nil, wanted{Status: 415}},
		"no JSON":         {"application/json", "<html>", nil, wanted{Status: 400, Parameter: "body"}},
		"unknown member":  {"application/json", `{"url":"http://a.test/","format":"x"}`, nil, wanted{Status: 400, Parameter: "body"}},
		"two values":      {"application/json", `{"url":"http://a.test/"} {}`, nil, wanted{Status: 400, Parameter: "body"}},
		"a wrong type":    {"application/json", `{"url":"http://a.test/","chunks":"x"}`, nil, wanted{Status: 400, Parameter: "chunks"}},
		"a page unnamed":  {"text/html", "<p>x", nil, wanted{Status: 400, Parameter: "url"}},
		"an empty page":   {"text/html", "", url.Values{"url": {"http://a.test/"}}, wanted{Status: 400, Parameter: "body"}},
		"a page too long": {"text/html", strings.Repeat("<p>x", 1<<19+1<<14), url.Values{"url": {"http://a.test/"}}, wanted{Status: 413}},
	} {
		resp, text := w.post(c.contentType, c.sent, c.params)
		isProblem(t, name, resp, text, c.want)
	}
	resp, text := w.get("/api/v1/template", url.Values{"host": {"no host"}})
	isProblem(t, "no host", resp, text, wanted{Status: 400, Parameter: "host"})
	resp, text = w.get("/api/v1/nothing", nil)
	isProblem(t, "no path", resp, text, wanted{Status: 404})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, w.api+"/api/v1/clean", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, text = w.do(req)
	isProblem(t, "no method", resp, text, wanted{Status: 405})
	if resp.Header.Get("Allow") != "GET, POST" {
		t.Errorf("Allow: %s", resp.Header.Get("Allow"))
	}
}
