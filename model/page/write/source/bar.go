package source

import (
	"html"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/write/script"
)

// BarStyle is the style of the bar, which [HideOptions.BarStyle] names: one quiet control in the corner of the
// screen, large enough for a finger, and the sheet that it opens, in a shadow tree that the page's own styles do not
// reach. It is as light or dark as the page says that it is itself. Where browsers know which way a page was scrolled
// last (CSS Conditional Rules 5 §3.4), it goes when scrolling down, and comes back when scrolling up: for that, the
// page links to this style too.
const BarStyle = `html{container-type:scroll-state}:host{all:initial;color-scheme:inherit}` +
	`:host>a,:host summary{display:grid;place-items:center;width:44px;height:44px;color:CanvasText;background:Canvas;border-radius:50%;box-shadow:0 0 4px;` +
	`font:600 10px system-ui;text-decoration:none;transition:translate .2s;cursor:pointer}` +
	`:host iframe{position:fixed;right:8px;bottom:max(60px,env(safe-area-inset-bottom));width:min(24em,100vw - 16px);height:min(34em,70vh);border:0;border-radius:12px;background:Canvas;box-shadow:0 0 12px}` +
	`@container scroll-state(scrolled:bottom){:host>a:not(:focus),:host details:not([open],:focus-within) summary{translate:0 60px}}@media print{:host{display:none!important}}`

// BarStylePath is the path of [BarStyle] on winnow's own host.
const BarStylePath = "/bar.css"

// barLabel is the text of the bar.
const barLabel = "Cleaned by winnow"

// addBar adds the bar at the end of the body, where it has no place in the layout: some pages take their whole
// contents out of it. It opens a sheet: a frame with winnow's own page, which is not loaded before. It has no script:
// its shadow tree is declared in the markup (HTML §4.12.3), and browsers without support for that show a plain link
// to the same. If the page's policy forbids the frame, the bar is a link to winnow's page; if it forbids the style,
// it is only the link. A document that a framework takes over completely gets no bar, nor does one whose body has no
// end. addBar returns what the bar loads.
func (h *hider) addBar(f HideOptions) (own active.Own) {
	p := h.p
	body := p.Body
	if f.Bar == "" || body == page.None || p.Elements[body].EndTag == 0 || p.Elements[body].Name != "body" || script.HydratesDocument(p) {
		return own
	}
	to := f.Bar
	if h.styled && f.Sheet != "" && allows(p, f.CSP, f.Sheet, "frame-src", "child-src", "default-src") {
		to, own.Frame = f.Sheet, f.Sheet
	}
	link := `<a href="` + html.EscapeString(to) + `" rel="noreferrer"`
	bar := `<p>` + link + `>` + barLabel + `</a></p>`
	if h.styled {
		inside := link + `>winnow</a>`
		if own.Frame != "" {
			inside = `<details><summary>winnow</summary><iframe loading="lazy" title="winnow" src="` + html.EscapeString(own.Frame) + `"></iframe></details>`
		}
		style, forPage := `<style>`+BarStyle+`</style>`, ""
		if f.BarStyle != "" && allows(p, f.CSP, f.BarStyle, "style-src-elem", "style-src", "default-src") {
			own.Style = f.BarStyle
			style = `<link rel="stylesheet" href="` + html.EscapeString(own.Style) + `">`
			forPage = style
		}
		bar = `<winnow-bar style="position:fixed;right:8px;bottom:8px;z-index:9999999"><template shadowrootmode="open">` + style + inside + `</template>` +
			forPage + link + `>` + barLabel + `</a></winnow-bar>`
	}
	h.adds = append(h.adds, insertion{p.Elements[body].EndTag, bar})
	return own
}
