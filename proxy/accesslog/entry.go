package accesslog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Entry is one answered request or one finished tunnel.
type Entry struct {
	// Time is when the request arrived.
	Time time.Time
	// Client is the client's address, User the name that it authenticated with, if any.
	Client, User string
	// Device is the name that the client's choices have, empty for who has none. It is not written.
	Device string
	// Method, Scheme ("http" or "https"), Host (with a non-default port) and Path describe the request. Host and Path
	// are written only with Options.URLs. There is no field for a query.
	Method, Scheme, Host, Path string
	// Proto is the client's protocol ("HTTP/1.1").
	Proto string
	// Status is 0 when the client left before there was one.
	Status int
	// Bytes is the number of body bytes sent; for a tunnel, of bytes from the origin.
	Bytes int64
	// Outcome is the value of the response field Winnow: "cleaned; mode=remove; pages=12; removed=0.63".
	Outcome string
	// Agent is the client's User-Agent.
	Agent string
	// Took is the time until everything was sent. Upstream is the time until the origin's header arrived, 0 without an
	// origin.
	Took, Upstream time.Duration
}

// size is about the entry's size in memory, in bytes.
func (e *Entry) size() int {
	const fields = 256 // the struct itself and its slot in a slice
	return fields + len(e.Client) + len(e.User) + len(e.Method) + len(e.Host) + len(e.Path) + len(e.Outcome) + len(e.Agent)
}

// Format is the format of the lines.
type Format string

// The formats. Common and Combined are those of web servers, each followed by the field Winnow and the duration in
// milliseconds. JSON is one object per line.
const (
	Common   Format = "common"
	Combined Format = "combined"
	JSON     Format = "json"
)

// line writes e with a line break.
func (e Entry) line(f Format) []byte {
	if f == JSON {
		return e.json()
	}
	var b bytes.Buffer
	target := "-"
	switch {
	case e.Method == http.MethodConnect && e.Host != "":
		target = e.Host
	case e.Host != "":
		target = e.Scheme + "://" + e.Host + e.Path
	}
	fmt.Fprintf(&b, `%s - %s [%s] "%s %s %s" %d %d`, word(e.Client), word(e.User), e.Time.Format("02/Jan/2006:15:04:05 -0700"),
		word(e.Method), word(target), word(e.Proto), e.Status, e.Bytes)
	if f == Combined {
		fmt.Fprintf(&b, ` "-" "%s"`, quoted(e.Agent)) // a Referer would reveal other pages
	}
	fmt.Fprintf(&b, " \"%s\" %.1f\n", quoted(e.Outcome), milliseconds(e.Took))
	return b.Bytes()
}

// json is the line as JSON. It leaves out empty fields.
func (e Entry) json() []byte {
	o := parseOutcome(e.Outcome)
	b, err := json.Marshal(struct {
		Time     time.Time `json:"time"`
		Client   string    `json:"client"`
		User     string    `json:"user,omitempty"`
		Method   string    `json:"method"`
		Scheme   string    `json:"scheme,omitempty"`
		Host     string    `json:"host,omitempty"`
		Path     string    `json:"path,omitempty"`
		Proto    string    `json:"proto"`
		Status   int       `json:"status"`
		Bytes    int64     `json:"bytes"`
		Outcome  string    `json:"outcome,omitempty"`
		Reason   string    `json:"reason,omitempty"`
		Mode     string    `json:"mode,omitempty"`
		Pages    int       `json:"pages,omitempty"`
		Removed  *float64  `json:"removed,omitempty"`
		Agent    string    `json:"agent,omitempty"`
		Took     float64   `json:"took_ms"`
		Upstream float64   `json:"upstream_ms,omitempty"`
	}{e.Time, e.Client, e.User, e.Method, e.Scheme, e.Host, e.Path, e.Proto, e.Status, e.Bytes,
		o.name, o.reason, o.mode, o.pages, o.removed, e.Agent, milliseconds(e.Took), milliseconds(e.Upstream)})
	if err != nil { // there is nothing in it that could fail
		return nil
	}
	return append(b, '\n')
}

func milliseconds(d time.Duration) float64 { return float64(d.Round(100*time.Microsecond)) / 1e6 }

// outcome is the parsed value of the field Winnow.
type outcome struct {
	name, reason, mode string
	pages              int
	removed            *float64
}

func parseOutcome(s string) (o outcome) {
	parts := strings.Split(s, "; ")
	o.name = parts[0]
	for _, p := range parts[1:] {
		k, v, _ := strings.Cut(p, "=")
		switch k {
		case "reason":
			o.reason = v
		case "mode":
			o.mode = v
		case "pages":
			o.pages, _ = strconv.Atoi(v) // 0 where it is none
		case "removed":
			if f, err := strconv.ParseFloat(v, 64); err == nil {
				o.removed = &f
			}
		}
	}
	return o
}

// word is s as a field between spaces.
func word(s string) string {
	if s == "" {
		return "-"
	}
	return strings.ReplaceAll(quoted(s), " ", `\x20`)
}

// quoted escapes bytes that would end a quoted field or a line, and bytes that control a terminal, so that clients
// can't deceive readers of the log.
func quoted(s string) string {
	plain := func(c byte) bool { return c >= ' ' && c < 0x7f && c != '"' && c != '\\' }
	var b strings.Builder
	for i := range len(s) {
		if plain(s[i]) {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		}
	}
	return b.String()
}
