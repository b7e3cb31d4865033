package source

import (
	"html"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/script"
)

// barStyle is the style of the bar: one quiet control in the corner of the screen, large enough for a finger, with
// winnow's leaf, and the sheet that it opens, in a shadow tree that the page's own styles do not reach. A touch beside
// the sheet closes it. It is as light or dark as the page says that it is itself. Where browsers know which way a page
// was scrolled last (CSS Conditional Rules 5 §3.4), it goes when scrolling down, and comes back when scrolling up: for
// that, the page links to this style too.
const barStyle = `html{container-type:scroll-state}:host{all:initial;color-scheme:inherit;position:fixed!important;right:8px!important;bottom:8px!important;z-index:9999999!important}` +
	`:host>a,:host summary{display:grid;place-items:center;place-content:center;position:relative;width:44px;height:44px;color:CanvasText;background:Canvas;border-radius:50%;box-shadow:0 1px 5px #0006;` +
	`font:0 system-ui;transition:translate .2s;cursor:pointer}:host :focus-visible{outline:3px solid #2f8a5b;outline-offset:2px}` +
	`:host>a::before,:host summary::before{content:"";width:16px;height:16px;border-radius:50% 0 50% 50%;background:#2f8a5b}` +
	`:host [open] summary{background:0 0;box-shadow:none;color:#fff}:host [open] summary::before{content:"✕";background:0 0;font:20px/16px system-ui;text-align:center}` +
	`:host [open] summary::after{content:"";position:fixed;inset:0;z-index:-1;background:#000a}` +
	`:host iframe{position:fixed;right:8px;bottom:max(60px,env(safe-area-inset-bottom));z-index:1;width:min(24em,100vw - 16px);height:min(24em,75vh)!important;border:0;border-radius:16px;background:Canvas}` +
	`@container scroll-state(scrolled:bottom){:host>a:not(:focus),:host details:not([open],:focus-within) summary{translate:0 60px}}` +
	`@media(prefers-reduced-motion){:host *{transition:none!important}}@media print{:host{display:none!important}}`

// barLabel is the text of the bar, which is the same in every language: pages that have it are shared by readers.
const barLabel = "winnow"

// offersBar reports whether the page gets a bar. A document that a framework takes over completely gets none, nor does
// one whose body has no end.
func (h *hider) offersBar(o HideOptions) bool {
	body := h.p.Body
	return o.Bar != "" && body != page.None && h.p.Elements[body].EndTag != 0 && h.p.Elements[body].Name == "body" && !script.HydratesDocument(h.p)
}

// addBar adds the bar at the end of the body, where it has no place in the layout: some pages take their whole
// contents out of it. It opens a sheet: a frame with winnow's own page, which is not loaded before. It has no script:
// its shadow tree is declared in the markup (HTML §4.12.3), and browsers without support for that show a plain link
// to the same. If the page's policy forbids the frame, the bar is a link to winnow's page; if it forbids styles, it is
// only the link.
func (h *hider) addBar(o HideOptions) {
	to := o.Bar
	if h.styled && o.Sheet != "" && allows(h.p, o.CSP, o.Sheet, "frame-src", "child-src", "default-src") {
		to, h.own.Frame = o.Sheet, o.Sheet
	}
	link := `<a href="` + html.EscapeString(to) + `"`
	bar := `<p>` + link + `>` + barLabel + `</a></p>`
	if h.styled {
		inside := link + `>` + barLabel + `</a>`
		if h.own.Frame != "" {
			inside = `<details><summary>` + barLabel + `</summary><iframe loading="lazy" title="winnow" src="` + html.EscapeString(h.own.Frame) + `"></iframe></details>`
		}
		style, forPage := `<style>`+barStyle+`</style>`, ""
		if h.own.Style != "" {
			style = h.styleLink()
			if h.styles == stylesBar { // nothing else links to it
				forPage = style
			}
		}
		bar = `<winnow-bar><template shadowrootmode="open">` + style + inside + `</template>` + forPage + link + `>` + barLabel + `</a></winnow-bar>`
	}
	h.adds = append(h.adds, insertion{h.p.Elements[h.p.Body].EndTag, bar})
}
