package script_test

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write/script"
)

// The names of frameworks are found in the text of scripts and as their ids, and parts of names are not.
func TestScriptsThatHydrate(t *testing.T) {
	for code, want := range map[string]bool{
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
		if got := script.Hydrates(pagetest.MustParse(t, []byte("<p>a"+code), "text/html; charset=utf-8")); got != want {
			t.Errorf("%s: hydrates is %t, want %t", code, got, want)
		}
	}
}
