package parts

import (
	"cmp"
	"slices"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Bounds of the reasons that are shown: how much one weighs at least, and their number.
const (
	minWeight  = .3
	maxReasons = 2
)

// reasonOf returns the reason that evidence belongs to, as people put it: several kinds of evidence are one to them.
func reasonOf(evidence string) string {
	switch evidence {
	case "repeats":
		return "repeats"
	case "history", "style-tree":
		return "place"
	case "links":
		return "links"
	case "prose", "wording":
		return "text"
	case "names", "label":
		return "names"
	}
	return "near"
}

// Why says why a part of a page stays or goes: the keys of up to two messages, the weightiest first. evidence is that
// of the page's blocks. It returns nothing where there is none.
func Why(p *page.Page, evidence [][]model.Evidence, part *Part) (keys []string) {
	el := &p.Elements[part.Element]
	if int(el.BlockEnd) > len(evidence) {
		return nil
	}
	sums, ink := map[string]float32{}, float32(0)
	for b := el.BlockStart; b < el.BlockEnd; b++ {
		n := float32(max(1, p.BlockLen(b)))
		ink += n
		for _, e := range evidence[b] {
			sums[reasonOf(e.Name)] += e.Weight * n
		}
	}
	verdict, sign := ".stays", float32(-1)
	if part.Gone {
		verdict, sign = ".goes", 1
	}
	var reasons []string
	for reason, sum := range sums {
		if sign*sum >= minWeight*ink {
			reasons = append(reasons, reason)
		}
	}
	if part.Decided || len(reasons) == 0 {
		return []string{"why.set"}
	}
	slices.SortFunc(reasons, func(x, y string) int { return cmp.Or(cmp.Compare(sign*sums[y], sign*sums[x]), cmp.Compare(x, y)) })
	for _, reason := range reasons[:min(len(reasons), maxReasons)] {
		keys = append(keys, "why."+reason+verdict)
	}
	return keys
}
