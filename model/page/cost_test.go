package page_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
)

// shapes are pages of n bytes that are as expensive as possible.
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

func TestCostBoundsWhatParsingTakes(t *testing.T) {
	for name, src := range shapes(2 << 20) {
		t.Run(name, func(t *testing.T) {
			text, read := []byte(src), false
			used := pagetest.Allocated(func() {
				p, err := page.Parse(text, "text/html; charset=utf-8")
				if read = err == nil; err != nil && !errors.Is(err, page.ErrTooMany) && !errors.Is(err, page.ErrTooDeep) {
					t.Error(err)
				}
				runtime.KeepAlive(p)
			})
			if cost := page.Cost(text); used > uint64(cost) {
				t.Errorf("%d MB used, %d MB estimated", used>>20, cost>>20)
			}
			t.Logf("%d of %d MB, read %v", used>>20, page.Cost(text)>>20, read)
		})
	}
}
