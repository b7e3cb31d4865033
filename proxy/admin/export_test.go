package admin

import (
	"context"
	"errors"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
)

// The model of a host is there for those who can't open the store while the proxy runs.
func TestExportAPI(t *testing.T) {
	send := serve(t, Options{Models: newFakeModels(), Export: func(_ context.Context, host string) ([]byte, error) {
		if host == "a.test" {
			return []byte("model of " + host), nil
		}
		return nil, errors.Join(cache.ErrNotFound, errors.New(host))
	}})
	for _, tc := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/api/v1/hosts/a.test/model", 200, "model of a.test"},
		{"GET", "/api/v1/hosts/A.Test/model", 200, "model of a.test"},
		{"GET", "/api/v1/hosts/nonesuch.test/model", 404,
			`{"type":"about:blank","title":"Not Found","status":404,"detail":"nothing was learned of this host",` +
				`"error":"nothing was learned of this host"}` + "\n"},
		{"POST", "/api/v1/hosts/a.test/model", 405, ""},
	} {
		resp, body := send(tc.method, tc.path)
		if resp.StatusCode != tc.status || tc.body != "" && body != tc.body {
			t.Errorf("%s %s: %s %q", tc.method, tc.path, resp.Status, body)
		}
	}
	send = serve(t, Options{Models: newFakeModels()})
	if resp, _ := send("GET", "/api/v1/hosts/a.test/model"); resp.StatusCode != 404 {
		t.Errorf("without Export: %s", resp.Status)
	}
}
