package pipeline

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// explaining are models that say what their verdicts rest on.
type explaining struct{ *fakeModels }

func (explaining) Explain(context.Context, string, *page.Page, model.Visit) ([][]model.Evidence, error) {
	return [][]model.Evidence{{{Name: "links", Words: "links", Weight: 1}}}, nil
}

// Evidence tells what a model knows, so that clients who share models do not get it; the operator does.
func TestEvidenceIsForTheOperator(t *testing.T) {
	for _, c := range []struct{ shared, asked, operator, want bool }{
		{false, false, false, false}, {false, true, false, true}, {false, true, true, true}, {true, true, false, false}, {true, true, true, true},
	} {
		pl, err := New(Options{Models: explaining{&fakeModels{}}, Logger: slog.New(slog.DiscardHandler), Shared: c.shared})
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		if c.asked {
			ctx = WithEvidence(ctx, c.operator)
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://a.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		ex, err := pl.Examine(ctx, "ada", &http.Response{StatusCode: 200, Request: req, Header: http.Header{"Content-Type": {"text/html"}},
			Body: io.NopCloser(strings.NewReader("<p>Some text</p>"))})
		if err != nil {
			t.Fatal(err)
		}
		if got := ex.Evidence != nil; got != c.want {
			t.Errorf("%+v: evidence %v", c, ex.Evidence)
		}
	}
}
