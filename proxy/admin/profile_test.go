package admin

import (
	"net/http"
	"strings"
	"testing"
)

// Profiles are served in the forms that Go's tools read, and nothing that is asked wrongly starts one.
func TestProfiles(t *testing.T) {
	send := serve(t, Options{Models: newFakeModels(), Profile: true})
	for path, want := range map[string]struct {
		status int
		start  string
	}{
		"/debug/pprof/":                           {200, ""},
		"/debug/pprof/goroutine?debug=1":          {200, "goroutine profile: total"},
		"/debug/pprof/heap":                       {200, "\x1f\x8b"},
		"/debug/pprof/profile?seconds=0.05":       {200, "\x1f\x8b"},
		"/debug/pprof/trace?seconds=0.05":         {200, "go 1."},
		"/debug/pprof/nonesuch":                   {404, "{"},
		"/debug/pprof/cmdline":                    {404, "{"},
		"/debug/pprof/profile?seconds=0":          {400, "{"},
		"/debug/pprof/trace?seconds=1e300":        {400, "{"},
		"/debug/pprof/profile?seconds=NaN":        {400, "{"},
		"/debug/pprof/profile?seconds=all+of+day": {400, "{"},
	} {
		resp, body := send(http.MethodGet, path)
		if resp.StatusCode != want.status || !strings.HasPrefix(body, want.start) {
			t.Errorf("%s: %s %.60q", path, resp.Status, body)
		}
	}
	if _, body := send(http.MethodGet, "/debug/pprof/"); !strings.Contains(body, "goroutine") || !strings.Contains(body, "seconds=") {
		t.Errorf("the list: %s", body)
	}
	if resp, _ := serve(t, Options{Models: newFakeModels()})(http.MethodGet, "/debug/pprof/heap"); resp.StatusCode != 404 {
		t.Errorf("without the flag: %s", resp.Status)
	}
}
