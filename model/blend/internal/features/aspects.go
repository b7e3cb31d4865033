package features

import (
	"strings"
)

// Aspect is what several features mean to people.
type Aspect struct{ Name, Words string }

// The aspects, in the order of aspects.
const (
	aspectLinks = iota
	aspectProse
	aspectWording
	aspectNames
	aspectPosition
	aspectSeries
	aspectPart
	aspectNeighbours
	aspectHeading
	aspectMain
	aspectLabel
	aspectPage
	aspectRepeats
	aspectHistory
	aspectTree
	aspectAround
)

// Aspects returns the aspects in the order of their numbers.
func Aspects() []Aspect {
	return []Aspect{
		{"links", "links"}, {"prose", "running text"}, {"wording", "wording"}, {"names", "class names and labels"}, {"position", "position on the page"},
		{"series", "similar parts"}, {"part", "the section around it"}, {"neighbours", "neighbours"}, {"heading", "the heading above"},
		{"main", "distance from the main text"}, {"label", "label and value"}, {"page", "the page as a whole"},
		{"repeats", "repetition on other pages"}, {"history", "what other pages have in its place"}, {"style-tree", "the site’s style tree"},
		{"around", "what is thought of the parts around it"},
	}
}

// AspectsOfFeatures returns the aspect of each feature.
func AspectsOfFeatures() (of []int) {
	for _, name := range All().Names[1] {
		of = append(of, aspectOf(name))
	}
	return of
}

// aspectOf returns the aspect of a feature by its name.
func aspectOf(feature string) int {
	group, column, _ := strings.Cut(feature, ".")
	if group = strings.TrimRight(group, "0123456789"); group == "mean" {
		return aspectPage
	}
	switch column {
	case "links", "linked", "linkkind", "linktwins", "anchorlen":
		return aspectLinks
	case "twins", "maskedtwins", "alike":
		return aspectSeries
	case "prose", "perblock", "wordsperblock":
		return aspectProse
	}
	switch group {
	case "text":
		switch column {
		case "digits", "upper", "intitle", "leaning", "phrase":
			return aspectWording
		}
		return aspectProse
	case "region":
		if strings.HasPrefix(column, "place.") || strings.HasPrefix(column, "spot.") {
			return aspectHistory
		}
		return aspectRepeats
	}
	of, ok := map[string]int{"shape": aspectWording, "name": aspectNames, "leaning": aspectNames, "position": aspectPosition, "level": aspectPart,
		"near": aspectNeighbours, "section": aspectHeading, "kin": aspectSeries, "list": aspectSeries, "main": aspectMain, "learned": aspectMain, "judged": aspectMain, "like": aspectLinks, "declared": aspectPage,
		"mass": aspectMain, "label": aspectLabel, "labelled": aspectLabel, "page": aspectPage, "host": aspectPage, "convention": aspectPage,
		"repeat": aspectRepeats, "place": aspectHistory, "tree": aspectTree, "score": aspectAround, "around": aspectAround,
		"listed": aspectAround, "kindred": aspectAround, "underneath": aspectAround}[group]
	if !ok {
		panic("feature " + feature + " has no aspect") // a test asks for all of them
	}
	return of
}
