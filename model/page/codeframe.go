package page

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

// isListing reports whether e is a listing of code: a pre element, or the lines of a viewer or editor of code.
func (p *Page) isListing(e ElementID) bool {
	switch p.Elements[e].Tag {
	case atom.Pre:
		return true
	case atom.Div:
		return p.classHas(e, "CodeMirror-code", "cm-content", "crayon-pre", "syntaxhighlighter")
	case atom.Table:
		return p.classHas(e, "js-file-line-container")
	}
	return false
}

// isCodeLine reports whether e is one line of a listing.
func (p *Page) isCodeLine(e ElementID) bool {
	return p.classHas(e, "line", "cm-line", "ec-line", "token-line", "crayon-line", "CodeMirror-line")
}

const (
	// frameDepth is how many elements around a listing may be its frame, frameElements how many are in one.
	frameDepth, frameElements = 8, 400
	// frameLetters is the most letters in a frame outside of the listing: its title, language and buttons.
	frameLetters = 60
)

// codeFrame returns the outermost element around a listing that has hardly any other text.
func (p *Page) codeFrame(listing ElementID) ElementID {
	frame, inner := listing, &p.Elements[listing]
	for up, n := inner.Parent, 0; up != None && up != p.Body && n < frameDepth; up, n = p.Elements[up].Parent, n+1 {
		el := &p.Elements[up]
		switch el.Tag {
		case atom.Li, atom.Dd, atom.Blockquote, atom.Article, atom.Section, atom.Main:
			return frame
		}
		if el.Sub-up > inner.Sub-listing+frameElements || p.lettersIn(el.TextStart, inner.TextStart)+p.lettersIn(inner.TextEnd, el.TextEnd) > frameLetters {
			return frame
		}
		frame = up
	}
	return frame
}

// lettersIn counts the letters of a range of texts, up to more than fit into a frame. It takes a long text for letters.
func (p *Page) lettersIn(from, to int32) (n int) {
	const long = 4096
	for i := from; i < to && n <= frameLetters; i++ {
		if len(p.Texts[i].Data) > long {
			return frameLetters + 1
		}
		for _, r := range p.Texts[i].Data {
			if unicode.IsLetter(r) && p.Texts[i].Block != None {
				n++
			}
		}
	}
	return n
}

// omitCodeTools marks the buttons and labels in the frame of each listing.
func (p *Page) omitCodeTools(omitted []bool) {
	for e := ElementID(0); int(e) < len(p.Elements); e++ {
		if !p.isListing(e) {
			continue
		}
		frame, end := p.codeFrame(e), p.Elements[e].Sub
		for d := frame + 1; d < p.Elements[frame].Sub; d++ {
			inside := d >= e && d < end
			omitted[d] = omitted[d] || p.isButton(d) || !inside && p.isCodeLabel(d, frame) || d == e+1 && p.classHas(d, "toolbar")
		}
		e = end - 1
	}
}

func (p *Page) isButton(e ElementID) bool {
	role, _ := p.Attr(e, "role")
	return p.Elements[e].Tag == atom.Button || p.Elements[e].Name == "clipboard-copy" || role == "button"
}

// isCodeLabel reports whether e only offers to copy a listing, or names its language in a place for that.
func (p *Page) isCodeLabel(e, frame ElementID) bool {
	if p.Elements[e].Sub != e+1 {
		return false
	}
	text := strings.ToLower(strings.Join(strings.Fields(p.label(e)), " "))
	switch text {
	case "":
		return false
	case "copy", "copied", "copied!", "copy code", "copy to clipboard", "?":
		return true
	}
	return isKnownLanguage(text) && p.isLabelPlace(e, frame)
}

// isLabelPlace reports whether e, or an element around it in the frame, is named as a place for a language.
func (p *Page) isLabelPlace(e, frame ElementID) bool {
	for up, n := e, 0; up != frame && n < 3; up, n = p.Elements[up].Parent, n+1 {
		class, _ := p.Attr(up, "class")
		class = strings.ToLower(class)
		if slices.ContainsFunc([]string{"lang", "toolbar", "badge", "header"}, func(part string) bool { return strings.Contains(class, part) }) {
			return true
		}
	}
	return false
}

// labelledLanguage returns the language that a label in the frame of a listing names, or an empty string.
func (p *Page) labelledLanguage(listing ElementID) string {
	frame := p.codeFrame(listing)
	for d := frame + 1; d < p.Elements[frame].Sub; d++ {
		if d == listing {
			d = p.Elements[d].Sub - 1
		} else if p.isCodeLabel(d, frame) {
			if lang := strings.ToLower(strings.TrimSpace(p.label(d))); isKnownLanguage(lang) {
				return lang
			}
		}
	}
	return ""
}
