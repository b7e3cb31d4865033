package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/browsertest"
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
	pages := readPages(t, filepath.Join(out, "*.html"))
	for _, csp := range []string{"", "style-src 'self'; script-src 'self'"} {
		srv := servePages(t, pages, csp, out)
		for name := range pages {
			direct := look(t, b, srv.URL+"/direct/"+name)
			if !strings.Contains(direct.Text, "taken over") || len(direct.Errors) > 0 {
				t.Fatalf("%s does not work as it is: %+v", name, direct)
			}
			for _, mode := range []Mode{ModeAuto, ModeHide} {
				t.Run(name+"/"+mode.String()+"/"+csp, func(t *testing.T) {
					clean := look(t, b, srv.URL+"/"+mode.String()+"/"+name)
					checkView(t, direct, clean, .85)
					if !strings.Contains(clean.Text, "taken over") {
						t.Error("the framework did not take the page over")
					}
				})
			}
		}
	}
}

// The names of frameworks are found in the text of scripts and as their ids, and parts of names are not.
func TestScriptsThatHydrate(t *testing.T) {
	for script, want := range map[string]bool{
		"<script>window.__NUXT__={}</script>":               true,
		"<script>var a_b=1;self.__next_f.push(1)</script>":  true,
		"<script>x=___gatsby</script>":                      true,
		"<script>x=____gatsby</script>":                     true,
		"<script>_$HY={}</script>":                          true,
		"<script>$_TSR={}</script>":                         true,
		"<script>a_b();hydrateRoot(x)</script>":             true,
		"<script id=__NEXT_DATA__ type=a/json>{}</script>":  true,
		"<script id=createSSRApp>1</script>":                true,
		"<script id=x__NEXT_DATA__>1</script>":              false,
		"<script>__NEXT_DAT; _HY; $TSR; _; __</script>":     false,
		"<p>__NUXT__</p><script src=__NUXT__.js></script>_": false,
		"<p>a</p><!--[--><p>b":                              true,
		"<p>a</p><!--x--><!-- [--><!><![--><p>b! <-[-->":    false,
		"<!doctype html>!<!--$--><p>b":                      true,
	} {
		if got := mustParse(t, []byte("<p>a"+script), "text/html; charset=utf-8").hydrates(); got != want {
			t.Errorf("%s: hydrates is %t, want %t", script, got, want)
		}
	}
}
