package pipeline

import (
	"net/http"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// modeHeader is the request field by which a client chooses the mode; it is never sent upstream.
const modeHeader = "Winnow-Mode"

// chooseMode returns the mode of a request and takes Winnow-Mode off it. It returns false where the field names no mode,
// or several.
func chooseMode(h http.Header, fallback page.Mode) (page.Mode, bool) {
	lines := elements(h[modeHeader])
	h.Del(modeHeader)
	if len(lines) == 0 {
		return acceptedMode(h, fallback), true
	}
	var mode page.Mode
	for _, s := range lines {
		if !strings.EqualFold(s, lines[0]) {
			return page.ModeOff, false
		}
	}
	err := mode.UnmarshalText([]byte(strings.ToLower(lines[0])))
	return mode, err == nil
}

// acceptedMode returns the mode that Accept asks for: a client that takes text/markdown or text/plain but does not list HTML
// wants the page in that form. Nobody sends text/markdown by chance; text/plain stands beside a wildcard in the default
// of common clients ("application/json, text/plain, */*"), so that it counts only where it is liked better than the
// wildcard that covers HTML.
func acceptedMode(h http.Header, fallback page.Mode) page.Mode {
	var markdown, plain, wildcard float64
	for _, w := range parseWeighted(h["Accept"]) {
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
