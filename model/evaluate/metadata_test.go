package evaluate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model/page/metadata"
)

func TestFieldScores(t *testing.T) {
	found := &Single{Title: "The old bridge", Author: "Ada Brown, Max Grey", Date: "2024-03-05"}
	anonymous := &Single{Title: "The new bridge"}
	undated := &Single{Title: "The bridge", Date: "NaT"}
	unknown := &Single{Date: "2024-03-01"}
	var scores []SingleScore
	for _, c := range []struct {
		s *Single
		d metadata.Metadata
	}{
		{found, metadata.Metadata{Title: "The Old Bridge", Author: "Ada Brown and Max Grey", Date: "2024-03-06T01:00:00Z"}},
		{found, metadata.Metadata{Title: "Sports", Author: "Eve", Date: "2023-03-05"}},
		{found, metadata.Metadata{}},
		{anonymous, metadata.Metadata{Title: "The new bridge", Author: "Eve"}},
		{undated, metadata.Metadata{Title: "The bridge", Date: "2024-03-05"}},
		{unknown, metadata.Metadata{Title: "Anything", Author: "Eve", Date: "2024-03-05"}}, // nobody has looked
	} {
		scores = append(scores, SingleScore{Fields: c.s.scoreFields(c.d)})
	}
	scores = append(scores, SingleScore{}) // a page that could not be parsed
	want := []FieldScore{
		{Field: "title", Pages: 5, Given: 4, Right: 3}, {Field: "author", Pages: 3, Given: 2, Right: 1, Invented: 1},
		{Field: "date", Pages: 3, Given: 2, Right: 1, Invented: 1},
	}
	if diff := cmp.Diff(want, sumFields(scores)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := sumFields(scores[5:]); got != nil {
		t.Errorf("pages where nobody has looked score %+v", got)
	}
}
