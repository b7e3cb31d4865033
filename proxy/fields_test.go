package proxy

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// A request that asks winnow for something that does not exist is not sent.
func TestBadFieldsAreNamed(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	rw, err := pipeline.New(pipeline.Options{Models: &fullQueue{}, Limits: testmodels.Patient(), Mode: page.ModeRemove, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r := newWorld(t, func(o *Options) { o.Pipeline = rw })
	web := r.origin("127.0.1.3", func(_ http.ResponseWriter, req *http.Request) { asked <- req.URL.Path })
	for _, c := range []struct{ field, value, accept, contentType, want string }{
		{"Winnow-Mode", "shiny", "*/*", "application/problem+json", `"header":"Winnow-Mode","value":"shiny"`},
		{"Winnow-Keep", "nav, adverts", "", "application/problem+json", `"header":"Winnow-Keep","value":"nav,adverts"`},
		{"Winnow-Drop", "<b>", "text/html", "text/html; charset=utf-8", "Winnow-Drop"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(c.field, c.value)
		req.Header.Set("Accept", c.accept)
		resp, err := r.client(false).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Content-Type") != c.contentType || !strings.Contains(string(body), c.want) {
			t.Errorf("%s: %s: %s, %s: %s", c.field, c.value, resp.Status, resp.Header.Get("Content-Type"), body)
		}
	}
	if len(asked) > 0 {
		t.Errorf("the origin was asked for %s", <-asked)
	}
}
