//go:build full

package proxy

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Text browsers read the site over plain HTTP, through its redirects.
func TestVintageThroughTextBrowsers(t *testing.T) {
	f := newFerry(t)
	for name, arguments := range map[string][]string{
		"lynx": {"-dump", "-nolist", "-display_charset=utf-8"},
		"w3m":  {"-dump", "-O", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("%s is not here: apt-get install %s", name, name)
			}
			var errs bytes.Buffer
			cmd := exec.CommandContext(t.Context(), name, append(arguments, "http://ferry.example/")...)
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+t.TempDir(), "http_proxy=http://"+f.addr+"/", "no_proxy=", "https_proxy=http://127.0.0.1:9/")
			cmd.Stderr = &errs
			shown, err := cmd.Output()
			text := strings.Join(strings.Fields(string(shown)), " ")
			if err != nil || !strings.Contains(text, "A balsa de Kessel") || !strings.Contains(text, `"Não espera," diz o capitão -- e a balsa parte às oito`) || !strings.Contains(text, "A conta") {
				t.Errorf("%v: %s\n%s", err, shown, &errs)
			}
			if asked := f.took(); !slices.Equal(asked, []string{"http GET ferry.example/", "https GET ferry.example/"}) {
				t.Errorf("the origins were asked %q", asked)
			}
		})
	}
}
