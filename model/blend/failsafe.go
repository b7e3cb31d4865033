package blend

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// Some pages are applications rather than texts. Where a removal could break them, they pass, or their form stays
// whole.

// passApplication is the reason for passing the page of an application unchanged.
const passApplication = "application"

// shellWords is the most words of a shell that scripts will fill: a title, a notice, a footer.
const shellWords = 60

// isShell reports whether the page is the shell of an application: very little text, scripts, and an empty place for
// them to fill.
func (v *outline) isShell() bool {
	if v.total.words > shellWords || !v.p.RunsScripts() {
		return false
	}
	for e := range v.p.Elements {
		if v.isMount(page.ElementID(e)) {
			return true
		}
	}
	return v.total.words <= 20 && v.asksForScripts()
}

// isMount reports whether scripts will put the page into e: it has an id, attribute or tag that frameworks use, and
// shows at most that it is loading.
func (v *outline) isMount(e page.ElementID) bool {
	el := &v.p.Elements[e]
	if e <= v.p.Body || v.elems[e].words > 5 || v.elems[e].images > 2 || v.holdsControls(e) {
		return false
	}
	if strings.Contains(el.Name, "-") && el.Parent == v.p.Body {
		return true
	}
	for _, a := range v.p.Attrs(e) {
		switch a.Key {
		case "ng-app", "ng-version", "ng-view", "ui-view", "data-reactroot", "data-v-app", "data-server-rendered", "data-ng-app":
			return true
		case "id":
			switch strings.ToLower(a.Val) {
			case "root", "app", "__next", "__nuxt", "q-app", "svelte", "application", "react-root", "reactroot", "app-root", "approot",
				"app-mount", "mount", "main-app", "spa", "ember-app", "gatsby", "___gatsby", "webapp", "react-app", "vue-app":
				return true
			}
		}
		if a.Key == "role" && a.Val == "application" {
			return true
		}
	}
	return false
}

// asksForScripts reports whether the page tells users without scripts that it needs them.
func (v *view) asksForScripts() bool {
	for e := range v.p.Elements {
		el := &v.p.Elements[e]
		if el.Tag != atom.Noscript || page.ElementID(e) < v.p.Body {
			continue
		}
		for _, t := range v.p.Texts[el.TextStart:el.TextEnd] {
			if strings.Contains(strings.ToLower(t.Data), "javascript") {
				return true
			}
		}
	}
	return false
}

// fewWords is the number of words below which the marking of a page without a picture is probably wrong.
const fewWords = 4

// hasEnough reports whether the kept parts are worth showing: some words, or fewer words with a picture, or the form.
func (v *outline) hasEnough(verdicts []page.Verdict, form page.ElementID) bool {
	words := int32(0)
	for i, d := range verdicts {
		if !d.Noise {
			words += v.blocks[i].words
		}
	}
	if words >= fewWords || words > 0 && words*2 >= v.total.words {
		return true
	}
	return form != page.None || words > 0 && v.picturesContent(verdicts)
}

// picturesContent reports whether a picture is near a kept block, at most three elements up.
func (v *outline) picturesContent(verdicts []page.Verdict) bool {
	for i, d := range verdicts {
		if d.Noise {
			continue
		}
		e := v.blocks[i].home
		for range 3 {
			if e <= v.p.Body {
				break
			}
			if v.holdsImage(e) || v.holdsFilm(e) {
				return true
			}
			e = v.p.Elements[e].Parent
		}
	}
	return false
}

// keep marks everything in e as content.
func (v *view) keep(e page.ElementID, verdicts []page.Verdict) {
	if e == page.None {
		return
	}
	el := &v.p.Elements[e]
	for b := el.BlockStart; b < el.BlockEnd; b++ {
		verdicts[b].Noise = false
	}
}
