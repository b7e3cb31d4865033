package certs

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A name that is too long loses whole characters: no certificate can be made with part of one.
func TestNamesOfMachinesAreCutBetweenCharacters(t *testing.T) {
	for host, want := range map[string]string{
		"desk":                                 "desk",
		strings.Repeat("a", mostName-1) + "é":  strings.Repeat("a", mostName-1),
		strings.Repeat("a", mostName) + "é":    strings.Repeat("a", mostName),
		strings.Repeat("a", mostName-4) + "💡💡": strings.Repeat("a", mostName-4) + "💡",
		"br\xffken":                            "brken",
	} {
		if got := shortened(host); got != want || !utf8.ValidString(got) {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}
