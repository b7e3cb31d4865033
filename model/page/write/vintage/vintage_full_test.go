//go:build full

package vintage_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/pagetest"
)

// Text browsers of the time show the page as it is meant: its parts in order, its table in columns, its form with
// controls, and no markup.
func TestVintageInTextBrowsers(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "vintage", "ferry.html"))
	if err != nil {
		t.Fatal(err)
	}
	p := pagetest.MustParse(t, src, "text/html; charset=utf-8")
	for name, arguments := range map[string][]string{
		"lynx": {"-dump", "-nolist", "-display_charset=utf-8", "-width=100"},
		"w3m":  {"-dump", "-T", "text/html", "-cols", "100", "-O", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("%s is not here: apt-get install %s", name, name)
			}
			for _, charset := range []string{"", "utf-8", "us-ascii", "windows-1252"} {
				out, err := vintageForm(charset).Write(p, pagetest.MarkNoise(p))
				if err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(t.TempDir(), "page.html")
				if err := os.WriteFile(file, out.Body, 0o600); err != nil {
					t.Fatal(err)
				}
				cmd := exec.CommandContext(t.Context(), name, append(arguments, file)...)
				cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+t.TempDir())
				shown, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, shown)
				}
				text := strings.Join(strings.Fields(string(shown)), " ")
				at := 0
				for _, want := range []string{"The ferry at Kessel", "Inês Brandão", "wait,", "says the captain", "Łódź", "old page", "The ferry in spring",
					"Fares in euros", "Grown-ups", "3.00", "Dogs", "Ring the bell", "ring --times 2", "[x] life jackets", "Name", "Kessel", "Book"} {
					i := strings.Index(text[at:], want)
					if i < 0 {
						t.Errorf("%q: %q is not there, or not in order:\n%s", charset, want, shown)
						break
					}
					at += i
				}
				for _, no := range []string{"<", "start()", "display:", "Home", "Imprint", "&#"} {
					if strings.Contains(strings.ReplaceAll(text, "<there>", ""), no) {
						t.Errorf("%q: %q is there:\n%s", charset, no, shown)
					}
				}
			}
		})
	}
}
