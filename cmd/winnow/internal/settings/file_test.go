package settings

import (
	"strings"
	"testing"
)

// Reading any configuration file ends in settings or an error, and each setting names a line of the file.
func FuzzReadSettings(f *testing.F) {
	for _, seed := range []string{
		"listen: 127.0.0.1:8080\nbypass: [a, b]\n", "", "- a", "a: {b: c}", "a: &x [*x]", "<<: {a: b}", "? [a]\n: b", "a: |\n  b\n",
		"\x00", "a: 1\na: 2", "a: [1, [2]]", "overrides: {h: {keep: [p]}}", "overrides: [a]", "overrides: &a {h: *a}", "--- a\n--- b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		keys, sites, err := readSettings(strings.NewReader(src))
		if err != nil && (keys != nil || sites != nil) {
			t.Errorf("settings %v and rules %v beside error %v", keys, sites, err)
		}
		for k, set := range keys {
			if set.line < 1 {
				t.Errorf("%q is said to be in line %d", k, set.line)
			}
		}
	})
}
