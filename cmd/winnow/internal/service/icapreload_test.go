package service

import (
	"io"
	"net"
	"testing"
	"time"
)

// A reload puts another stall-timeout into force for ICAP too.
func TestReloadOfTheStallTimeoutOfICAP(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Proxy.Limits.Stall = time.Hour
	at := Listeners{Proxy: local(t), ICAP: local(t)}
	s := newTestService(t, o, at)
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
