package proxy

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// series lists the metrics with their labels.
func series(registry *prom.Registry) (all []string) {
	for _, f := range registry.Families() {
		for _, s := range f.Samples {
			all = append(all, fmt.Sprint(f.Name, f.Labels, s.Values))
		}
	}
	return all
}

// Whatever clients ask for, and whatever origins answer, labels come from closed lists: a second round with other
// hosts, paths, methods, modes and statuses adds no series to the first, and none ever names a host.
func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	registry := &prom.Registry{}
	metrics := metrics.New(registry)
	rewriter, err := pipeline.New(pipeline.Options{Models: &noModels{}, Limits: testmodels.Patient(), Logger: slog.New(slog.DiscardHandler), Metrics: pipeline.Counting(metrics)})
	if err != nil {
		t.Fatal(err)
	}
	r := newWorld(t, func(o *Options) { o.Metrics, o.Pipeline, o.Bypass = metrics, rewriter, []string{".tunnel.test"} })
	round := func(n int) {
		secret := fmt.Sprintf("secret%d", n)
		answer := func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Type", "text/"+secret)
			w.Header().Set("Content-Encoding", secret)
			w.WriteHeader(200 + 100*(len(req.URL.Path)%4) + n)
		}
		plain := r.origin(fmt.Sprintf("127.0.2.%d", n), answer)
		secure := r.secureOrigin(fmt.Sprintf("127.0.3.%d", n), secret+".test", answer)
		for _, base := range []string{plain, secure} {
			for i := range 4 {
				req, _ := http.NewRequest("X"+strings.ToUpper(secret), base+"/"+secret[:i], nil)
				do(t, r.client(i%2 == 0), req)
				get(t, r.client(i%2 == 0), base+"/"+secret[:i], "Winnow-Mode", secret, "Sec-Fetch-Dest", secret)
			}
		}
		for _, host := range []string{secret + ".missing.test", "169.254.169.254", secret + ".tunnel.test"} {
			resp, err := r.client(false).Get("http://" + host + "/")
			if err == nil {
				resp.Body.Close()
			}
			c, _, _ := r.connect(host + ":443")
			c.Close()
		}
	}
	round(1)
	first := series(registry)
	round(2)
	second := series(registry)
	for _, s := range second {
		if !slices.Contains(first, s) {
			t.Errorf("new in the second round: %s", s)
		}
		if strings.Contains(s, "secret") || strings.Contains(s, ".test") || strings.Contains(s, "127.0.") || strings.Contains(s, "169.") {
			t.Errorf("a host, or what a client made up, is in %s", s)
		}
	}
	if len(second) > 250 {
		t.Errorf("%d series", len(second))
	}
}
