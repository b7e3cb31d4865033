package pipeline

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// The request fields by which a client chooses the mode, kinds of parts that it wants or does not want, and details of
// the form. They are never sent to origins.
const (
	modeHeader   = "Winnow-Mode"
	keepHeader   = "Winnow-Keep"
	dropHeader   = "Winnow-Drop"
	linksHeader  = "Winnow-Links"
	chunksHeader = "Winnow-Chunks"
	learnHeader  = "Winnow-Learn"
)

// FieldError says that a field for winnow has an unknown value. The client should get status 400, and the request
// should not be sent.
type FieldError struct {
	// Field is the name of the header field, Value its value.
	Field, Value string
	// Err says what is wrong with the value, and lists what is valid.
	Err error
}

// Error implements error.
func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns the error of the value.
func (e *FieldError) Unwrap() error { return e.Err }

// requestHeader is the header of a request, with its field Accept read.
type requestHeader struct {
	http.Header
	accept []weighted
}

func readRequest(h http.Header) requestHeader { return requestHeader{h, parseWeighted(h["Accept"])} }

// choosePolicy returns the policy of a request and removes its fields. It fails on unknown kinds.
func choosePolicy(h http.Header, fallback policy.Policy) (policy.Policy, error) {
	var sets [2]page.KindSet
	var wrong error
	for i, field := range []string{keepHeader, dropHeader} {
		names := strings.Join(elements(h[field]), ",")
		h.Del(field)
		if err := sets[i].UnmarshalText([]byte(names)); err != nil && wrong == nil {
			wrong = &FieldError{field, names, err}
		}
	}
	if wrong != nil {
		return fallback, wrong
	}
	return fallback.With(sets[0], sets[1]), nil
}

// maxChunkTokens is the largest valid value of Winnow-Chunks.
const maxChunkTokens = 1_000_000

// chooseForm removes the fields for the style of links in Markdown, the size of pieces in JSON, and learning from h,
// and returns their values.
func chooseForm(h http.Header) (f write.Form, unlearned bool, err error) {
	take := func(field string) string {
		value := strings.Join(elements(h[field]), ",")
		h.Del(field)
		return value
	}
	links, chunks, learn := take(linksHeader), take(chunksHeader), take(learnHeader)
	if links != "" {
		if e := f.Links.UnmarshalText([]byte(strings.ToLower(links))); e != nil {
			err = &FieldError{linksHeader, links, e}
		}
	}
	if chunks != "" {
		n, e := strconv.Atoi(chunks)
		if e != nil || n < 1 || n > maxChunkTokens {
			err = &FieldError{chunksHeader, chunks, fmt.Errorf("chunks %q: want a number of tokens from 1 to %d", chunks, maxChunkTokens)}
		}
		f.ChunkTokens = n
	}
	if unlearned = strings.EqualFold(learn, "off"); learn != "" && !unlearned {
		err = &FieldError{learnHeader, learn, fmt.Errorf("learn %q: want off", learn)}
	}
	return f, unlearned, err
}

// forBrowser resolves mode auto: it is for browsers, and programs get mode remove.
func (h requestHeader) forBrowser(mode page.Mode) page.Mode {
	if mode == page.ModeAuto && !h.isBrowser() {
		return page.ModeRemove
	}
	return mode
}

// isBrowser reports whether a browser navigates to a page. Over HTTPS, Sec-Fetch-Dest says so (Fetch Metadata §2.1);
// over HTTP, a request for an upgrade does (Upgrade Insecure Requests §3.2.1).
func (h requestHeader) isBrowser() bool {
	html := slices.ContainsFunc(h.accept, func(w weighted) bool { return w.name == "text/html" && w.q > 0 })
	return html && (h.Get("Sec-Fetch-Dest") != "" || h.Get(upgradeField) == "1")
}

// upgradeField is sent by browsers that navigate to a page.
const upgradeField = "Upgrade-Insecure-Requests"

// chooseMode returns the mode of a request and removes Winnow-Mode. It fails if the field names no mode or several.
func chooseMode(h requestHeader, fallback page.Mode) (page.Mode, error) {
	lines := elements(h.Header[modeHeader])
	h.Del(modeHeader)
	if len(lines) == 0 {
		return h.acceptedMode(h.forBrowser(fallback)), nil
	}
	for _, s := range lines {
		if !strings.EqualFold(s, lines[0]) {
			return page.ModeOff, &FieldError{modeHeader, strings.Join(lines, ", "), errors.New("several modes: name one")}
		}
	}
	var mode page.Mode
	if err := mode.UnmarshalText([]byte(strings.ToLower(lines[0]))); err != nil {
		return page.ModeOff, &FieldError{modeHeader, lines[0], err}
	}
	return mode, nil
}

// acceptedMode returns the mode that Accept asks for. A client that accepts text/markdown or text/plain but does not
// list HTML wants that form. Nobody sends text/markdown by accident. text/plain stands beside a wildcard in the default
// of common clients ("application/json, text/plain, */*"), so it counts only with a higher weight than the wildcard
// that covers HTML.
func (h requestHeader) acceptedMode(fallback page.Mode) page.Mode {
	var markdown, plain, wildcard float64
	for _, w := range h.accept {
		switch w.name {
		case "text/html", "application/xhtml+xml":
			if w.q > 0 {
				return fallback
			}
		case "text/markdown":
			markdown = max(markdown, w.q)
		case "text/plain":
			plain = max(plain, w.q)
		case "text/*", "*/*":
			wildcard = max(wildcard, w.q)
		}
	}
	switch {
	case markdown > 0 && markdown >= plain:
		return page.ModeMarkdown
	case plain > wildcard:
		return page.ModeText
	}
	return fallback
}
