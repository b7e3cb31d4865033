package main

import (
	"testing"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
)

// --icap on loopback does not make strangers of those who use the proxy.
func TestICAPLeavesTheProxyAlone(t *testing.T) {
	for _, c := range []struct {
		args   []string
		shared bool
	}{
		{[]string{"serve", "--icap", "127.0.0.1:1344"}, false},
		{[]string{"serve", "--listen", "0.0.0.0:8080", "--allow-client", "10.0.0.0/8"}, true},
	} {
		conf, err := parse(append(c.args, "--data", t.TempDir()), console.Environment{})
		if err != nil {
			t.Fatal(err)
		}
		o, err := conf.Command().(*serveCmd).options(&console.Console{}, conf)
		if err != nil || o.Cleaning.Shared != c.shared {
			t.Errorf("%v: shared %v, want %v, %v", c.args, o.Cleaning.Shared, c.shared, err)
		}
	}
}
