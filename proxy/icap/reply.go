package icap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"time"
)

// optionsTTL is how long, in seconds, a client may rely on what OPTIONS says.
const optionsTTL = 3600

// options answers OPTIONS (RFC 3507 §4.10.2). It asks for a preview of no bytes, because the header decides whether
// winnow wants the body.
func (c *conn) options(m *message) error {
	if m.hasBody {
		return malformed("OPTIONS has no body here")
	}
	c.head(http.StatusOK, fmt.Sprintf("Methods: RESPMOD\r\nService: winnow\r\nMax-Connections: %d\r\nOptions-TTL: %d\r\nAllow: 204\r\n"+
		"Preview: 0\r\nTransfer-Preview: *\r\nTransfer-Ignore: %s\r\nEncapsulated: null-body=0\r\n",
		c.server.opts.Limits.Connections, optionsTTL, strings.Join(ignored(), ",")))
	return c.w.Flush()
}

// ignored are file extensions of what is never a page.
func ignored() []string {
	return []string{"gif", "jpg", "jpeg", "png", "webp", "avif", "ico", "mp3", "mp4", "webm", "woff", "woff2", "zip", "gz"}
}

// head writes the header of an ICAP answer. fields end with CRLF.
func (c *conn) head(status int, fields string) {
	c.entry.Status = status
	fmt.Fprintf(c.w, "%s %d %s\r\nISTag: \"%s\"\r\nDate: %s\r\nServer: winnow\r\n%s\r\n", version, status, http.StatusText(status),
		c.server.opts.Tag(), time.Now().UTC().Format(http.TimeFormat), fields)
}

// proceed asks for what follows a preview.
func (c *conn) proceed() error {
	fmt.Fprintf(c.w, "%s 100 Continue\r\n\r\n", version)
	if err := c.w.Flush(); err != nil {
		return fmt.Errorf("ask for the rest of the body: %w", err)
	}
	return nil
}

// refuse says what is wrong with a request, after which the connection ends: where the next one begins is not known.
func (c *conn) refuse(err error) {
	refusal := statusError{}
	if !errors.As(err, &refusal) {
		return // there is nobody to tell
	}
	c.server.opts.Logger.Debug("ICAP request refused", "client", c.net.RemoteAddr(), "error", err)
	c.head(refusal.status, "Connection: close\r\nX-Winnow-Error: "+refusal.why+"\r\nEncapsulated: null-body=0\r\n")
	_ = c.w.Flush()
}

// same reports whether an answer is as it was, but for the field that says so.
func same(before, after http.Header) bool {
	return maps.EqualFunc(without(before), without(after), slices.Equal)
}

func without(h http.Header) http.Header {
	h = h.Clone()
	h.Del("Winnow")
	return h
}

// reply sends what became of an answer. same says that its header is as it was, and so its body.
func (c *conn) reply(m *message, b *body, resp *http.Response, same bool) error {
	if same && (m.allow204 || m.preview >= 0) && b.refuse(m) {
		return c.unmodified(m, b)
	}
	if same && m.allow204 {
		// Most of what passes late has been held back whole. 204 may not come before its end: the client could not tell
		// whether it is still wanted.
		whole, err := io.ReadAll(io.LimitReader(resp.Body, left))
		if err != nil {
			return err
		}
		if len(whole) < left {
			return c.unmodified(m, b)
		}
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(whole), resp.Body), resp.Body}
	}
	return c.modified(m, b, resp)
}

// unmodified says that an answer stays as it is.
func (c *conn) unmodified(m *message, b *body) error {
	c.head(http.StatusNoContent, connection(m)+"Encapsulated: null-body=0\r\n")
	if err := c.w.Flush(); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return c.rest(b)
}

func connection(m *message) string {
	if m.close {
		return "Connection: close\r\n"
	}
	return ""
}

// rest reads what is left of a body.
func (c *conn) rest(b *body) error {
	if !b.drain() {
		return errors.New("a body goes on that nobody needs")
	}
	return nil
}

// modified sends an answer.
func (c *conn) modified(m *message, b *body, resp *http.Response) error {
	if err := b.begin(); err != nil && !errors.Is(err, io.EOF) { // 100 can't come within the answer
		return err
	}
	if err := c.sendHead(m, resp); err != nil {
		return err
	}
	if m.hasBody {
		return c.sendBody(b, resp)
	}
	if err := c.w.Flush(); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return c.rest(b)
}

// sendHead sends the header of a changed answer.
func (c *conn) sendHead(m *message, resp *http.Response) error {
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %s\r\n", resp.Proto, resp.Status)
	if err := resp.Header.Write(&head); err != nil {
		return err
	}
	head.WriteString("\r\n")
	kind := "res-body"
	if !m.hasBody {
		kind = "null-body"
	}
	c.head(http.StatusOK, fmt.Sprintf("%sEncapsulated: res-hdr=0, %s=%d\r\n", connection(m), kind, head.Len()))
	_, _ = c.w.Write(head.Bytes()) // Flush tells of errors
	return nil
}

// sendBody sends its body.
func (c *conn) sendBody(b *body, resp *http.Response) error {
	if err := c.copy(resp.Body); err != nil {
		return err
	}
	if err := c.w.Flush(); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return c.rest(b)
}

// copy sends a body in chunks. One that breaks off has no last chunk, so that the client knows.
func (c *conn) copy(body io.Reader) error {
	w := httputil.NewChunkedWriter(c.w)
	sent, err := io.CopyBuffer(struct{ io.Writer }{w}, body, make([]byte, 32<<10))
	c.entry.Bytes = sent
	if err != nil {
		return fmt.Errorf("send the body: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("send the body: %w", err)
	}
	_, err = io.WriteString(c.w, "\r\n")
	return err
}
