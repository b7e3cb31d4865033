package service

import (
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
)

// A reload puts another stall-timeout into force for ICAP too.
func TestReloadOfTheStallTimeoutOfICAP(t *testing.T) {
	t.Parallel()
	authority, err := certs.LoadOrCreate(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	detector, err := detectors.ByName("lines", detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	models, err := cache.New(t.Context(), cache.Options{Detector: detector, Key: model.NewKey()})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Models: models, Log: slog.New(slog.DiscardHandler)}
	o.Proxy.Authority, o.Proxy.CA = authority, authority
	o.Proxy.Limits.Stall = time.Hour
	at := Listeners{Proxy: local(t), ICAP: local(t)}
	s, err := New(o, at)
	if err != nil {
		t.Fatal(err)
	}
	runService(t, s)
	o.Proxy.Limits.Stall = 50 * time.Millisecond
	if err := s.Reload(o); err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", at.ICAP.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "OPTIONS icap://localhost/winnow ICAP/1.0\r\nHo"); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if b, err := io.ReadAll(c); err != nil {
		t.Errorf("half a request is waited for beyond the new limit: %v (%q)", err, b)
	}
}
