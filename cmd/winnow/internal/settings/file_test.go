package settings

import (
	"strings"
	"testing"
)

// Reading any configuration file ends in settings or an error, and each setting names a line of the file.
func FuzzReadSettings(f *testing.F) {
	for _, seed := range []string{
		"listen: 127.0.0.1:8080\nbypass: [a, b]\n", "", "- a", "a: {b: c}", "a: &x [*x]", "<<: {a: b}", "? [a]\n: b", "a: |\n  b\n",
		"\x00", "a: 1\na: 2", "a: [1, [2]]", "limits: {max-body: 4}", "limits: [a]", "overrides: {h: {keep: [p]}}", "overrides: [a]", "overrides: &a {h: *a}", "--- a\n--- b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		c, err := readSettings(strings.NewReader(src))
		if err != nil && (c.keys != nil || c.limits != nil || c.sites != nil) {
			t.Errorf("settings %v beside error %v", c, err)
		}
		for _, settings := range []map[string]setting{c.keys, c.limits} {
			for k, set := range settings {
				if set.line < 1 {
					t.Errorf("%q is said to be in line %d", k, set.line)
				}
			}
		}
	})
}
