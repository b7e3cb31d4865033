package page

import "html"

// barStyle is the style of the bar: one unobtrusive line at the end of the page, in a shadow tree that the page's own
// styles do not reach.
const barStyle = `:host{all:initial;display:block;contain:content;margin:2em 0 0;padding:.7em 1em;border-top:1px solid #8886;` +
	`font:14px/1.5 system-ui,sans-serif;color:#444;background:#f6f6f2;text-align:center}` +
	`a{color:#2c6a49;display:inline-block;padding:.4em .6em}` +
	`@media(prefers-color-scheme:dark){:host{color:#bbb;background:#191c1a}a{color:#85c7a0}}`

// barLabel is the text of the bar.
const barLabel = "Cleaned by winnow: show the original, the menu, or set it right"

// addBar adds the bar at the end of the body: a link to winnow's page about this one. It has no script: its shadow tree
// is declared in the markup (HTML §4.12.3), and browsers without support for that show the plain link. If the page's
// policy forbids a style, the bar is only the link. A document that a framework takes over completely gets no bar, nor
// does one whose body has no end.
func (h *hider) addBar(to string) {
	body := h.p.Body
	if to == "" || body == None || h.p.Elements[body].endTag == 0 || h.p.Elements[body].Name != "body" || h.p.hydratesDocument() {
		return
	}
	link := `<a href="` + html.EscapeString(to) + `" rel="nofollow noreferrer">` + barLabel + `</a>`
	bar := `<p>` + link + `</p>`
	if h.styled {
		bar = `<winnow-bar><template shadowrootmode="open"><style>` + barStyle + `</style>` + link + `</template>` + link + `</winnow-bar>`
	}
	h.adds = append(h.adds, insertion{h.p.Elements[body].endTag, bar})
}
