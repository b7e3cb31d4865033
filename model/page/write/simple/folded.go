package simple

import (
	"html"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"github.com/winnow-proxy/winnow/model/page/write/plaintext"
)

// Folded is a text that people do not see at once on a page, apart from what they see.
type Folded struct {
	// Kind is "folded" for what is closed, unfolds, or is unresolved, "alt" for what is said of a picture, film or frame.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// HTML is the text in simple HTML, where it is folded. URL is the address of the picture.
	HTML string `json:"html,omitempty"`
	URL  string `json:"url,omitempty"`
}

// The kinds of [Folded].
const (
	foldedText = "folded"
	FoldedAlt  = "alt"
)

// apart reports whether the writer puts what people do not see at once apart.
func (r *writer) apart() bool { return r.style == ForPrograms && !r.inFold }

// fold puts e apart.
func (r *writer) fold(e page.ElementID) {
	inside := writer{view: r.view, style: ForPrograms, inFold: true}
	inside.element(e)
	f := Folded{Kind: foldedText, Text: plaintext.Folded(r.view, e), HTML: strings.TrimSpace(inside.b.String())}
	if f.Text != "" || strings.Contains(f.HTML, "<img") {
		r.put(f)
	}
	if !page.IsInline(r.view.Page.Elements[e].Tag) {
		r.b.Apart()
	}
}

// put puts something apart and leaves its place.
func (r *writer) put(f Folded) {
	r.b.WriteString(FoldedPlace(len(r.folded)))
	r.folded = append(r.folded, f)
}

// FoldedPlace and AltPlace stand in simple HTML where [jsondoc.Document.Folded] has something. No text or attribute
// of a page can look like them, because quotes are escaped there.
func FoldedPlace(i int) string { return `<a data-winnow-folded="` + strconv.Itoa(i) + `"></a>` }

// AltPlace is [FoldedPlace] for the alternative text of a picture.
func AltPlace(i int) string { return ` data-winnow-alt="` + strconv.Itoa(i) + `" alt=""` }

// WithoutPlaces returns simple HTML without the places of what is apart.
func WithoutPlaces(body string) string {
	const place, end = `<a data-winnow-folded="`, `"></a>`
	before, rest, found := strings.Cut(body, place)
	if !found {
		return body
	}
	var b strings.Builder
	for b.WriteString(before); found; b.WriteString(before) {
		_, rest, _ = strings.Cut(rest, end)
		before, rest, found = strings.Cut(rest, place)
	}
	return b.String()
}

// FoldedBody returns what is apart in simple HTML.
func FoldedBody(apart []Folded) string {
	var b strings.Builder
	for _, f := range apart {
		if f.Kind == FoldedAlt {
			text := strings.ReplaceAll(f.Text, "](", "] (") // the end of a link, wherever its beginning were
			b.WriteString("<p>" + html.EscapeString(text) + "</p>\n")
			continue
		}
		around := "div"
		for _, part := range [...][2]string{{"<li", "ul"}, {"<td", "table"}, {"<th", "table"}, {"<tr", "table"}, {"<tbody", "table"}, {"<dt", "dl"}, {"<dd", "dl"}} {
			if strings.HasPrefix(f.HTML, part[0]) {
				around = part[1]
			}
		}
		b.WriteString("<" + around + ">" + f.HTML + "</" + around + ">\n")
	}
	return b.String()
}

// says reports whether an attribute of simple HTML is of use. For programs, it says nothing that people do not see.
func (r *writer) says(e page.ElementID, key, val string) bool {
	if r.style != ForPrograms {
		return true
	}
	only := func(chars string, most int) bool {
		return len(val) <= most && strings.Trim(strings.ToLower(val), chars) == ""
	}
	switch key {
	case "title":
		return false
	case "id":
		return r.isTarget(e)
	case "datetime":
		return only("0123456789-+:.,tzw ps/ymdh", 40)
	case "lang":
		return only("abcdefghijklmnopqrstuvwxyz0123456789-_", 20)
	case "dir":
		return markup.IsOneOf(strings.ToLower(val), "ltr", "rtl", "auto")
	case "sizes", "width", "height", "colspan", "rowspan", "scope":
		return len(val) <= 200 && !strings.ContainsAny(val, "<>\"") && strings.Count(val, " ") <= 20
	}
	return true
}

// isTarget reports whether a link of the page leads to e.
func (r *writer) isTarget(e page.ElementID) bool {
	if r.targets == nil {
		r.targets = r.view.LinkedIDs()
	}
	for _, key := range []string{"id", "name"} {
		if val, _ := r.view.Page.Attr(e, key); r.targets[val] {
			return true
		}
	}
	return false
}
