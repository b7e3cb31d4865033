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

// Entry is one request that was answered, or one tunnel that has ended.
type Entry struct {
	// Time is when the request came.
	Time time.Time
	// Client is the client's address, User the name that it has given, if any.
	Client, User string
	// Method, Scheme ("http" or "https"), Host (with a port that is not the default) and Path say what was asked for. Host
	// and Path are written with Options.URLs alone. There is no field for a query.
	Method, Scheme, Host, Path string
	// Proto is the client's protocol ("HTTP/1.1").
	Proto string
	// Status is 0 where the client left before there was any.
	Status int
	// Bytes are those of the body that were sent, for a tunnel those from the origin.
	Bytes int64
	// Outcome is the value of the response field Winnow: "cleaned; mode=remove; pages=12; removed=0.63".
	Outcome string
	// Agent is the client's User-Agent.
	Agent string
	// Took is the time until all was sent, Upstream that until the origin's header came, 0 where no origin was asked.
	Took, Upstream time.Duration
}

// size is about what the entry takes in memory, in bytes.
func (e *Entry) size() int {
	const fields = 256 // the struct itself, with its place in a slice
	return fields + len(e.Client) + len(e.User) + len(e.Method) + len(e.Host) + len(e.Path) + len(e.Outcome) + len(e.Agent)
}

// Format is the form of the lines.
type Format string

// The forms: Common and Combined as web servers write them, each with the field Winnow and the milliseconds that the
// request took at the end, and JSON with an object a line.
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
		fmt.Fprintf(&b, ` "-" "%s"`, quoted(e.Agent)) // a Referer would tell of other pages
	}
	fmt.Fprintf(&b, " \"%s\" %.1f\n", quoted(e.Outcome), milliseconds(e.Took))
	return b.Bytes()
}

// json is the line as JSON; fields that say nothing are left out.
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

// outcome is the value of the field Winnow in its parts.
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

// quoted escapes what would end a quoted field or a line, or what a terminal would obey: whoever reads a log must not be
// fooled by what clients send.
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
