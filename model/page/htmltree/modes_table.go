package htmltree

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// inTable is the mode in a table (HTML §13.2.6.4.9).
func (b *builder) inTable() bool {
	switch b.tok.kind {
	case text:
		if b.scan.hasNUL {
			b.replaceNUL("")
		}
		if b.top().props&tablePart != 0 && spaceLen(b.tok.data) == len(b.tok.data) {
			b.addText(b.tok.data, b.tok.at)
			return true
		}
	case startTag:
		if done, is := b.tableStart(); is {
			return done
		}
	case endTag:
		switch b.tok.name.tag {
		case atom.Table:
			if b.popIn(tableScope, atom.Table) {
				b.resetMode()
			}
			return true
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead,
			atom.Tr:
			return true
		case atom.Template:
			return b.inHead()
		}
	case comment:
		b.addComment()
		return true
	case doctype:
		return true
	case endOfPage:
		return b.inBody()
	}
	b.fostering = true
	done := b.inBody()
	b.fostering = false
	return done
}

// tableStart handles a start tag that belongs into a table, and reports whether it is one.
func (b *builder) tableStart() (done, is bool) {
	switch b.tok.name.tag {
	case atom.Caption:
		b.clearTo(isTable)
		b.addMarker()
		b.addElement()
		b.mode = (*builder).inCaption
	case atom.Colgroup:
		b.clearTo(isTable)
		b.addElement()
		b.mode = (*builder).inColumns
	case atom.Col:
		b.imply(startTag, atom.Colgroup)
		return false, true
	case atom.Tbody, atom.Tfoot, atom.Thead:
		b.clearTo(isTable)
		b.addElement()
		b.mode = (*builder).inTableBody
	case atom.Td, atom.Th, atom.Tr:
		b.imply(startTag, atom.Tbody)
		return false, true
	case atom.Table:
		if !b.popIn(tableScope, atom.Table) {
			return true, true
		}
		b.resetMode()
		return false, true
	case atom.Style, atom.Script, atom.Template:
		return b.inHead(), true
	case atom.Input:
		if !b.isHiddenInput() {
			return false, false
		}
		b.addVoid()
	case atom.Form:
		if b.inOpenTemplate() || b.form != None {
			return true, true
		}
		b.addElement()
		b.form = b.open[len(b.open)-1]
		b.pop()
	default:
		return false, false
	}
	return true, true
}

// isHiddenInput reports whether the current tag has the type hidden.
func (b *builder) isHiddenInput() bool {
	s := &b.scan
	for _, a := range s.attrs {
		if equalFold(s.src[a.keyStart:a.keyEnd], "type") {
			return strings.EqualFold(s.value(a), "hidden")
		}
	}
	return false
}

// inCaption is the mode in a table's caption (§13.2.6.4.11).
func (b *builder) inCaption() bool {
	switch b.tok.kind {
	case startTag:
		switch b.tok.name.tag {
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Thead, atom.Tr:
			return !b.endCaption()
		}
	case endTag:
		switch b.tok.name.tag {
		case atom.Caption:
			b.endCaption()
			return true
		case atom.Table:
			return !b.endCaption()
		case atom.Body, atom.Col, atom.Colgroup, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
			return true
		}
	}
	return b.inBody()
}

// endCaption ends the caption, and reports whether one was open.
func (b *builder) endCaption() bool {
	if !b.popIn(tableScope, atom.Caption) {
		return false
	}
	b.clearActive()
	b.mode = (*builder).inTable
	return true
}

// inColumns is the mode in a column group (§13.2.6.4.12).
func (b *builder) inColumns() bool {
	switch b.tok.kind {
	case text:
		if b.addSpace() {
			return true
		}
	case comment:
		b.addComment()
		return true
	case doctype:
		return true
	case startTag:
		switch b.tok.name.tag {
		case atom.Html:
			return b.inBody()
		case atom.Col:
			b.addVoid()
			return true
		case atom.Template:
			return b.inHead()
		}
	case endTag:
		switch b.tok.name.tag {
		case atom.Colgroup:
			b.endColumns()
			return true
		case atom.Col:
			return true
		case atom.Template:
			return b.inHead()
		}
	case endOfPage:
		return b.inBody()
	}
	return !b.endColumns()
}

// endColumns ends the column group, and reports whether it was open.
func (b *builder) endColumns() bool {
	if b.topTag() != atom.Colgroup {
		return false
	}
	b.pop()
	b.mode = (*builder).inTable
	return true
}

// inTableBody is the mode between rows (§13.2.6.4.13).
func (b *builder) inTableBody() bool {
	switch b.tok.kind {
	case startTag:
		switch b.tok.name.tag {
		case atom.Tr:
			b.clearTo(isTableBody)
			b.addElement()
			b.mode = (*builder).inRow
			return true
		case atom.Td, atom.Th:
			b.imply(startTag, atom.Tr)
			return false
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead:
			return !b.endTableBody()
		}
	case endTag:
		switch b.tok.name.tag {
		case atom.Tbody, atom.Tfoot, atom.Thead:
			if b.inScope(tableScope, b.tok.name.tag) {
				b.clearTo(isTableBody)
				b.pop()
				b.mode = (*builder).inTable
			}
			return true
		case atom.Table:
			return !b.endTableBody()
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Td, atom.Th, atom.Tr:
			return true
		}
	case comment:
		b.addComment()
		return true
	}
	return b.inTable()
}

// endTableBody ends the group of rows, and reports whether one was open.
func (b *builder) endTableBody() bool {
	if !b.popWhere(tableScope, isTableBody) {
		return false
	}
	b.mode = (*builder).inTable
	return true
}

// inRow is the mode between cells (§13.2.6.4.14).
func (b *builder) inRow() bool {
	switch b.tok.kind {
	case startTag:
		switch b.tok.name.tag {
		case atom.Td, atom.Th:
			b.clearTo(isRow)
			b.addElement()
			b.addMarker()
			b.mode = (*builder).inCell
			return true
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
			return !b.endRow()
		}
	case endTag:
		switch b.tok.name.tag {
		case atom.Tr:
			b.endRow()
			return true
		case atom.Table:
			return !b.endRow()
		case atom.Tbody, atom.Tfoot, atom.Thead:
			return !b.inScope(tableScope, b.tok.name.tag) || !b.endRow()
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Td, atom.Th:
			return true
		}
	}
	return b.inTable()
}

// endRow ends the row, and reports whether one was open.
func (b *builder) endRow() bool {
	if !b.inScope(tableScope, atom.Tr) {
		return false
	}
	b.clearTo(isRow)
	b.pop()
	b.mode = (*builder).inTableBody
	return true
}

// inCell is the mode in a cell (§13.2.6.4.15).
func (b *builder) inCell() bool {
	switch b.tok.kind {
	case startTag:
		switch b.tok.name.tag {
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
			if !b.popWhere(tableScope, isCell) {
				return true
			}
			b.endCell()
			return false
		}
	case endTag:
		switch tag := b.tok.name.tag; tag {
		case atom.Td, atom.Th:
			if b.popIn(tableScope, tag) {
				b.endCell()
			}
			return true
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html:
			return true
		case atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
			if !b.inScope(tableScope, tag) {
				return true
			}
			if b.popWhere(tableScope, isCell) {
				b.clearActive()
			}
			b.mode = (*builder).inRow
			return false
		}
	}
	return b.inBody()
}

// endCell leaves a cell that has been ended.
func (b *builder) endCell() {
	b.clearActive()
	b.mode = (*builder).inRow
}
