package conformance

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
)

// passing has the requirements for every forwarded message.
func passing() []Requirement {
	all, wire := allWays(), wireWays()
	return []Requirement{
		{"body-length", "RFC 9112 §6.2", "A body that comes with Content-Length arrives byte for byte and with that length.", all, checkBodyLength},
		{"body-chunked", "RFC 9112 §7.1", "A body of unknown length arrives byte for byte, and its end is marked.", all, checkBodyChunked},
		{"body-to-close", "RFC 9112 §6.3", "A body that ends with the origin's connection arrives whole.", wire, checkBodyToClose},
		{"body-large", "RFC 9110 §7.7", "8 MiB arrive byte for byte.", all, checkBodyLarge},
		{"body-truncated", "RFC 9112 §8", "A truncated answer is visibly truncated for the client too: half a file must not look whole.", all, checkTruncated},
		{"body-coded", "RFC 9110 §8.4", "A coded body that the client accepts keeps its coding, byte for byte.", all, checkCoded},
		{"body-coding-chain", "RFC 9110 §8.4", "Stacked content codings keep their order.", all, checkCodingChain},
		{"accept-encoding", "RFC 9110 §12.5.3", "The proxy asks for no coding that the client does not accept.", all, checkAcceptEncoding},
		{"request-body", "RFC 9112 §6", "A request's body reaches the origin byte for byte, of known length and of unknown.", all, checkRequestBody},
		{"request-get-body", "RFC 9110 §9.3.1", "Content of a GET or DELETE is forwarded, or the request refused: never forwarded without.", all, checkGetBody},
		{"path-query", "RFC 9110 §7.7", "Path and query are forwarded unchanged, whatever their characters.", wire, checkPathQuery},
		{"method-unknown", "RFC 9110 §9.1", "Methods that the proxy does not know are forwarded.", all, checkMethods},
		{"status-unknown", "RFC 9110 §15", "Status codes that the proxy does not know pass with their body.", all, checkStatuses},
		{"fields-unknown", "RFC 9110 §5.1", "Fields that the proxy does not know pass both ways.", all, checkUnknownFields},
		{"fields-lines", "RFC 9110 §5.3", "Lines of one field keep their number and order; Set-Cookie's are never joined.", all, checkFieldLines},
		{"fields-negotiation", "W3C CT §4.1.5", "User-Agent, Accept, Accept-Language and Referer reach the origin unaltered.", all, checkNegotiationFields},
		{"fields-none-added", "RFC 9110 §7.6", "The proxy adds no User-Agent to a request without one.", wire, checkNoUserAgent},
		{"content-type-absent", "RFC 9110 §8.3", "The proxy adds no Content-Type to an answer without one.", wire, checkNoContentType},
		{"date-added", "RFC 9110 §6.6.1", "The proxy adds Date to an answer without one, and keeps an existing one.", wire, checkDate},
		{"age", "RFC 9111 §5.1", "Age never gets smaller.", all, checkAge},
		{"version", "RFC 9110 §2.5", "The proxy speaks its own version of HTTP on either side.", wire, checkVersion},
	}
}

func checkBodyLength(p *Probe) {
	body := noise(70_001)
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = w.Write(body)
	})
	a := p.Get(o.URL + "/file")
	p.Expect(a.Broken == nil, "the body broke off: %v", a.Broken)
	p.Expect(same(a.Body, body) == "", "the body %s", same(a.Body, body))
	p.Expect(a.ContentLength == int64(len(body)), "Content-Length %d", a.ContentLength)
}

func checkBodyChunked(p *Probe) {
	body := noise(50_003)
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		for part := range slices.Chunk(body, 9_999) {
			_, _ = w.Write(part)
			_ = http.NewResponseController(w).Flush()
		}
	})
	a := p.Get(o.URL + "/file")
	p.Expect(a.Broken == nil, "the body broke off: %v", a.Broken)
	p.Expect(same(a.Body, body) == "", "the body %s", same(a.Body, body))
}

func checkBodyToClose(p *Probe) {
	body := noise(40_001)
	o, _ := p.Record("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nConnection: close\r\n\r\n" + string(body))
	a := p.Dial(o).Exchange("/file", "")
	p.Expect(a.Broken == nil, "the body broke off: %v", a.Broken)
	p.Expect(same(a.Body, body) == "", "the body %s", same(a.Body, body))
}

func checkBodyLarge(p *Probe) {
	body := noise(8 << 20)
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/zip")
		_, _ = w.Write(body)
	})
	a := p.Get(o.URL + "/file.zip")
	p.Expect(a.Broken == nil && same(a.Body, body) == "", "the body %s: %v", same(a.Body, body), a.Broken)
}

func checkTruncated(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		if r.URL.Path == "/length" {
			w.Header().Set("Content-Length", "100000")
		}
		_, _ = w.Write(noise(5000))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	for _, path := range []string{"/length", "/chunked"} {
		if a, err := p.Try(p.Request(http.MethodGet, o.URL+path, nil)); err == nil {
			p.Expect(a.Broken != nil || a.StatusCode >= 500, "%s: %s with %d bytes and no error", path, a.Status, len(a.Body))
		}
	}
}

func checkCoded(p *Probe) {
	body := noise(3_001) // a proxy that keeps the coding need not decode it
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/javascript")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(body)
	})
	a := p.Get(o.URL+"/x.js", "Accept-Encoding", "gzip, br")
	p.Expect(a.Header.Get("Content-Encoding") == "gzip", "Content-Encoding %q", a.Header.Get("Content-Encoding"))
	p.Expect(same(a.Body, body) == "", "the body %s", same(a.Body, body))
}

func checkCodingChain(p *Probe) {
	body := noise(2_001)
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/wasm")
		w.Header().Add("Content-Encoding", "br")
		w.Header().Add("Content-Encoding", "gzip, zstd")
		_, _ = w.Write(body)
	})
	a := p.Get(o.URL+"/x.wasm", "Accept-Encoding", "gzip, br, zstd")
	got := strings.ReplaceAll(strings.Join(a.Header["Content-Encoding"], ","), " ", "")
	p.Expect(got == "br,gzip,zstd", "Content-Encoding %q", a.Header["Content-Encoding"])
	p.Expect(same(a.Body, body) == "", "the body %s", same(a.Body, body))
}

func checkAcceptEncoding(p *Probe) {
	o := p.Serve(echo)
	for _, accepted := range []string{"", "identity", "gzip;q=0, identity", "br"} {
		header := []string{"Accept", "text/html"}
		if accepted != "" {
			header = append(header, "Accept-Encoding", accepted)
		}
		for _, line := range p.seen(p.Get(o.URL+"/", header...)).Header["Accept-Encoding"] {
			for element := range strings.SplitSeq(line, ",") {
				name, weight, _ := strings.Cut(strings.TrimSpace(element), ";")
				wanted := strings.Contains(accepted, name) && !strings.Contains(accepted, name+";q=0")
				p.Expect(wanted || name == "identity" || strings.TrimSpace(weight) == "q=0",
					"Accept-Encoding %q became %q", accepted, line)
			}
		}
	}
}

func checkRequestBody(p *Probe) {
	body := noise(90_001)
	o := p.Serve(echo)
	for _, r := range []io.Reader{bytes.NewReader(body), io.MultiReader(bytes.NewReader(body))} {
		s := p.seen(p.Do(p.Request(http.MethodPost, o.URL+"/upload", r, "Content-Type", "application/octet-stream")))
		p.Expect(same(s.Body, body) == "", "the body %s", same(s.Body, body))
	}
}

func checkGetBody(p *Probe) {
	o := p.Serve(echo)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		a := p.Do(p.Request(method, o.URL+"/", strings.NewReader("content")))
		if a.StatusCode >= 400 && a.StatusCode < 500 {
			continue
		}
		s := p.seen(a)
		p.Expect(s.Method == method && string(s.Body) == "content", "%s with content became %s with %q", method, s.Method, s.Body)
	}
}

func checkPathQuery(p *Probe) {
	o, rec := p.Record(okAnswer)
	for _, target := range []string{"/a|b/%7Ec/[d]?q={x}&y=a|b", "/%e4%F6/%2e%2E/x", "/x/../y/./z", "//double//slash", "/?", "/a;b=c?d;e",
		"/%2F%3F%23?%26=%3D", "/a+b?a+b=%20"} {
		a := p.Dial(o).Exchange(target, "")
		if strings.ContainsAny(target, "|{[") && a.StatusCode == http.StatusBadRequest {
			continue // which are not valid in a URI (RFC 3986)
		}
		p.Expect(a.StatusCode == http.StatusOK, "%s: %s", target, a.Status)
		p.Expect(strings.Contains(rec.Raw(), "GET "+target+" HTTP/1."), "%s did not reach the origin as it was", target)
	}
}

func checkMethods(p *Probe) {
	o := p.Serve(echo)
	for _, method := range []string{"PROPFIND", "PATCH", "QUERY", "X-NEW"} {
		s := p.seen(p.Do(p.Request(method, o.URL+"/", strings.NewReader("content"))))
		p.Expect(s.Method == method && string(s.Body) == "content", "%s became %s with %q", method, s.Method, s.Body)
	}
}

func checkStatuses(p *Probe) {
	statuses := []int{203, 207, 226, 299, 308, 418, 451, 499, 511, 599}
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "body")
	})
	for _, status := range statuses {
		a := p.Get(fmt.Sprint(o.URL, "/", status))
		p.Expect(a.StatusCode == status && string(a.Body) == "body", "%d became %s with %q", status, a.Status, a.Body)
	}
}

func checkUnknownFields(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Answer", "b; \"c, d\"")
		w.Header().Set("Sec-Whatever", "1")
		echo(w, r)
	})
	a := p.Get(o.URL+"/", "X-Question", "a, \"b;\" (c)", "Cookie", "a=b; c=d")
	s := p.seen(a)
	p.Expect(s.Header.Get("X-Question") == "a, \"b;\" (c)", "X-Question became %q", s.Header["X-Question"])
	p.Expect(s.Header.Get("Cookie") == "a=b; c=d", "Cookie became %q", s.Header["Cookie"])
	p.Expect(a.Header.Get("X-Answer") == "b; \"c, d\"" && a.Header.Get("Sec-Whatever") == "1", "the answer has %v", a.Header)
}

func checkFieldLines(p *Probe) {
	cookies := []string{"a=1; Expires=Fri, 01 Jan 2038 00:00:00 GMT", "b=2", "a=3"}
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Set-Cookie"] = cookies
		w.Header()["X-List"] = []string{"c, d", "e"}
		echo(w, r)
	})
	a := p.Get(o.URL+"/", "X-List", "a", "X-List", "b, c")
	p.Expect(slices.Equal(a.Header["Set-Cookie"], cookies), "Set-Cookie %q", a.Header["Set-Cookie"])
	p.Expect(strings.Join(a.Header["X-List"], ", ") == "c, d, e", "the answer's list became %q", a.Header["X-List"])
	got := p.seen(a).Header["X-List"]
	p.Expect(strings.Join(got, ", ") == "a, b, c", "the request's list became %q", got)
}

func checkNegotiationFields(p *Probe) {
	want := map[string]string{"User-Agent": "Conformance/1.0 (a test)", "Accept": "text/html;q=0.9, */*;q=0.1",
		"Accept-Language": "de-CH, en;q=0.5", "Referer": "http://other.example/page?q=1"}
	var header []string
	for k, v := range want {
		header = append(header, k, v)
	}
	s := p.seen(p.Get(p.Serve(echo).URL+"/", header...))
	for k, v := range want {
		p.Expect(s.Header.Get(k) == v, "%s became %q", k, s.Header[k])
	}
}

func checkNoUserAgent(p *Probe) {
	o, rec := p.Record(okAnswer)
	p.Dial(o).Exchange("/", "")
	if len(rec.Requests()) != 1 {
		p.Failf("%d requests reached the origin", len(rec.Requests()))
	}
	got, ok := rec.Requests()[0].Header["User-Agent"]
	p.Expect(!ok, "User-Agent %q was made up", got)
}

func checkNoContentType(p *Probe) {
	o, _ := p.Record("HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n<p>not mine</p")
	a := p.Dial(o).Exchange("/", "")
	got, ok := a.Header["Content-Type"]
	p.Expect(!ok, "Content-Type %q was made up", got)
	p.Expect(string(a.Body) == "<p>not mine</p", "the body became %q", a.Body)
}

func checkDate(p *Probe) {
	const date = "Sun, 06 Nov 1994 08:49:37 GMT"
	o, _ := p.Record(okAnswer)
	_, err := http.ParseTime(p.Dial(o).Exchange("/", "").Header.Get("Date"))
	p.Expect(err == nil, "Date is missing: %v", err)
	o, _ = p.Record("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: " + date + "\r\nContent-Length: 2\r\n\r\nok")
	got := p.Dial(o).Exchange("/", "").Header["Date"]
	p.Expect(len(got) == 1 && got[0] == date, "Date became %q", got)
}

func checkAge(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Age", "1234")
		echo(w, r)
	})
	var age int
	a := p.Get(o.URL + "/")
	_, err := fmt.Sscan(a.Header.Get("Age"), &age)
	p.Expect(err == nil && age >= 1234 && age < 1300, "Age became %q", a.Header["Age"])
}

func checkVersion(p *Probe) {
	versions := make(chan string, 1)
	o := p.ServeRaw(func(c net.Conn) {
		line := make([]byte, 4096)
		n, _ := c.Read(line)
		first, _, _ := strings.Cut(string(line[:n]), "\r\n")
		versions <- first
		_, _ = io.WriteString(c, "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nok")
	})
	w := p.Dial(o)
	w.Send("GET {url}/ HTTP/1.0\r\nHost: {host}\r\n\r\n")
	a := w.Answer(http.MethodGet)
	p.Expect(a.Proto == "HTTP/1.1", "the client was answered in %s", a.Proto)
	p.Expect(string(a.Body) == "ok", "the body became %q", a.Body)
	line := receive(p, versions)
	p.Expect(strings.HasSuffix(line, " HTTP/1.1"), "the origin was asked %q", line)
}
