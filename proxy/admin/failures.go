package admin

import (
	"cmp"
	"slices"

	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// reasonCount is how often something failed for a reason.
type reasonCount struct {
	Reason string
	// Page says that a page passed uncleaned; else a request got an error page.
	Page  bool
	Count float64
}

// failures lists from the metrics why requests failed and why pages passed that should not, the most frequent first.
func (a *admin) failures() (list []*reasonCount) {
	if a.Metrics == nil {
		return nil
	}
	families, err := a.Metrics.Gather()
	if err != nil {
		a.Logger.Error("gather metrics", "error", err)
	}
	for _, f := range families {
		page := f.GetName() == "winnow_responses_total"
		if !page && f.GetName() != "winnow_failures_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			reason := ""
			for _, l := range m.GetLabel() {
				if l.GetName() == "reason" {
					reason = l.GetValue()
				}
			}
			if n := m.GetCounter().GetValue(); n > 0 && (!page || pipeline.Reason(reason).Failure()) {
				list = append(list, &reasonCount{reason, page, n})
			}
		}
	}
	slices.SortFunc(list, func(x, y *reasonCount) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Reason, y.Reason))
	})
	return list
}
