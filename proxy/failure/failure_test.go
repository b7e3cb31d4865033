package failure

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/dial"
)

// A certificate writes what it likes where its names should stand.
func TestNamesOfCertificatesAreNotRepeatedBlindly(t *testing.T) {
	for _, names := range [][]string{{"<script>alert(1)</script>"}, {strings.Repeat("a", 81)}, {"a.test", "call 0900-1 now"}, nil} {
		if got := namesOf(&x509.Certificate{DNSNames: names}); got != "" {
			t.Errorf("%q", got)
		}
	}
	if got := namesOf(&x509.Certificate{DNSNames: []string{"a.test", "*.b.test", "c", "d"}}); got != "for a.test, *.b.test, c, " {
		t.Errorf("%q", got)
	}
}

// Failures that sockets on one machine can't be made to show.
func TestClassify(t *testing.T) {
	for _, tc := range []struct {
		err    error
		status int
		reason Reason
	}{
		{&net.DNSError{Err: "i/o timeout", IsTimeout: true}, 504, DNS},
		{&net.DNSError{Err: "server misbehaving", IsTemporary: true}, 502, DNS},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}, 502, Unreachable},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}, 502, Unreachable},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, 504, Timeout},
		{fmt.Errorf("dial: %w", context.DeadlineExceeded), 504, Timeout},
		{fmt.Errorf("read: %w", timedOutError{}), 504, Timeout},
		{x509.InsecureAlgorithmError(x509.SHA1WithRSA), 502, TLSWeak},
		{x509.CertificateInvalidError{Reason: x509.IncompatibleUsage}, 502, TLS},
		{errors.New("remote error: tls: handshake failure"), 502, TLS},
		{errors.New("http2: stream closed"), 502, Protocol},
		{fmt.Errorf("write: %w", syscall.EPIPE), 502, Reset},
		{errors.New("something new"), 502, Reset},
		{fmt.Errorf("dial: %w", &dial.DeniedError{Host: "h", Why: dial.WhyPrivate}), 403, Denied},
	} {
		f := Classify("site.test", tc.err)
		if f.Status != tc.status || f.Reason != tc.reason || f.Title == "" || f.Explain == "" {
			t.Errorf("%v: %+v", tc.err, f)
		}
	}
	if f := Classify("h", &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}); strings.Contains(f.Explain, "accepted") {
		t.Errorf("no connection: %s", f.Explain)
	}
	if f := Classify("h", &dial.DeniedError{Host: "h", Why: dial.WhyMetadata}); !strings.Contains(f.Explain, "allow-target") ||
		strings.Contains(f.Explain, "--allow-private") {
		t.Errorf("metadata: %s", f.Explain)
	}
}

// timedOutError is an error of somebody's own that says what class it is of.
type timedOutError struct{}

func (timedOutError) Error() string { return "the body stalled" }
func (timedOutError) Timeout() bool { return true }
