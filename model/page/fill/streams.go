package fill

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/edit"
)

// React's server streams a page in parts: where a part is not ready, it leaves a template with the id "B:n" and
// something to look at meanwhile, and sends the part later in a hidden element with the id "S:n". A script beside it,
// $RC("B:n","S:n"), puts the contents in the place of the template and what follows it. $RS("S:n","P:n") does so with a
// piece of a part, whose template has the id "P:n" (react-dom/server, ReactFizzInstructionSet).

// streamed is one part that a script would move.
type streamed struct {
	// from is the hidden element, to the template.
	from, to page.ElementID
	// whole says that what is to look at meanwhile goes.
	whole bool
}

// streamCall matches the calls that move a part. Their arguments are plain ids.
var streamCall = regexp.MustCompile(`\$R([CRS])\("([^"\\]{1,100})"\s*,\s*"([^"\\]{1,100})"`)

// streamEdits moves the streamed parts to their places.
func streamEdits(p *page.Page) []edit.Edit {
	w := streamWriter{p: p}
	for _, s := range streamedParts(p) {
		w.add(s)
	}
	if len(w.pieces) == 0 {
		return nil
	}
	slices.SortFunc(w.pieces, func(a, b streamPiece) int { return int(a.Start - b.Start) })
	w.used = make([]bool, len(p.Elements))
	var out bytes.Buffer
	w.write(&out, page.Span{Start: 0, End: int32(len(p.Source))})
	return []edit.Edit{{Start: 0, End: int32(len(p.Source)), Insert: out.String()}}
}

// streamedParts finds the parts that are complete. In a page without any script, as archives keep it, those are the
// parts that are there: a part has the number of its template.
func streamedParts(p *page.Page) (parts []streamed) {
	ids, scripts := streamIDs(p)
	if len(ids) == 0 {
		return nil
	}
	add := func(from, to string, whole bool) {
		f, known := ids[from]
		t, placed := ids[to]
		if known && placed && p.Elements[t].Tag == atom.Template && p.Elements[f].Tag != atom.Template && !p.Contains(f, t) {
			parts = append(parts, streamed{f, t, whole})
		}
	}
	if len(scripts) == 0 {
		for id := range ids {
			if n, ok := strings.CutPrefix(id, "S:"); ok {
				add(id, "B:"+n, true)
				add(id, "P:"+n, false)
			}
		}
		return parts
	}
	for _, e := range scripts {
		code := p.TextIn(e)
		if !strings.Contains(code, "$R") {
			continue
		}
		for _, call := range streamCall.FindAllStringSubmatch(code, -1) {
			if call[1] == "S" {
				add(call[2], call[3], false)
			} else {
				add(call[3], call[2], true)
			}
		}
	}
	return parts
}

// streamIDs returns the elements with ids of streamed parts and of their templates, and all scripts.
func streamIDs(p *page.Page) (ids map[string]page.ElementID, scripts []page.ElementID) {
	for i := range p.Elements {
		e := page.ElementID(i)
		if p.Elements[i].Tag == atom.Script {
			scripts = append(scripts, e)
		}
		id, _ := p.Attr(e, "id")
		if !strings.Contains(id, "S:") && !strings.Contains(id, "B:") && !strings.Contains(id, "P:") {
			continue
		}
		if ids == nil {
			ids = map[string]page.ElementID{}
		}
		if _, taken := ids[id]; !taken {
			ids[id] = e
		}
	}
	return ids, scripts
}

// streamPiece is a range of the source that is left out, and the element whose contents take its place, or None.
type streamPiece struct {
	page.Span
	contents page.ElementID
}

// streamWriter writes the source with the parts in their places.
type streamWriter struct {
	p      *page.Page
	pieces []streamPiece
	// used are the elements whose contents are written, so that each is written once.
	used []bool
}

// add adds the pieces of a part. A part without a place in the source stays where it is.
func (w *streamWriter) add(s streamed) {
	from, to := w.p.Elements[s.from].Outer, w.p.Elements[s.to].Outer
	if !from.Known() || !to.Known() || slices.ContainsFunc(w.pieces, func(o streamPiece) bool { return o.contents == s.from || o.Span.Start == to.Start }) {
		return
	}
	if s.whole {
		to.End = endOfFallback(w.p, s.to)
	}
	w.pieces = append(w.pieces, streamPiece{to, s.from}, streamPiece{from, page.None})
}

// write writes a range of the source.
func (w *streamWriter) write(out *bytes.Buffer, s page.Span) {
	at := s.Start
	first, _ := slices.BinarySearchFunc(w.pieces, s.Start, func(piece streamPiece, start int32) int { return int(piece.Start - start) })
	for _, piece := range w.pieces[first:] {
		if piece.Start >= s.End {
			break
		}
		if piece.Start < at {
			continue
		}
		out.Write(w.p.Source[at:piece.Start])
		at = piece.End
		if c := piece.contents; c != page.None && !w.used[c] {
			w.used[c] = true
			w.write(out, w.p.Inner(c))
		}
	}
	if at < s.End {
		out.Write(w.p.Source[at:s.End])
	}
}

// endOfFallback returns where the things end that stand in the place of a part until it is there: at the comment that
// belongs to the one before the template. Without it, only the template goes.
func endOfFallback(p *page.Page, template page.ElementID) int32 {
	el := &p.Elements[template]
	before := p.Source[:el.Outer.Start]
	if !bytes.HasSuffix(before, []byte("<!--$?-->")) && !bytes.HasSuffix(before, []byte("<!--$~-->")) {
		return el.Outer.End
	}
	end := p.Inner(el.Parent).End
	for depth, at := 0, el.Outer.End; at < end; {
		next := bytes.Index(p.Source[at:end], []byte("<!--"))
		if next < 0 {
			break
		}
		at += int32(next)
		comment, _, _ := bytes.Cut(p.Source[at+int32(len("<!--")):end], []byte("-->"))
		switch string(comment) {
		case "$", "$?", "$!", "$~", "&":
			depth++
		case "/$", "/&":
			if depth == 0 {
				return at
			}
			depth--
		}
		at += int32(len("<!--"))
	}
	return el.Outer.End
}
