package icap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
)

// version is that of the protocol (RFC 3507 §4.3.2).
const version = "ICAP/1.0"

// message is the header of one request, with the HTTP headers that it encapsulates.
type message struct {
	method string
	uri    *url.URL
	header textproto.MIMEHeader
	// reqHeader and resHeader are HTTP headers, as they came; nil where there is none.
	reqHeader, resHeader []byte
	// hasBody says that a body follows.
	hasBody bool
	// preview is how many bytes of the body come unasked at most; -1 is all of them.
	preview int
	// allow204 says that 204 may also follow after the preview.
	allow204 bool
	// close says that the client sends nothing more on this connection.
	close bool
}

// statusError is a request that is answered with a status of its own (RFC 3507 §4.3.3).
type statusError struct {
	status int
	why    string
}

// Error implements error.
func (e statusError) Error() string { return fmt.Sprintf("%d: %s", e.status, e.why) }

func malformed(format string, args ...any) error {
	return statusError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// readMessage reads a request up to where its body begins. No header may be longer than limit bytes. The error is a
// statusError where the client gets a status that says what is wrong.
func readMessage(r *bufio.Reader, limit int) (*message, error) {
	head, err := readHead(r, limit)
	if err != nil {
		return nil, err
	}
	line, fields, _ := bytes.Cut(head, []byte("\r\n"))
	m, err := parseLine(string(line))
	if err != nil {
		return nil, err
	}
	if m.header, err = parseFields(fields); err != nil {
		return nil, err
	}
	if err := m.readFields(); err != nil {
		return nil, err
	}
	return m, m.readEncapsulated(r, limit)
}

// readHead reads up to the empty line that ends a header, and returns it with CRLF at the end of each line.
func readHead(r *bufio.Reader, limit int) ([]byte, error) {
	var head []byte
	for {
		line, err := r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("read header: %w", err)
		}
		if len(head)+len(line) > limit {
			return nil, statusError{http.StatusRequestHeaderFieldsTooLarge, fmt.Sprintf("the header has over %d bytes", limit)}
		}
		full := err != nil
		if !full {
			line = bytes.TrimRight(line, "\r\n")
		}
		if !full && len(line) == 0 && (len(head) == 0 || head[len(head)-1] == '\n') {
			if len(head) == 0 {
				return nil, malformed("no request line")
			}
			return head, nil
		}
		head = append(head, line...)
		if !full {
			head = append(head, "\r\n"...)
		}
	}
}

// parseLine reads the first line of a request.
func parseLine(line string) (*message, error) {
	method, rest, ok := strings.Cut(line, " ")
	target, proto, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 || method == "" || target == "" {
		return nil, malformed("want a line METHOD URI %s", version)
	}
	if proto != version {
		return nil, statusError{http.StatusHTTPVersionNotSupported, "the version is " + version}
	}
	uri, err := url.Parse(target)
	if err != nil || uri.Host != "" && uri.Scheme != "icap" && uri.Scheme != "icaps" {
		return nil, malformed("the address is none of icap://HOST/SERVICE")
	}
	switch strings.Trim(uri.Path, "/") {
	case "", "winnow", "respmod":
		return &message{method: method, uri: uri, preview: -1}, nil
	}
	return nil, statusError{http.StatusNotFound, "the service is /winnow"}
}

// parseFields reads header fields.
func parseFields(text []byte) (textproto.MIMEHeader, error) {
	h, err := textproto.NewReader(bufio.NewReader(io.MultiReader(bytes.NewReader(text), strings.NewReader("\r\n")))).ReadMIMEHeader()
	if err != nil {
		return nil, malformed("the header can't be read")
	}
	return h, nil
}

// readFields reads what the header says of the message.
func (m *message) readFields() error {
	if p := m.header.Get("Preview"); p != "" {
		n, err := strconv.ParseUint(p, 10, 31)
		if err != nil {
			return malformed("Preview is no number of bytes")
		}
		m.preview = int(n)
	}
	m.allow204 = hasToken(m.header["Allow"], "204")
	m.close = hasToken(m.header["Connection"], "close")
	return nil
}

func hasToken(lines []string, token string) bool {
	for _, line := range lines {
		for t := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(t), token) {
				return true
			}
		}
	}
	return false
}

// readEncapsulated reads the HTTP headers that come before the body (RFC 3507 §4.4.1).
func (m *message) readEncapsulated(r *bufio.Reader, limit int) error {
	list := m.header.Get("Encapsulated")
	if list == "" {
		if m.method == "OPTIONS" {
			return nil
		}
		return malformed("Encapsulated is missing")
	}
	parts, err := parseEncapsulated(list)
	if err != nil {
		return err
	}
	for i, p := range parts {
		if i == len(parts)-1 {
			m.hasBody = p.name != "null-body"
			return nil
		}
		size := parts[i+1].offset - p.offset
		if size > limit {
			return statusError{http.StatusRequestHeaderFieldsTooLarge, fmt.Sprintf("%s has over %d bytes", p.name, limit)}
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(r, text); err != nil {
			return fmt.Errorf("read %s: %w", p.name, err)
		}
		if p.name == "req-hdr" {
			m.reqHeader = text
		} else {
			m.resHeader = text
		}
	}
	return nil
}

// part is one entry of Encapsulated: what begins at an offset.
type part struct {
	name   string
	offset int
}

// parseEncapsulated reads a list of parts in their order: headers, and one body, or that there is none.
func parseEncapsulated(list string) ([]part, error) {
	order := map[string]int{"req-hdr": 1, "res-hdr": 2, "req-body": 3, "res-body": 3, "opt-body": 3, "null-body": 3}
	var parts []part
	rank := 0
	for item := range strings.SplitSeq(list, ",") {
		name, number, ok := strings.Cut(strings.TrimSpace(item), "=")
		name = strings.ToLower(strings.TrimSpace(name))
		offset, err := strconv.ParseUint(strings.TrimSpace(number), 10, 31)
		switch {
		case !ok || err != nil || order[name] <= rank:
			return nil, malformed("Encapsulated is no list of parts in their order")
		case len(parts) == 0 && offset != 0, len(parts) > 0 && int(offset) <= parts[len(parts)-1].offset:
			return nil, malformed("Encapsulated has offsets that do not grow from 0")
		}
		rank = order[name]
		parts = append(parts, part{name, int(offset)})
	}
	if rank != 3 {
		return nil, malformed("Encapsulated does not say whether there is a body")
	}
	return parts, nil
}

// exchange returns the HTTP request and answer. The request is nil where the client does not tell it, or where it is
// none for the address of a page: the answer then passes.
func (m *message) exchange() (*http.Request, *http.Response, error) {
	req := m.request()
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(m.resHeader)), req)
	if err != nil {
		return nil, nil, malformed("res-hdr is missing or no header of an answer")
	}
	if len(resp.TransferEncoding) > 0 { // of a hop that is behind: ICAP sends the body in chunks of its own
		resp.TransferEncoding, resp.ContentLength = nil, -1
	}
	if !m.hasBody {
		resp.ContentLength = 0
	}
	return req, resp, nil
}

// request returns the HTTP request, with the mode and the kinds that the address of the service asks for.
func (m *message) request() *http.Request {
	if m.reqHeader == nil {
		return nil
	}
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(m.reqHeader)))
	if err != nil || req.Method == http.MethodConnect {
		return nil
	}
	req.Body, req.RequestURI, req.ContentLength = http.NoBody, "", 0
	if req.URL.Host == "" {
		req.URL.Scheme, req.URL.Host = "http", req.Host
	}
	if req.URL.Host == "" {
		return nil
	}
	for name, values := range m.uri.Query() {
		field := map[string]string{"mode": "Winnow-Mode", "keep": "Winnow-Keep", "drop": "Winnow-Drop", "links": "Winnow-Links"}[name]
		if field != "" && req.Header.Get(field) == "" {
			req.Header.Set(field, values[0])
		}
	}
	return req
}

// parseAddr reads the address of a client as proxies write it.
func parseAddr(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(strings.TrimSpace(text))
	return a.Unmap().WithZone(""), err
}
