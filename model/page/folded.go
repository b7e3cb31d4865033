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
	plain := textWriter{view: r.view, inFold: true}
	plain.element(e)
	f := DocumentFolded{Kind: foldedText, Text: plain.b.String(), HTML: strings.TrimSpace(inside.b.String())}
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

// ReaderHTML is HTML with everything in its place, for people, who open what is folded.
func (d *Document) ReaderHTML() string {
	var pairs []string
	for i, f := range d.Folded {
		if f.Kind == foldedAlt {
			pairs = append(pairs, altPlace(i), ` alt="`+html.EscapeString(f.Text)+`"`)
		} else {
			pairs = append(pairs, foldedPlace(i), f.HTML)
		}
	}
	return strings.NewReplacer(pairs...).Replace(d.HTML)
}

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

// isProse reports whether TeX has words in it that are not commands, so that it may be a text rather than a formula.
func isProse(tex string) bool { return len(proseOf(tex)) > 0 }

// proseOf returns the runs of letters in TeX that no command explains.
func proseOf(tex string) (words []string) {
	const shortWord = 3
	isLetter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }
	for i := 0; i < len(tex); {
		from := i
		if tex[i] == '\\' {
			for i++; i < len(tex) && isLetter(tex[i]); i++ {
			}
			if command := tex[from+1 : i]; command == "begin" || command == "end" {
				if end := strings.IndexByte(tex[i:], '}'); end >= 0 && end < 16 {
					i += end
				}
			}
			i = max(i, from+1)
			continue
		}
		for ; i < len(tex) && isLetter(tex[i]); i++ {
		}
		if i-from > shortWord {
			words = append(words, tex[from:i])
		}
		i = max(i, from+1)
	}
	return words
}

// formulaText returns a formula in MathML as TeX: that of its author if that says no more than what people see.
func (v *contentView) formulaText(e ElementID) string {
	tex := v.p.texOf(e)
	words := proseOf(tex)
	if len(words) == 0 {
		return tex
	}
	shown := strings.Join(strings.Fields(v.formulaShown(e)), "")
	for _, w := range words {
		if !strings.Contains(shown, w) {
			return strings.TrimSpace(v.p.texFrom(e, v.seen))
		}
	}
	return tex
}

// formulaShown is what people see of a formula: the text of its MathML, or of another form of it beside it.
func (v *contentView) formulaShown(e ElementID) string {
	var b strings.Builder
	p, root := v.p, e
	if twin := p.secondFormulaOf(e, v.seen.box); twin != None {
		root = twin
	}
	for i := p.Elements[root].TextStart; i < p.Elements[root].TextEnd; i++ {
		t := &p.Texts[i]
		if up := p.Elements[t.Parent].Name; v.seen.text[t.Parent] == Shown && up != "annotation" && up != "annotation-xml" {
			b.WriteString(t.Data)
		}
	}
	return b.String()
}

// mostForms is how many elements beside a formula may be another form of it.
const mostForms = 16

// secondFormulaOf returns the form of a formula that people see in place of its MathML, or None.
func (p *Page) secondFormulaOf(math ElementID, box []Concealment) ElementID {
	for up, n := p.Elements[math].Parent, 0; up != None && n < 3; up, n = p.Elements[up].Parent, n+1 {
		looked := 0
		for c := range p.Children(up) {
			if looked++; looked > mostForms {
				break
			}
			if box[c] == Shown && !p.Contains(c, math) && p.isSecondFormula(c) {
				return c
			}
		}
	}
	return None
}
