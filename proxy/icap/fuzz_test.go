package icap

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// FuzzMessage: whatever a client sends, the reader ends, and keeps to its bounds.
func FuzzMessage(f *testing.F) {
	f.Add("OPTIONS icap://h/winnow ICAP/1.0\r\nHost: h\r\n\r\n")
	f.Add("RESPMOD icap://h/winnow?mode=text ICAP/1.0\r\nPreview: 4\r\nAllow: 204\r\nEncapsulated: req-hdr=0, res-hdr=20, res-body=39\r\n\r\n" +
		"GET http://h/ HTTP/1.1\r\n\r\nHTTP/1.1 200 OK\r\n\r\n4\r\nfour\r\n0; ieof\r\n\r\n")
	f.Add("RESPMOD icap://h/ ICAP/1.0\r\nEncapsulated: null-body=0\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		const limit = 4 << 10
		r := bufio.NewReader(strings.NewReader(text))
		m, err := readMessage(r, limit)
		if err != nil {
			return
		}
		if len(m.reqHeader) > limit || len(m.resHeader) > limit {
			t.Errorf("headers of %d and %d bytes", len(m.reqHeader), len(m.resHeader))
		}
		if req, _, err := m.exchange(); err == nil && req != nil && req.URL.Host == "" {
			t.Errorf("a request without a host: %v", req.URL)
		}
		if m.hasBody {
			if n, _ := io.Copy(io.Discard, &chunks{r: r}); n > int64(len(text)) {
				t.Errorf("%d bytes of a body in a text of %d", n, len(text))
			}
		}
	})
}
