package pipeline

import (
	"context"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// keepsAll marks nothing.
type keepsAll struct{ *fakeModels }

func (keepsAll) Mark(_ context.Context, _ string, p *page.Page, _ model.Visit) (*page.Marking, error) {
	return &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}, nil
}

// A page whose scripts would show its content is there for programs, and goes to browsers as it is.
func TestProgramsGetWhatScriptsWouldShow(t *testing.T) {
	src := "<!DOCTYPE html><html><head><title>Ferries</title></head><body><p>Loading</p><script>start()</script><noscript><main>" +
		strings.Repeat("<p>The ferry carried forty people over the wide river in calm weather.</p>", 12) + "</main></noscript></body></html>"
	r := newRig(t, serve([]byte(src), "Content-Type", "text/html; charset=utf-8"), func(o *Options) { o.Models = keepsAll{&fakeModels{}} })
	r.rw.parse, r.rw.write = page.ParseContext, write.Form.Write
	for _, mode := range []page.Mode{page.ModeText, page.ModeMarkdown, page.ModeJSON, page.ModeReader, page.ModeLite, page.ModeRemove} {
		got := r.get("/"+mode.String(), "Winnow-Mode", mode.String())
		if !strings.Contains(string(got.body), "The ferry carried") || strings.Contains(string(got.body), "<noscript") {
			t.Errorf("mode %v: Winnow: %s\n%s", mode, got.Header.Get("Winnow"), got.body)
		}
	}
	for _, mode := range []page.Mode{page.ModeAuto, page.ModeHide} {
		if got := r.get("/"+mode.String(), "Winnow-Mode", mode.String()); !strings.Contains(string(got.body), "<script>start()</script><noscript><main>") {
			t.Errorf("mode %v: Winnow: %s\n%s", mode, got.Header.Get("Winnow"), got.body)
		}
	}
}
