package page

import (
	"fmt"
	"slices"
	"strings"
)

// Mode is a form of output.
type Mode uint8

// The modes: off leaves the page unchanged; remove removes the noise; tag only labels it; reader is a plain page of the
// content; text, markdown and json are the content in other formats. For browsers, auto removes what nothing can miss
// and hides the rest; hide only hides; lite is reader for small devices; vintage is for browsers of 1996 to 2005, with
// the forms of the page.
const (
	ModeOff Mode = iota
	ModeRemove
	ModeTag
	ModeReader
	ModeText
	ModeMarkdown
	ModeJSON
	ModeAuto
	ModeHide
	ModeLite
	ModeVintage
)

// mode is everything about a mode except its writer.
type mode struct {
	name, extension string
	// original says that the mode writes the origin's bytes, in the page's own charset.
	original bool
}

// modes are in the order of the constants.
func modes() []mode {
	return []mode{{"off", ".html", true}, {"remove", ".html", true}, {"tag", ".html", true}, {"reader", ".html", false},
		{"text", ".txt", false}, {"markdown", ".md", false}, {"json", ".json", false}, {"auto", ".html", true},
		{"hide", ".html", true}, {"lite", ".html", false}, {"vintage", ".html", false}}
}

// ModeNames returns the names of all modes.
func ModeNames() []string {
	var names []string
	for _, m := range modes() {
		names = append(names, m.name)
	}
	return names
}

// String returns the name used in flags and headers.
func (m Mode) String() string { return m.entry().name }

func (m Mode) entry() mode {
	if all := modes(); int(m) < len(all) {
		return all[m]
	}
	return mode{name: fmt.Sprintf("mode(%d)", uint8(m)), extension: ".html"}
}

// MarshalText implements encoding.TextMarshaler.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler; the error lists the names that are valid.
func (m *Mode) UnmarshalText(b []byte) error {
	if i := slices.Index(ModeNames(), string(b)); i >= 0 {
		*m = Mode(i)
		return nil
	}
	return fmt.Errorf("mode %q is not one of %s", b, strings.Join(ModeNames(), ", "))
}

// Extension is the file name extension of the mode's output, with its dot.
func (m Mode) Extension() string { return m.entry().extension }

// Original reports whether the mode writes the origin's bytes, in the page's own charset.
func (m Mode) Original() bool { return m.entry().original }

// Whole returns the marking with which a mode writes the page. Mode vintage also writes pages that pass unchanged in
// the other modes because they are for work rather than reading: a browser that it is for can't show the original.
func (m *Marking) Whole(mode Mode) *Marking {
	if mode != ModeVintage || m.Pass != "application" && m.Pass != "no-content" {
		return m
	}
	whole := *m
	whole.Pass, whole.Marks, whole.Verdicts = "", nil, make([]Verdict, len(m.Verdicts))
	return &whole
}
