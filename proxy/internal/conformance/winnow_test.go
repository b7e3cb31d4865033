package conformance_test

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/internal/conformance"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestWinnow checks every requirement on winnow with its defaults: the default detector, removing and learning.
func TestWinnow(t *testing.T) {
	target := startWinnow(t)
	for _, o := range conformance.Run(t.Context(), target, conformance.Requirements()) {
		t.Run(o.ID+"/"+o.Way.String(), func(t *testing.T) {
			if o.Skipped {
				t.Error("winnow does not offer the way")
			}
			if o.Err != nil {
				t.Error(o.Err)
			}
		})
	}
}

func newAuthority(t *testing.T) *certs.Authority {
	t.Helper()
	a, err := certs.LoadOrCreate(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// startWinnow starts the proxy with its models, and stops both when the test ends.
func startWinnow(t *testing.T) conformance.Target {
	t.Helper()
	ca, origins, log := newAuthority(t), newAuthority(t), slog.New(slog.DiscardHandler)
	models := testmodels.New(t)
	rewriter, err := pipeline.New(pipeline.Options{Models: models, Limits: testmodels.Patient(), Mode: page.ModeRemove, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	server, err := proxy.New(proxy.Options{Listen: addr, Authority: ca, CA: ca, Pipeline: rewriter, UpstreamRoots: origins.Pool(),
		AllowPorts: []string{"1-65535"}, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := server.Serve(ctx, ln); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	t.Cleanup(func() {
		stop()
		wg.Wait()
	})
	return conformance.Target{Addr: addr, Trust: ca.Pool(), Origins: origins, Parallel: 8}
}
