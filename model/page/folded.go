package page

import (
	"html"
	"strconv"
	"strings"
)

// DocumentFolded is a text that people do not see at once on a page, apart from what they see.
type DocumentFolded struct {
	// Kind is "folded" for what is closed, unfolds, or can't be told, "alt" for what is said of a picture, film or frame.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// HTML is the text in simple HTML, where it is folded. URL is the address of the picture.
	HTML string `json:"html,omitempty"`
	URL  string `json:"url,omitempty"`
}

// The kinds of [DocumentFolded].
const (
	foldedText = "folded"
	foldedAlt  = "alt"
)

// parts reports whether the writer puts what people do not see at once apart.
func (r *simpleWriter) parts() bool { return r.style == forPrograms && !r.inFold }

// fold puts e apart.
func (r *simpleWriter) fold(e ElementID) {
	inside := simpleWriter{view: r.view, style: forPrograms, inFold: true}
	inside.element(e)
	f := DocumentFolded{Kind: foldedText, Text: r.view.foldedText(e), HTML: strings.TrimSpace(inside.b.String())}
	if f.Text != "" || strings.Contains(f.HTML, "<img") {
		r.put(f)
	}
	if !IsInline(r.view.p.Elements[e].Tag) {
		r.b.apart()
	}
}

// put puts something apart and leaves its place.
func (r *simpleWriter) put(f DocumentFolded) {
	r.b.WriteString(foldedPlace(len(r.folded)))
	r.folded = append(r.folded, f)
}

// foldedPlace and altPlace stand in simple HTML where [Document.Folded] has something. No text or attribute of a page
// can look like them, because quotes are escaped there.
func foldedPlace(i int) string { return `<a data-winnow-folded="` + strconv.Itoa(i) + `"></a>` }
func altPlace(i int) string    { return ` data-winnow-alt="` + strconv.Itoa(i) + `" alt=""` }

// withoutPlaces returns simple HTML without the places of what is apart.
func withoutPlaces(body string) string {
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

// foldedBody returns what is apart in simple HTML.
func foldedBody(apart []DocumentFolded) string {
	var b strings.Builder
	for _, f := range apart {
		if f.Kind == foldedAlt {
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
func (r *simpleWriter) says(e ElementID, key, val string) bool {
	if r.style != forPrograms {
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
		return isOneOf(strings.ToLower(val), "ltr", "rtl", "auto")
	case "sizes", "width", "height", "colspan", "rowspan", "scope":
		return len(val) <= 200 && !strings.ContainsAny(val, "<>\"") && strings.Count(val, " ") <= 20
	}
	return true
}

// isTarget reports whether a link of the page leads to e.
func (r *simpleWriter) isTarget(e ElementID) bool {
	if r.targets == nil {
		r.targets = r.view.linkedIDs()
	}
	for _, key := range []string{"id", "name"} {
		if val, _ := r.view.p.Attr(e, key); r.targets[val] {
			return true
		}
	}
	return false
}
