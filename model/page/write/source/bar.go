package source

import (
	"html"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/script"
)

// barStyle is the style of the bar: one quiet control in the corner of the screen, large enough for a finger, in a
// shadow tree that the page's own styles do not reach. It has no place in the layout, because some pages take their
// whole contents out of it, and the bar came before their first heading. Its ground is half-way, for light and dark
// pages.
const barStyle = `:host{all:initial;position:fixed;right:8px;bottom:max(8px,env(safe-area-inset-bottom));z-index:2147483646}` +
	`a{display:grid;place-items:center;box-sizing:border-box;width:44px;height:44px;border:1px solid #fffa;border-radius:50%;` +
	`font:bold 18px/1 system-ui,sans-serif;color:#fff;background:#444;opacity:.8;text-decoration:none}` +
	`a:is(:hover,:focus){opacity:1;outline:3px solid #85c7a0}@media print{:host{display:none}}`

// barLabel is the text of the bar.
const barLabel = "Cleaned by winnow: show the original, the menu, or set it right"

// addBar adds the bar at the end of the body: a link to winnow's page about this one. It has no script: its shadow tree
// is declared in the markup (HTML §4.12.3), and browsers without support for that show the plain link. If the page's
// policy forbids a style, the bar is only the link. A document that a framework takes over completely gets no bar, nor
// does one whose body has no end.
func (h *hider) addBar(to string) {
	body := h.p.Body
	if to == "" || body == page.None || h.p.Elements[body].EndTag == 0 || h.p.Elements[body].Name != "body" || script.HydratesDocument(h.p) {
		return
	}
	start := `<a href="` + html.EscapeString(to) + `" rel="nofollow noreferrer"`
	link := start + `>` + barLabel + `</a>`
	bar := `<p>` + link + `</p>`
	if h.styled {
		bar = `<winnow-bar><template shadowrootmode="open"><style>` + barStyle + `</style>` + start + ` aria-label="` + barLabel + `">w</a></template>` + link + `</winnow-bar>`
	}
	h.adds = append(h.adds, insertion{h.p.Elements[body].EndTag, bar})
}
