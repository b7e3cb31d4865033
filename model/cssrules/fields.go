package cssrules

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/metadata"
)

// Field says where pages have their title, author or date.
type Field struct {
	Selector Selector
	// Attribute is the attribute with the value, empty where the text is the value.
	Attribute string
}

// CSS returns the field in the form of Scrapy: with ::text or ::attr.
func (f *Field) CSS() string {
	if f.Attribute == "" {
		return f.Selector.String() + " ::text"
	}
	return f.Selector.String() + "::attr(" + f.Attribute + ")"
}

// XPath returns the field in XPath.
func (f *Field) XPath() string {
	if f.Attribute == "" {
		return f.Selector.XPath()
	}
	return f.Selector.XPath() + "/@" + f.Attribute
}

// Bounds on fields: the words of a value, those beside a name ("by", "posted"), and the share of the pages with a value
// on which a field must be right.
const (
	maxValue    = 60
	maxBeside   = 3
	fieldsRight = .6
)

// fields finds title, author and date.
func (w *wood) fields() (title, author, date *Field) {
	titles, authors, dates := make([]string, len(w.samples)), make([]string, len(w.samples)), make([]string, len(w.samples))
	for i, s := range w.samples {
		m := metadata.Of(s.Page, "")
		titles[i], authors[i], dates[i] = folded(m.Title), folded(m.Author), m.Date[:min(len(m.Date), len("2006-01-02"))]
	}
	title = w.field(titles, func(text, value string) bool { return text == value }, "")
	author = w.field(authors, func(text, value string) bool {
		return strings.Contains(text, value) && len(strings.Fields(text)) <= len(strings.Fields(value))+maxBeside
	}, "content")
	date = w.field(dates, strings.HasPrefix, "content", "datetime")
	return title, author, date
}

func folded(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// field finds the place of a value that each page may have, in one of the attributes or, where "" is among them or the
// value is no date, as a text. It is nil where no selector finds it.
func (w *wood) field(values []string, fits func(text, value string) bool, attributes ...string) (best *Field) {
	bestScore, until := 0., w.work+maxWork
	for _, attribute := range append(attributes, "") {
		tried := map[string]bool{}
		for e := range w.elems {
			el := &w.elems[e]
			value := values[el.sample]
			if value == "" || !fits(w.value(int32(e), attribute), value) {
				continue
			}
			w.describe(int32(e), func(s Selector) {
				if !s.isPlain() {
					return
				}
				if css := s.String(); !tried[css] && w.work < until {
					tried[css] = true
					if score := w.rightness(s, attribute, values, fits); score > bestScore {
						best, bestScore = &Field{Selector: s, Attribute: attribute}, score
					}
				}
			})
		}
	}
	return best
}

// value returns the value of an attribute, or the text of an element, folded. It is empty where it is too long.
func (w *wood) value(e int32, attribute string) string {
	el := &w.elems[e]
	p, own := w.samples[el.sample].Page, page.ElementID(e-w.first[el.sample])
	if attribute != "" {
		v, _ := p.Attr(own, attribute)
		return folded(v)
	}
	in := &p.Elements[own]
	if in.TextStart == in.TextEnd || el.tag == "title" || in.TextEnd-in.TextStart > maxValue {
		return ""
	}
	var b strings.Builder
	for _, t := range p.Texts[in.TextStart:in.TextEnd] {
		if b.Len()+len(t.Data) > 20*maxValue {
			return ""
		}
		b.WriteString(t.Data)
	}
	return folded(b.String())
}

// rightness says how good a selector is for a field: on how many pages its first match has the value, less those where
// it has not, and less what the selector costs. It is 0 where it is right too seldom.
func (w *wood) rightness(s Selector, attribute string, values []string, fits func(text, value string) bool) float64 {
	first := make([]int32, len(values))
	for i := range first {
		first[i] = none
	}
	for _, e := range w.rarest(s[len(s)-1]) {
		if sample := w.elems[e].sample; first[sample] == none && w.matches(s, e) {
			first[sample] = e
		}
	}
	right, wrong, all := 0., 0., 0.
	for i, value := range values {
		if value == "" {
			continue
		}
		all++
		switch {
		case first[i] == none:
		case fits(w.value(first[i], attribute), value):
			right++
		default:
			wrong++
		}
	}
	if right < fieldsRight*all {
		return 0
	}
	return right - 2*wrong - .05*s.cost()
}
