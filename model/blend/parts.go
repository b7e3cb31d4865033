package blend

// Features describe parts of the page: a block, an ancestor of it, the section that it is in, the whole page.
// Neighbouring blocks of one part have the same values, so that these are computed and compared once.

// part is a kind of parts of the page.
type part int

const (
	// eachBlock is a part of its own.
	eachBlock part = iota
	// sameNames are blocks whose ancestors have the same names.
	sameNames
	sameSection
	sameKin
	wholePage
	// sameHome is the ancestor of a block at level 0, counted from its home, and the levels follow. sameOwner is the same
	// from its element.
	sameHome
	sameOwner    = sameHome + levels
	kindsOfParts = sameOwner + levels
)

// starts tells for the rows of a comparison whether the part of some kind that their blocks are in begins with them.
type starts []rowSet

// of returns the rows of a group of 64 with which a part of a kind begins.
func (s starts) of(kind part, group int) rowSet {
	if kind == eachBlock {
		return ^rowSet(0)
	}
	return s[group*int(kindsOfParts)+int(kind)]
}

// findStarts finds where parts begin.
func (c *comparison) findStarts(v *view) {
	c.starts = append(c.starts[:0], make(starts, (c.rows+together-1)/together*int(kindsOfParts))...)
	for row := range c.rows {
		first, bit := c.starts[row/together*int(kindsOfParts):][:kindsOfParts], rowSet(1)<<(row%together)
		if row%together == 0 {
			for kind := range first {
				first[kind] = bit
			}
			continue
		}
		i, before := c.block(row), c.block(row-1)
		if v.sectionOf[i] != v.sectionOf[before] {
			first[sameSection] |= bit
		}
		if v.kinOf[i] != v.kinOf[before] {
			first[sameKin] |= bit
		}
		if !v.haveSameNames(i, before) {
			first[sameNames] |= bit
		}
		for level := 0; level < levels && v.homes[i][level] != v.homes[before][level]; level++ {
			first[int(sameHome)+level] |= bit
		}
		for level := 0; level < levels && v.owners[i][level] != v.owners[before][level]; level++ {
			first[int(sameOwner)+level] |= bit
		}
	}
}

// haveSameNames reports whether two blocks have ancestors with the same names.
func (v *view) haveSameNames(i, j int) bool {
	a, b := v.p.Blocks[i].Element, v.p.Blocks[j].Element
	for a != b {
		if v.elems[a].names != v.elems[b].names || v.elems[a].leaning != v.elems[b].leaning || min(a, b) <= v.p.Body {
			return false
		}
		a, b = v.p.Elements[a].Parent, v.p.Elements[b].Parent
	}
	return true
}
