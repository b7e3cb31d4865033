package page

import (
	"sort"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// place fills in the spans of elements and texts, as ranges of the UTF-8 text.
//
// Tokens are replayed in source order over a stack of the elements that they opened. An element ends with its end tag,
// or where a token turns up that lies outside of its subtree. What then proves not to be one contiguous range is left
// without a place, and so is what the parser made up.
func (f *flattener) place() {
	p := f.p
	for i, tok := range f.textToken {
		if tok != None {
			p.Texts[i].Span = f.span(tok)
		}
	}
	r := replay{f: f, after: make([]int32, len(p.Elements))}
	for i := range f.tokens {
		r.token(int32(i))
	}
	r.closeTo(0, int32(len(p.text)), int32(len(f.tokens)))
	f.verify(r.after)
}

func (f *flattener) span(tok int32) Span {
	return Span{f.tokens[tok].start, f.tokens[tok].end}
}

// replay is the stack of elements whose start tag has been passed and whose end has not.
type replay struct {
	f    *flattener
	open []ElementID
	// after is, for each element, the first token behind its end.
	after []int32
}

func (r *replay) token(i int32) {
	t, owner := &r.f.tokens[i], r.f.owner[i]
	switch {
	case t.kind == html.EndTagToken:
		r.endTag(t, i)
	case owner == None:
	default:
		n := len(r.open)
		for n > 0 && !r.f.p.Contains(r.open[n-1], owner) {
			n--
		}
		r.closeTo(n, t.start, i)
		if t.kind != html.TextToken {
			r.startTag(owner, i)
		}
	}
}

func (r *replay) startTag(e ElementID, i int32) {
	el, s := &r.f.p.Elements[e], r.f.span(i)
	el.StartTag, el.Outer, r.after[e] = s, s, i+1
	if !IsVoid(el.Tag) {
		r.open = append(r.open, e)
	}
}

func (r *replay) endTag(t *token, i int32) {
	for n := len(r.open) - 1; n >= 0; n-- {
		if e := r.open[n]; r.f.p.Elements[e].Name == t.name {
			r.closeTo(n+1, t.start, i)
			r.closeTo(n, t.end, i+1)
			return
		}
	}
	r.endUnplaced(t, i)
}

// endUnplaced ends what is open in an element that t ends and that has been given up, for something was moved out of
// it: its end tag is not theirs.
func (r *replay) endUnplaced(t *token, i int32) {
	if len(r.open) == 0 {
		return
	}
	p := r.f.p
	for up := p.Elements[r.open[len(r.open)-1]].Parent; up != None; up = p.Elements[up].Parent {
		if p.Elements[up].Name == t.name {
			n := sort.Search(len(r.open), func(i int) bool { return r.open[i] > up && p.Contains(up, r.open[i]) })
			r.closeTo(n, t.start, i)
			return
		}
	}
}

// closeTo ends all open elements from index n on at the given offset, where the token after stands.
func (r *replay) closeTo(n int, at, after int32) {
	for _, e := range r.open[n:] {
		r.f.p.Elements[e].Outer.End, r.after[e] = at, after
	}
	r.open = r.open[:n]
}

// verify takes the outer span from every element whose span does not hold exactly its subtree's tokens. after is, for
// each element, the first token behind its end.
func (f *flattener) verify(after []int32) {
	p := f.p
	// placed[i] is the number of tokens before token i that made something.
	placed := make([]int32, len(f.tokens)+1)
	for i, o := range f.owner {
		placed[i+1] = placed[i]
		if o != None {
			placed[i+1]++
		}
	}
	last, count := f.subtreeTokens()
	for e := range p.Elements {
		el, tok := &p.Elements[e], f.tagToken[e]
		if tok == None {
			continue
		}
		if last[e] >= after[e] || placed[after[e]]-placed[tok] != count[e] {
			el.Outer = Span{}
		}
	}
}

// subtreeTokens returns, for each element, the last token of its subtree and the number of its tokens.
func (f *flattener) subtreeTokens() (last, count []int32) {
	p := f.p
	last, count = make([]int32, len(p.Elements)), make([]int32, len(p.Elements))
	for i, tok := range f.textToken {
		if tok != None {
			e := p.Texts[i].Parent
			last[e] = max(last[e], tok)
			count[e]++
		}
	}
	for e := len(p.Elements) - 1; e >= 0; e-- {
		if tok := f.tagToken[e]; tok != None {
			last[e] = max(last[e], tok)
			count[e]++
		}
		if up := p.Elements[e].Parent; up != None {
			last[up] = max(last[up], last[e])
			count[up] += count[e]
		}
	}
	return last, count
}

// IsVoid reports whether elements of this tag have no content and no end tag (HTML §13.1.2).
func IsVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Param, atom.Source, atom.Track, atom.Wbr, atom.Keygen, atom.Frame, atom.Bgsound, atom.Basefont:
		return true
	}
	return false
}
