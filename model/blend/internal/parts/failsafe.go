package parts

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"golang.org/x/net/html/atom"
)

// thinWords is the number of words below which the kept text is thin: a notice, a shell, a page of pictures.
const thinWords = 25

// IsThin reports whether very little text is kept.
func IsThin(v *view.Page, verdicts []page.Verdict) bool {
	words := int32(0)
	for i, d := range verdicts {
		if !d.Noise {
			words += v.Blocks[i].Words
		}
	}
	return words < thinWords
}

// Some pages are applications rather than texts. Where a removal could break them, they pass, or their form stays
// whole.

// PassApplication is the reason for passing the page of an application unchanged.
const PassApplication = "application"

// shellWords is the most words of a shell that scripts will fill: a title, a notice, a footer.
const shellWords = 60

// IsShell reports whether the page is the shell of an application: very little text, scripts, and an empty place for
// them to fill.
func (v *Outline) IsShell() bool {
	if v.Total.Words > shellWords || !markup.RunsScripts(v.Doc) {
		return false
	}
	for e := range v.Doc.Elements {
		if v.isMount(page.ElementID(e)) {
			return true
		}
	}
	return v.Total.Words <= 20 && asksForScripts(v.Page)
}

// isMount reports whether scripts will put the page into e: it has an id, attribute or tag that frameworks use, and
// shows at most that it is loading.
func (v *Outline) isMount(e page.ElementID) bool {
	el := &v.Doc.Elements[e]
	if e <= v.Doc.Body || v.Elements[e].Words > 5 || v.Elements[e].Images > 2 || v.HoldsControls(e) {
		return false
	}
	if strings.Contains(el.Name, "-") && el.Parent == v.Doc.Body {
		return true
	}
	for _, a := range v.Doc.Attrs(e) {
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
func asksForScripts(v *view.Page) bool {
	for e := range v.Doc.Elements {
		el := &v.Doc.Elements[e]
		if el.Tag != atom.Noscript || page.ElementID(e) < v.Doc.Body {
			continue
		}
		for _, t := range v.Doc.Texts[el.TextStart:el.TextEnd] {
			if strings.Contains(strings.ToLower(t.Data), "javascript") {
				return true
			}
		}
	}
	return false
}

// fewWords is the number of words below which the marking of a page without a picture is probably wrong.
const fewWords = 4

// HasEnough reports whether the kept parts are worth showing: some words, or fewer words with a picture, or the form.
func (v *Outline) HasEnough(verdicts []page.Verdict, form page.ElementID) bool {
	words := int32(0)
	for i, d := range verdicts {
		if !d.Noise {
			words += v.Blocks[i].Words
		}
	}
	if words >= fewWords || words > 0 && words*2 >= v.Total.Words {
		return true
	}
	return form != page.None || words > 0 && v.picturesContent(verdicts)
}

// picturesContent reports whether a picture is near a kept block, at most three elements up.
func (v *Outline) picturesContent(verdicts []page.Verdict) bool {
	for i, d := range verdicts {
		if d.Noise {
			continue
		}
		e := v.Blocks[i].Home
		for range 3 {
			if e <= v.Doc.Body {
				break
			}
			if v.holdsImage(e) || v.HoldsMedia(e) {
				return true
			}
			e = v.Doc.Elements[e].Parent
		}
	}
	return false
}

// Keep marks everything in e as content.
func Keep(v *view.Page, e page.ElementID, verdicts []page.Verdict) {
	if e == page.None {
		return
	}
	el := &v.Doc.Elements[e]
	for b := el.BlockStart; b < el.BlockEnd; b++ {
		verdicts[b].Noise = false
	}
}
