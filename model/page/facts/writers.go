package facts

import (
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/metadata"
)

// The names of the people who wrote the posts of a thread stand at the same place beside each post. A post that stays
// needs its name.

const (
	// nameWords is the most words of a block with a name: some have a rank in the same line.
	nameWords = 8
	// lastBlocks is the most blocks of the last post.
	lastBlocks = 400
	// minPosts is the least number of names at one place on a page that is not known to be a thread.
	minPosts = 2
)

// writers takes the names of the authors of posts that stay.
func (f *finder) writers() {
	places := map[string][]page.BlockID{}
	var order []string
	for e := max(f.Page.Body, 0) + 1; int(e) < len(f.Page.Elements); e++ {
		if f.Unseen[e] || !f.namesWriter(e) {
			continue
		}
		b, to := f.Page.Elements[e].BlockStart, f.Page.Elements[e].BlockEnd
		if b == to {
			if b, to = f.blockAround(e); b == to {
				continue
			}
		}
		if n := f.text.wordsIn(b, b+1); n == 0 || n > nameWords || !f.begins(b, e) {
			continue
		}
		place := f.placeOf(e)
		if list := places[place]; len(list) == 0 {
			order = append(order, place)
		} else if list[len(list)-1] == b {
			continue
		}
		places[place] = append(places[place], b)
	}
	for _, place := range order {
		f.posts(places[place], !strings.HasPrefix(place, linkedName))
	}
}

// posts takes the names at one place if a text that stays follows most of them.
func (f *finder) posts(names []page.BlockID, named bool) {
	if len(names) < minPosts && !(f.Forum && named) || f.haveOneText(names) {
		return
	}
	last, stay := f.endOf(names), 0
	for i, b := range names {
		end := last
		if i+1 < len(names) {
			end = names[i+1]
		}
		if f.staysIn(b+1, end) {
			stay++
		}
	}
	if stay*2 <= len(names) {
		return
	}
	for _, b := range names {
		f.take(b, metadata.FactWriter)
	}
}

// endOf returns the end of the part of the page that holds all names and, if it is only one, more than that.
func (f *finder) endOf(names []page.BlockID) page.BlockID {
	first, last := names[0], names[len(names)-1]
	e := f.Page.Blocks[first].Element
	for e > f.Page.Body && f.Page.Elements[e].BlockEnd <= max(last, first+1) {
		e = f.Page.Elements[e].Parent
	}
	return min(f.Page.Elements[e].BlockEnd, last+lastBlocks)
}

// begins reports whether block b begins with the text of e.
func (f *finder) begins(b page.BlockID, e page.ElementID) bool {
	for _, t := range f.Page.Texts[f.Page.Blocks[b].TextStart:f.Page.Blocks[b].TextEnd] {
		if t.Block == b && page.Ink(t.Data) > 0 {
			return f.Page.Contains(e, t.Parent)
		}
	}
	return false
}

// haveOneText reports whether three and more blocks have one and the same text, like "Profile".
func (f *finder) haveOneText(blocks []page.BlockID) bool {
	for _, b := range blocks {
		if f.Text(b) != f.Text(blocks[0]) {
			return false
		}
	}
	return len(blocks) > minPosts
}

// postWords is the least number of words of a block that is a post on a page that is known to be a thread, whatever is
// thought of it.
const postWords = 8

// staysIn reports whether a block in [from, to) is a post: it has several words and stays.
func (f *finder) staysIn(from, to page.BlockID) bool {
	for b := from; b < to; b++ {
		if n := f.text.wordsIn(b, b+1); n >= 2 && !f.Noise(b) || n >= postWords && f.Forum {
			return true
		}
	}
	return false
}

// placeOf names the place of e: its tag and classes and those of its parent, without numbers.
func (f *finder) placeOf(e page.ElementID) string {
	up := f.Page.Elements[e].Parent
	class, _ := f.Page.Attr(e, "class")
	upClass, _ := f.Page.Attr(up, "class")
	kind := f.Page.Elements[e].Name
	if !f.isNamed(e) {
		kind = linkedName
	}
	return kind + " " + firstWord(class) + " " + f.Page.Elements[up].Name + " " + firstWord(upClass)
}

// linkedName begins the place of a name that only its link tells.
const linkedName = "->"

// namesWriter reports whether e is the name of somebody who writes, by its class or property or as a link to a profile.
func (f *finder) namesWriter(e page.ElementID) bool {
	return f.isNamed(e) || f.Page.Elements[e].Tag == atom.A && f.Profile(e)
}

// isNamed reports whether a class or property says that e is an author.
func (f *finder) isNamed(e page.ElementID) bool {
	n := f.Names(e)
	return n.writer || n.name && f.Forum
}
