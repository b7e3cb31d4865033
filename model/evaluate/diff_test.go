package evaluate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestDiffTexts(t *testing.T) {
	for name, c := range map[string]struct {
		gold, output string
		lost, left   []string
	}{
		"equal":                {"one two\n three ", "one  two\nthree", nil, nil},
		"lost and left":        {"one two\nthree", "one two\nmenu", []string{"three"}, []string{"menu"}},
		"as often as it is":    {"buy\nbuy", "buy", []string{"buy"}, nil},
		"cut otherwise":        {"one two three four five six seven eight", "one two three four\nfive six seven eight", nil, nil},
		"nothing but rules":    {"one\n---\n***", "one\n|", nil, nil},
		"part of another line": {"buy", "buy this", []string{"buy"}, []string{"buy this"}},
	} {
		lost, left := diffTexts(c.gold, c.output)
		if diff := cmp.Diff([][]string{c.lost, c.left}, [][]string{lost, left}, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWorst(t *testing.T) {
	all := []*Diff{{Page: "c", F1: .5}, {Page: "a", F1: .9}, {Page: "b", F1: .5}, {Page: "d", F1: .7}}
	var got []string
	for _, d := range worst(all, 3) {
		got = append(got, d.Page)
	}
	if diff := cmp.Diff([]string{"b", "c", "d"}, got); diff != "" {
		t.Errorf("worst three (-want +got):\n%s", diff)
	}
}
