package pipeline

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
)

func TestNewRewriterRefusesBadOptions(t *testing.T) {
	good := newRig(t, serve(nil)).rw.opts
	for name, change := range map[string]func(*Options){
		"no models":       func(o *Options) { o.Models = nil },
		"no logger":       func(o *Options) { o.Logger = nil },
		"negative size":   func(o *Options) { o.Limits.Body = -1 },
		"negative time":   func(o *Options) { o.Limits.Clean = -1 },
		"mode out of use": func(o *Options) { o.Mode = page.Mode(99) },
	} {
		bad := good
		change(&bad)
		if _, err := New(bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
