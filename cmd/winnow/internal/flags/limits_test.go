package flags

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// The help shows the limits that hold where no flag is given: those of the packages that hold them.
func TestLimitFlagsShowTheDefaults(t *testing.T) {
	var c Limits
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	got := limits.Default()
	c.Bound(&got)
	if d := cmp.Diff(limits.Default(), got); d != "" {
		t.Errorf("flags differ from limits.Default (-package +flags):\n%s", d)
	}
	var cleaning pipeline.Options
	c.BoundCleaning(&cleaning)
	want := pipeline.DefaultLimits()
	want.MaxConcurrent = 0 // depends on the machine
	if cleaning.MaxBody != want.MaxBody || cleaning.MaxRatio != want.MaxRatio || cleaning.MaxBuffered != want.MaxBuffered ||
		cleaning.ParseTimeout != want.ParseTimeout || cleaning.ReadTimeout != want.ReadTimeout || cleaning.MaxConcurrent != 0 {
		t.Errorf("flags say %+v, package pipeline %+v", cleaning, want)
	}
}
