package cssrules

import "testing"

// Names that somebody chose are told from those that a build, a database or a state of the page made.
func TestNames(t *testing.T) {
	for _, name := range []string{"entry-content", "mainContent", "col-md-9", "span9", "widget_text", "site-header__inner", "WP", "h2", "leftCol", "post", "main2"} {
		if !isName(name) {
			t.Errorf("%q is no name", name)
		}
	}
	for _, name := range []string{"post-1234", "css-1x2y3z", "sc-bdVaJa", "jss17", "_ngcontent-abc", "svelte-1a2b3c", "active", "is-open", "current-menu-item", "x", "", "2col",
		"md:flex", "a\\b", "größe", "a1b2c3d4", "bdVaJaKe", "menu-item-10432", "a.b", "w-[3px]"} {
		if isName(name) {
			t.Errorf("%q is a name", name)
		}
	}
}
