package page

import "golang.org/x/net/html/atom"

// IsPicture reports whether elements of this tag are visible although they have no text.
func IsPicture(a atom.Atom) bool {
	switch a {
	case atom.Img, atom.Picture, atom.Video, atom.Audio, atom.Canvas, atom.Embed:
		return true
	}
	return false
}

// IsInline reports whether text flows through elements of this tag without a break.
func IsInline(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Br, atom.Cite, atom.Code, atom.Data,
		atom.Del, atom.Dfn, atom.Em, atom.Font, atom.I, atom.Img, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Nobr,
		atom.Q, atom.Rp, atom.Rt, atom.Ruby, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub,
		atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr:
		return true
	}
	return false
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

// IsControl reports whether elements of this tag are in a line of text although they end a block.
func IsControl(tag atom.Atom) bool {
	switch tag {
	case atom.Button, atom.Input, atom.Select, atom.Textarea, atom.Video, atom.Audio, atom.Canvas, atom.Meter, atom.Progress,
		atom.Output, atom.Option, atom.Optgroup, atom.Picture:
		return true
	}
	return false
}
