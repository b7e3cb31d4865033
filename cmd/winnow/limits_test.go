package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// The help shows the limits that hold where no flag is given: those of package proxy.
func TestLimitFlagsShowTheDefaults(t *testing.T) {
	var c cli
	parser, err := newParser(&c, nil, nil, nil, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"serve"}); err != nil {
		t.Fatal(err)
	}
	got := limits.Default()
	c.Serve.bound(&got)
	if d := cmp.Diff(limits.Default(), got); d != "" {
		t.Errorf("flags differ from DefaultLimits (-package +flags):\n%s", d)
	}
	var rewriter pipeline.Options
	c.Serve.boundRewriter(&rewriter)
	want := pipeline.DefaultLimits()
	want.MaxConcurrent = 0 // depends on the machine
	if rewriter.MaxBody != want.MaxBody || rewriter.MaxRatio != want.MaxRatio || rewriter.MaxBuffered != want.MaxBuffered ||
		rewriter.ParseTimeout != want.ParseTimeout || rewriter.ReadTimeout != want.ReadTimeout || rewriter.MaxConcurrent != 0 {
		t.Errorf("flags say %+v, package proxy %+v", rewriter, want)
	}
}
