package lines_test

import (
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
	"github.com/winnow-proxy/winnow/model/lines"
)

func TestContract(t *testing.T) {
	limits := model.Limits{Memory: 48 << 10, Encoded: 16 << 10}
	modeltest.Check(t, lines.Detector{Options: lines.Options{Limits: limits}}, limits)
}

// Pages with only new lines do not evict the lines that every page has.
func TestEvictionKeepsTheTemplate(t *testing.T) {
	opts := lines.Options{Limits: model.Limits{Memory: 32 << 10, Encoded: 8 << 10}}
	h := lines.Detector{Options: opts}.New(modeltest.Key())
	for i := range 60 {
		h.Observe(parse(t, "<div>All rights reserved.</div>"+newLines(300, i)), visit(i))
	}
	back, err := lines.Detector{Options: opts}.Decode(modeltest.Key(), modeltest.Encoded(t, h))
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, back, "<p>Text, once.<div>All rights reserved.</div>"); len(got) != 1 {
		t.Errorf("content %q", got)
	}
}
