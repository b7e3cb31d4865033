package admin

import (
	"cmp"
	"slices"

	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// reasonCount is how often something failed for a reason.
type reasonCount struct {
	Reason string
	// Page says that a page passed uncleaned; otherwise a request got an error page.
	Page  bool
	Count float64
}

// failures lists from the metrics why requests failed and why pages passed that should not, the most frequent first.
func (a *admin) failures() (list []*reasonCount) {
	if a.Metrics == nil {
		return nil
	}
	for _, f := range a.Metrics.Families() {
		page := f.Name == "winnow_responses_total"
		if !page && f.Name != "winnow_failures_total" {
			continue
		}
		label := slices.Index(f.Labels, "reason")
		for _, s := range f.Samples {
			if reason := s.Values[label]; s.Value > 0 && (!page || pipeline.Reason(reason).Failure()) {
				list = append(list, &reasonCount{reason, page, s.Value})
			}
		}
	}
	slices.SortFunc(list, func(x, y *reasonCount) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Reason, y.Reason))
	})
	return list
}
