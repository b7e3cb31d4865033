package page

import (
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// shapes are pages of n bytes that are made to cost much.
func shapes(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	return map[string]string{
		"definitions":        fill("<dt>a<dd>b"),
		"paragraphs":         fill("<p>x"),
		"void elements":      fill("<br>"),
		"closed elements":    fill("<i></i>"),
		"attributes":         "<p " + fill("a=1 "),
		"many attributes":    fill("<p a b c d e f g>"),
		"one attribute":      `<p a="` + fill("x"),
		"names":              fill("<aa><ab><ac><ad>"),
		"deep":               fill("<div>"),
		"formatting":         fill("<b><i><u>"),
		"formatting in p":    fill("<p><font size=1><font size=2>"),
		"links":              fill("<a href=x>y"),
		"tables":             fill("<table><tr><td>"),
		"foster parenting":   "<table>" + fill("<b>x"),
		"cells":              "<table>" + fill("<tr><td>x<td>y"),
		"stray ends":         fill("</b></p></div>"),
		"comments":           fill("<!---->"),
		"references":         fill("&amp;&lt;&#65;"),
		"unclosed comments":  fill("<!--"),
		"doctypes":           fill("<!doctype>"),
		"selects":            fill("<select><option>"),
		"svg":                fill("<svg><path/>"),
		"svg names":          "<svg>" + fill("<g><a><p>"),
		"scripts":            fill("<script></script>"),
		"escaped script":     "<script>" + fill("<!--<script>"),
		"texts":              fill("a<x>b</x>"),
		"templates":          fill("<template>"),
		"closed templates":   fill("<template></template>"),
		"bodies":             fill("<body a><body b>"),
		"less-than signs":    fill("<"),
		"ampersands":         fill("&"),
		"carriage returns":   fill("\r"),
		"zero bytes":         fill("a\x00"),
		"headings in button": fill("<button><h1>"),
		"joined texts":       fill("a</x>"),
		"joined spaces":      "a" + fill("</x> "),
		"long name":          "<" + fill("x") + ">",
		"lists":              fill("<ul><li>"),
		"list items":         "<ul>" + fill("<li>a"),
	}
}

// peak returns the highest heap while f runs.
func peak(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	done, top := make(chan struct{}), make(chan uint64)
	go func() {
		high := uint64(0)
		for {
			runtime.ReadMemStats(&now)
			high = max(high, now.HeapAlloc)
			select {
			case <-done:
				top <- high
				return
			default:
				runtime.Gosched()
			}
		}
	}()
	f()
	close(done)
	return max(<-top, before.HeapAlloc) - before.HeapAlloc
}

func TestCostBoundsWhatParsingTakes(t *testing.T) {
	n := 4 << 20
	if testing.Short() {
		n = 1 << 20
	}
	for name, src := range shapes(n) {
		t.Run(name, func(t *testing.T) {
			text, read := []byte(src), false
			used := peak(func() {
				p, err := Parse(text, "text/html; charset=utf-8")
				if read = err == nil; err != nil && !errors.Is(err, ErrTooMany) && !errors.Is(err, ErrTooDeep) {
					t.Error(err)
				}
				runtime.KeepAlive(p)
			})
			if cost := Cost(text); used > uint64(cost) {
				t.Errorf("%d MB used, %d MB estimated", used>>20, cost>>20)
			}
			t.Logf("%d of %d MB, read %v", used>>20, Cost(text)>>20, read)
		})
	}
}
