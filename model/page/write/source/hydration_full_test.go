//go:build full

package source_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
)

// Pages that React 18 and 19, Vue and Svelte render on a server and take over in the browser. npm builds them from
// testdata/hydration. WINNOW_HYDRATION names a folder with its node_modules, because npm is slow.
func TestHydrationInChromium(t *testing.T) {
	modules := os.Getenv("WINNOW_HYDRATION")
	if modules == "" {
		t.Skipf("%s: WINNOW_HYDRATION names no folder in which testdata/hydration was installed", t.Name())
	}
	b := browsertest.Start(t)
	out := t.TempDir()
	script, err := os.ReadFile(filepath.Join("testdata", "hydration", "build.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "node", "--input-type=module", "-", out)
	build.Dir, build.Stdin = modules, strings.NewReader(strings.Replace(string(script), "process.argv[2]", "process.argv.at(-1)", 1))
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the pages: %v\n%s", err, text)
	}
	pages := pagetest.ReadPages(t, filepath.Join(out, "*.html"))
	for _, csp := range []string{"", "style-src 'self'; script-src 'self'"} {
		srv := pagetest.ServePages(t, pages, csp, out)
		for name := range pages {
			direct := pagetest.Look(t, b, srv.URL+"/direct/"+name)
			if !strings.Contains(direct.Text, "taken over") || len(direct.Errors) > 0 {
				t.Fatalf("%s does not work as it is: %+v", name, direct)
			}
			for _, mode := range []page.Mode{page.ModeAuto, page.ModeHide} {
				t.Run(name+"/"+mode.String()+"/"+csp, func(t *testing.T) {
					clean := pagetest.Look(t, b, srv.URL+"/"+mode.String()+"/"+name)
					pagetest.CheckView(t, direct, clean, .85)
					if !strings.Contains(clean.Text, "taken over") {
						t.Error("the framework did not take the page over")
					}
				})
			}
		}
	}
}
