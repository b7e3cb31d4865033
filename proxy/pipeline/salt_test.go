package pipeline

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/exchange"
)

// Where clients share models, what is remembered of texts is each client's own.
func TestClientsHaveSaltsOfTheirOwn(t *testing.T) {
	for _, shared := range []bool{true, false} {
		models := &fakeModels{}
		pl, err := New(Options{Models: models, Mode: page.ModeRemove, Shared: shared, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		for _, client := range []string{"ann", "ann", "bob"} {
			ctx := (&exchange.Exchange{Name: client}).On(context.WithoutCancel(t.Context()))
			rec := httptest.NewRecorder()
			rec.Header().Set("Content-Type", "text/html")
			_, _ = rec.WriteString("<p>A text that is long enough for somebody to read it, and to read it again.")
			resp := rec.Result()
			pl.Response(pl.Request(httptest.NewRequestWithContext(ctx, http.MethodGet, "http://site.test/", nil)), resp)
			resp.Body.Close()
		}
		var salts []uint64
		models.set(func(f *fakeModels) {
			for _, v := range append(f.visits, f.learns...) {
				salts = append(salts, v.Salt)
			}
		})
		if len(salts) != 6 {
			t.Fatalf("shared %v: %d visits", shared, len(salts))
		}
		ann, bob := salts[0], salts[2]
		if salts[1] != ann || salts[3] != ann || salts[5] != bob || shared != (ann != bob) || !shared && ann != 0 {
			t.Errorf("shared %v: %x", shared, salts)
		}
	}
}
