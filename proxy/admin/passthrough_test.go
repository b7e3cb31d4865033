package admin

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/intercept"
)

// fakePassthrough is a Passthrough in a slice.
type fakePassthrough struct{ entries []*intercept.Entry }

// Passthrough implements Passthrough.
func (f *fakePassthrough) Passthrough() []*intercept.Entry { return f.entries }

// ForgetPassthrough implements Passthrough.
func (f *fakePassthrough) ForgetPassthrough(client, host string) int {
	before := len(f.entries)
	f.entries = slices.DeleteFunc(f.entries, func(e *intercept.Entry) bool {
		return (client == "" || e.Client == client) && (host == "" || e.Host == host)
	})
	return before - len(f.entries)
}

func TestPassthroughIsShownAndEnded(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	fake := &fakePassthrough{entries: []*intercept.Entry{
		{Client: "10.0.0.1", Host: "app.test", Reason: "alert", Since: at, Until: at.Add(time.Hour)},
		{Client: "10.0.0.2", Host: "app.test", Reason: "hangup", Since: at, Until: at.Add(time.Hour)},
		{Client: "10.0.0.2", Program: "1f0c", Host: "<b>.test", Reason: "hangup", Since: at, Until: at.Add(time.Hour)},
	}}
	send := serve(t, Options{Models: newFakeModels(), Passthrough: fake})
	for _, step := range []struct {
		method, path string
		status       int
		holds        string
	}{
		{"GET", "/api/v1/passthrough", 200,
			`{"client":"10.0.0.1","program":"","host":"app.test","reason":"alert","since":"2026-11-20T12:00:00Z","until":"2026-11-20T13:00:00Z"}`},
		{"GET", "/", 200, `<strong>&lt;b&gt;.test</strong> for 10.0.0.2<br><span class="small soft">program 1f0c · hangup · until 2026-11-20 13:00 UTC</span>`},
		{"POST", "/api/v1/passthrough", 405, `GET, HEAD, DELETE`},
		{"DELETE", "/api/v1/passthrough?hosts=app.test", 400, `unknown parameter`},
		{"DELETE", "/api/v1/passthrough?host=other.test", 404, `nothing passes through`},
		{"DELETE", "/api/v1/passthrough?host=app.test&client=10.0.0.1", 200, `{"ended":1}`},
		{"DELETE", "/api/v1/passthrough", 200, `{"ended":2}`},
		{"DELETE", "/api/v1/passthrough", 200, `{"ended":0}`},
	} {
		if resp, body := send(step.method, step.path); resp.StatusCode != step.status || !strings.Contains(body, step.holds) {
			t.Errorf("%s %s: %s %s", step.method, step.path, resp.Status, body)
		}
	}
	if _, body := send("GET", "/"); strings.Contains(body, "Passing through") {
		t.Error("the page has a table of nothing")
	}
}

func TestWithoutPassthroughThereIsNone(t *testing.T) {
	if resp, _ := serve(t, Options{Models: newFakeModels()})("GET", "/api/v1/passthrough"); resp.StatusCode != http.StatusNotFound {
		t.Error(resp.Status)
	}
}
