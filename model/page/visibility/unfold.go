package visibility

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/cascade"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// State says how a page without its scripts treats a text.
type State uint8

const (
	// Shown: a browser shows it, as far as the page itself says.
	Shown State = iota
	// Folded: a browser hides it until a reader or a script opens it: it is closed, a visible control names it, its name
	// is that of a part of an accordion or the like, it waits for an animation, or it is most of the page. What the
	// styles leave open is folded too. Outputs for programs have it in a part of its own, pages for readers in its place.
	Folded
	// Concealed: a browser hides it, and nothing on the page offers to show it. It is in no output for programs and in
	// no page for readers.
	Concealed
)

// concealsItself reports whether e has a style or attribute of its own that hides it, so that showing its parent is not
// enough.
func concealsItself(p *page.Page, e page.ElementID) bool {
	style, _ := p.Attr(e, "style")
	_, hidden := p.Attr(e, "hidden")
	return hidden || hides(style)
}

// folder finds the hidden elements that scripts would show.
type folder struct {
	p *page.Page
	// c is what is known of the elements so far, view of all of them alone.
	c       *Visibility
	view    *cascade.View
	scripts bool
	// named are the ids that visible controls name, computed on first use.
	named map[string]bool
	// ink is the number of visible characters before each block, and at the end of the page.
	ink []int
}

// unfolds reports whether the page offers to show e, or its scripts will. inside says that e is in an element that they
// show already, and is hidden again.
func (f *folder) unfolds(e page.ElementID, inside bool) bool {
	if f.isNamed(e) {
		return true
	}
	if !f.scripts {
		return false
	}
	style, _ := f.p.Attr(e, "style")
	return waitsForAnimation(style) || f.isWidget(e) || !inside && f.isWidget(f.p.Elements[e].Parent) || f.isMost(e)
}

// isNamed reports whether a visible control names e.
func (f *folder) isNamed(e page.ElementID) bool {
	id, _ := f.p.Attr(e, "id")
	if id == "" {
		return false
	}
	if f.named == nil {
		f.named = map[string]bool{}
		for c := range f.p.Elements {
			if f.view.Box[c] == cascade.Seen && f.view.Text[c] == cascade.Seen {
				eachNamed(f.p, page.ElementID(c), func(id string) { f.named[id] = true })
			}
		}
	}
	return f.named[id]
}

// eachNamed calls name with the ids of the elements that e shows or leads to.
func eachNamed(p *page.Page, e page.ElementID, name func(id string)) {
	for _, a := range p.Attrs(e) {
		switch a.Key {
		case "aria-controls", "data-target", "data-bs-target", "data-tab":
			for id := range strings.FieldsSeq(a.Val) {
				name(strings.TrimPrefix(id, "#"))
			}
		case "href":
			if id, ok := strings.CutPrefix(a.Val, "#"); ok && id != "" {
				name(id)
			}
		}
	}
}

// waitsForAnimation reports whether declarations hide an element only until it is animated into view.
func waitsForAnimation(declarations string) bool {
	low := strings.ToLower(declarations)
	if !strings.Contains(low, "opacity") || strings.Contains(low, "display") {
		return false
	}
	return strings.Contains(low, "transform") || strings.Contains(low, "transition") || strings.Contains(low, "animation") || strings.Contains(low, "will-change")
}

// isWidget reports whether the names of e say that it opens and closes.
func (f *folder) isWidget(e page.ElementID) bool {
	if e == page.None || e <= f.p.Body {
		return false
	}
	for _, a := range f.p.Attrs(e) {
		if a.Key == "role" && strings.EqualFold(a.Val, "tabpanel") || a.Key == "class" && markup.NamesWidget(a.Val) {
			return true
		}
	}
	return false
}

// isMost reports whether e has more than half of the page's text, is free, and hidden as scripts show things.
func (f *folder) isMost(e page.ElementID) bool {
	el := &f.p.Elements[e]
	most := 2*(f.ink[el.BlockEnd]-f.ink[el.BlockStart]) > f.ink[len(f.ink)-1]
	return most && f.view.By[e] != cascade.Looks && !f.p.Paid()
}

// inkBefore sums up the lengths of the blocks.
func inkBefore(p *page.Page) []int {
	ink := make([]int, len(p.Blocks)+1)
	for b := range p.Blocks {
		ink[b+1] = ink[b] + p.BlockLen(page.BlockID(b))
	}
	return ink
}
