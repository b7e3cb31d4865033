package flags

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/proxy/limits"
)

// The help shows the limits that apply without flags: those of limits.Default.
func TestLimitFlagsShowTheDefaults(t *testing.T) {
	var c Limits
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	got := c.Limits.WithDefaults("127.0.0.1:0")
	if d := cmp.Diff(limits.Default(), got); d != "" {
		t.Errorf("flags differ from limits.Default (-package +flags):\n%s", d)
	}
}
