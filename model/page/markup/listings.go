package markup

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// IsListing reports whether e is a listing of code: a pre element, or the lines of a viewer or editor of code.
func IsListing(p *page.Page, e page.ElementID) bool {
	switch p.Elements[e].Tag {
	case atom.Pre:
		return true
	case atom.Div:
		return HasClass(p, e, "CodeMirror-code", "cm-content", "crayon-pre", "syntaxhighlighter")
	case atom.Table:
		return HasClass(p, e, "js-file-line-container")
	}
	return false
}

// IsCodeLine reports whether e is one line of a listing.
func IsCodeLine(p *page.Page, e page.ElementID) bool {
	return HasClass(p, e, "line", "cm-line", "ec-line", "token-line", "crayon-line", "CodeMirror-line")
}

const (
	// frameDepth is how many elements around a listing may be its frame, frameElements how many are in one.
	frameDepth, frameElements = 8, 400
	// frameLetters is the most letters in a frame outside of the listing: its title, language and buttons.
	frameLetters = 60
)

// codeFrame returns the outermost element around a listing that has hardly any other text.
func codeFrame(p *page.Page, listing page.ElementID) page.ElementID {
	frame, inner := listing, &p.Elements[listing]
	for up, n := inner.Parent, 0; up != page.None && up != p.Body && n < frameDepth; up, n = p.Elements[up].Parent, n+1 {
		el := &p.Elements[up]
		switch el.Tag {
		case atom.Li, atom.Dd, atom.Blockquote, atom.Article, atom.Section, atom.Main:
			return frame
		}
		if el.Sub-up > inner.Sub-listing+frameElements || lettersIn(p, el.TextStart, inner.TextStart)+lettersIn(p, inner.TextEnd, el.TextEnd) > frameLetters {
			return frame
		}
		frame = up
	}
	return frame
}

// lettersIn counts the letters of a range of texts, up to more than fit into a frame. It takes a long text for letters.
func lettersIn(p *page.Page, from, to int32) (n int) {
	const long = 4096
	for i := from; i < to && n <= frameLetters; i++ {
		if len(p.Texts[i].Data) > long {
			return frameLetters + 1
		}
		for _, r := range p.Texts[i].Data {
			if unicode.IsLetter(r) && p.Texts[i].Block != page.None {
				n++
			}
		}
	}
	return n
}

// OmitCodeTools marks the buttons and labels in the frame of each listing.
func OmitCodeTools(p *page.Page, omitted []bool) {
	for e := page.ElementID(0); int(e) < len(p.Elements); e++ {
		if !IsListing(p, e) {
			continue
		}
		frame, end := codeFrame(p, e), p.Elements[e].Sub
		for d := frame + 1; d < p.Elements[frame].Sub; d++ {
			inside := d >= e && d < end
			omitted[d] = omitted[d] || isButton(p, d) || !inside && isCodeLabel(p, d, frame) || d == e+1 && HasClass(p, d, "toolbar")
		}
		e = end - 1
	}
}

func isButton(p *page.Page, e page.ElementID) bool {
	role, _ := p.Attr(e, "role")
	return p.Elements[e].Tag == atom.Button || p.Elements[e].Name == "clipboard-copy" || role == "button"
}

// isCodeLabel reports whether e only offers to copy a listing, or names its language in a place for that.
func isCodeLabel(p *page.Page, e, frame page.ElementID) bool {
	if p.Elements[e].Sub != e+1 {
		return false
	}
	text := strings.ToLower(strings.Join(strings.Fields(Label(p, e)), " "))
	switch text {
	case "":
		return false
	case "copy", "copied", "copied!", "copy code", "copy to clipboard", "?":
		return true
	}
	return isKnownLanguage(text) && isLabelPlace(p, e, frame)
}

// isLabelPlace reports whether e, or an element around it in the frame, is named as a place for a language.
func isLabelPlace(p *page.Page, e, frame page.ElementID) bool {
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
func labelledLanguage(p *page.Page, listing page.ElementID) string {
	frame := codeFrame(p, listing)
	for d := frame + 1; d < p.Elements[frame].Sub; d++ {
		if d == listing {
			d = p.Elements[d].Sub - 1
		} else if isCodeLabel(p, d, frame) {
			if lang := strings.ToLower(strings.TrimSpace(Label(p, d))); isKnownLanguage(lang) {
				return lang
			}
		}
	}
	return ""
}
