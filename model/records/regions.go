package records

import "github.com/winnow-proxy/winnow/model/page"

// tag is a tag's atom or, for a tag unknown to HTML, a number of our own.
type tag uint32

// region is a group of adjacent regular patterns: siblings that form generalised nodes with the same number of
// elements, each similar to the next.
type region struct {
	parent page.ElementID
	// nodes are the siblings in page order. size is how many of them form a generalised node.
	nodes []page.ElementID
	size  int
	// distances are the e_i, one for each pair of neighbours.
	distances []float64
}

// finder searches the regions of one page.
type finder struct {
	p    *page.Page
	opts *Options
	cmp  comparer
	// tags are the tags of the visible elements in document order. So the tag string of one or several adjacent
	// subtrees is a slice of tags. at[e] is the number of visible elements before e.
	tags []tag
	at   []int32
	// levels is the depth of each element's subtree, including the element, or 0 for a hidden one.
	levels  []int32
	areas   areas
	regions []region
}

// findRegions finds the regions of p, from the top down. Below an element it searches the children that are in no
// region.
func findRegions(p *page.Page, o *Options) *finder {
	f := &finder{p: p, opts: o, cmp: comparer{maxDistance: o.MaxDistance, maxTags: o.MaxTags, left: o.MaxCost}}
	f.readTags()
	f.areas = newAreas(p, o.PictureArea)
	open := []page.ElementID{max(p.Body, 0)}
	for len(open) > 0 && len(p.Elements) > 0 {
		e := open[len(open)-1]
		open = open[:len(open)-1]
		if int(f.levels[e]) >= f.opts.MinDepth {
			open = append(open, f.below(e)...)
		}
	}
	return f
}

// readTags fills in tags, at and levels.
func (f *finder) readTags() {
	n := len(f.p.Elements)
	f.at, f.levels = make([]int32, n+1), make([]int32, n)
	unknown := map[string]tag{}
	hidden := page.ElementID(0) // the end of the last hidden subtree
	for e := range f.p.Elements {
		el := &f.p.Elements[e]
		f.at[e] = int32(len(f.tags))
		if page.ElementID(e) < hidden || f.p.IsInvisible(page.ElementID(e)) {
			hidden = max(hidden, el.Sub)
			continue
		}
		f.levels[e] = 1
		f.tags = append(f.tags, tagOf(el, unknown))
	}
	f.at[n] = int32(len(f.tags))
	for e := n - 1; e > 0; e-- {
		up := f.p.Elements[e].Parent
		if f.levels[e] > 0 {
			f.levels[up] = max(f.levels[up], f.levels[e]+1)
		}
	}
}

// tagOf numbers the tags that are no atoms. Atoms are offsets and lengths in a table and never as large as these
// numbers.
func tagOf(el *page.Element, unknown map[string]tag) tag {
	if el.Tag != 0 {
		return tag(el.Tag)
	}
	if _, ok := unknown[el.Name]; !ok {
		unknown[el.Name] = 1<<31 + tag(len(unknown))
	}
	return unknown[el.Name]
}

// below finds the regions among the children of e and returns the children that are in none.
func (f *finder) below(e page.ElementID) (rest []page.ElementID) {
	var children []page.ElementID
	for c := range f.p.Children(e) {
		if f.levels[c] > 0 {
			children = append(children, c)
		}
	}
	for len(children) > 0 {
		r := f.longestFrom(children)
		if r.size == 0 {
			rest = append(rest, children[0])
			children = children[1:]
			continue
		}
		r.parent = e
		if f.areas.of(f.p, r.nodes) > 0 { // a run of line breaks is no list
			f.regions = append(f.regions, r)
		}
		children = children[len(r.nodes):]
	}
	return rest
}

// longestFrom returns the region that starts with the first sibling and covers most siblings; among equals, the one
// with the smallest generalised nodes. Its size is 0 where there is none.
func (f *finder) longestFrom(siblings []page.ElementID) (best region) {
	for size := 1; size <= min(f.opts.MaxNodes, len(siblings)/2); size++ {
		if len(siblings)/size*size <= len(best.nodes) {
			continue
		}
		r := region{size: size, nodes: siblings[:size]}
		for end := 2 * size; end <= len(siblings); end += size {
			d, similar := f.cmp.distance(f.tagString(siblings[end-2*size:end-size]), f.tagString(siblings[end-size:end]))
			if !similar {
				break
			}
			r.nodes, r.distances = siblings[:end], append(r.distances, d)
		}
		if len(r.distances) > 0 && len(r.nodes) > len(best.nodes) {
			best = r
		}
	}
	return best
}

// tagString returns the tags of adjacent siblings and of everything below them.
func (f *finder) tagString(siblings []page.ElementID) []tag {
	return f.tags[f.at[siblings[0]]:f.at[f.p.Elements[siblings[len(siblings)-1]].Sub]]
}
