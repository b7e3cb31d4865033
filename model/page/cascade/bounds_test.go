//go:build unix && !race

package cascade

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// costly are pages of about n bytes whose styles and elements each are short enough, and together take many times
// their length unless their work is counted.
func costly(n int) map[string]string {
	fill := func(unit string, n int) string { return strings.Repeat(unit, n/len(unit)) }
	names := func(format string, n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	style := func(css, body string) string { return "<!DOCTYPE html><style>" + css + "</style>" + body }
	half := n / 2
	nested := strings.Repeat("<div style=--a:1><div style=--a:2>", 200)
	return map[string]string{
		"declarations of all elements":   style("*{"+fill("top:0;", half)+"}", fill("<p>", half)),
		"a long value for all elements":  style("*{background:linear-gradient("+fill("red,", half)+"red)}", fill("<p>", half)),
		"many animations":                style("@keyframes a{to{top:0}}*{animation-name:"+fill("a,", half)+"a}", fill("<p>", half)),
		"long animations":                style("@keyframes a{to{"+fill("top:0;", half/2)+"}}*{animation:"+fill("a 1s forwards,", half/2)+"a 1s forwards}", fill("<p>", half)),
		"classes above many elements":    style("", `<div class="`+names("c%d ", half)+`">`+fill("<p>", half)),
		"classes that recur":             style(fill(".a{top:0}", half), `<div class="`+fill("a ", half)+`">`),
		"classes that recur, often":      style(fill(".a{top:0}", n/3), fill(`<p class="`+fill("a ", 2000)+`">`, 2*n/3)),
		"attributes that nobody has":     style(names("[a%d]{top:0}", half), fill("<p>", half)),
		"attributes that most have":      style(fill("[zz]{top:0}", half), "<div "+names("a%d ", half)+"zz>"),
		"classes that selectors look at": style(names(".z%d p{top:0}", n/4), `<div class="`+names("c%d ", n/4)+`">`+fill("<p>", half)),
		"names of layers":                style("@layer "+names("a%d,", n)+"a;", ""),
		"layers in layers":               style("@layer a"+fill(".a", n)+";", ""),
		"siblings of siblings":           style("p"+fill("~p", half)+"{top:0}", fill("<p>", half)),
		"variables far above":            style("*{top:"+fill("var(--q,1)", 16_000)+"}", nested+fill("<b></b>", n-24_000)),
		"variables of variables":         style("*{--b:var(--c)"+fill("var(--c)", 256)+";--c:"+fill("1 ", 128)+";"+manyVariables(half)+"}", fill("<p>", half)),
		"masks of all elements":          style("*{mask-image:linear-gradient("+fill("red,", half)+"red)}", fill("<p>", half)),
		"filters of all elements":        style("*{filter:"+fill("blur(1px)", half)+"}", fill("<p>", half)),
		"moves of all elements":          style("*{transform:"+fill("scale(1)", half)+"}", fill("<p>", half)),
		"rows of all elements":           style("*{display:grid;grid-template-rows:"+fill("1fr ", half)+"}", fill("<p>", half)),
		"words of all elements":          style("*{contain:"+fill("size ", half)+"}", fill("<p>", half)),
		"scopes":                         style("@scope(p){"+fill("b{top:0}", half)+"}", fill("<p><b>", half)),
		"rules in rules":                 style(fill("*{top:0;", 240)+fill("*{top:0}", half), fill("<p>", half)),
		"counted children":               style(fill(":nth-child(2 of p){top:0}", half), fill("<p>", half)),
		"what has something":             style(fill(":has(b){top:0}", half), fill("<p>", half)),
		"negations":                      style(fill(":not(b){top:0}", half), fill("<p>", half)),
		"languages":                      style(fill(":lang(en){top:0}", half), strings.Repeat("<div>", 400)+fill("<p>", half)),
		"conditions":                     style(fill("@media (min-width:1px) and (max-width:9px){a{top:0}}", half), fill("<p>", half)),
		"a long condition":               style("@media "+fill("(min-width:1px) and ", half)+"(min-width:1px){a{top:0}}", fill("<p>", half)),
		"conditions in conditions":       style("@media "+strings.Repeat("(", 2000)+fill("a,", half), fill("<p>", half)),
		"shorthands of all elements":     style("*{"+fill("all:unset;", half)+"}", fill("<p>", half)),
		"imports":                        style(fill(`@import "data:text/css,a{top:0}";`, half), fill("<p>", half)),
	}
}

// manyVariables are custom properties of about n bytes, each with one that is long.
func manyVariables(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, ";--a%d:var(--b)", i)
	}
	return b.String()
}

// No page takes more processor time and memory for each byte than a few times what usual ones take.
func TestLookCostsItsLength(t *testing.T) {
	const size, maxTime, maxMemory = 64 << 10, 400 * time.Millisecond, 400 << 20
	for name, src := range costly(size) {
		t.Run(name, func(t *testing.T) {
			page := parsed(t, src)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := processorTime(t)
			Look(page)
			took := processorTime(t) - began
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; took > maxTime || allocated > maxMemory {
				t.Errorf("%d bytes take %v and %d MiB", len(src), took, allocated>>20)
			} else {
				t.Logf("%d bytes take %v and %d MiB", len(src), took, allocated>>20)
			}
		})
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
