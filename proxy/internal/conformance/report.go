package conformance

import (
	"encoding/json"
	"fmt"
	"io"
)

// Results in a report.
const (
	markMet     = "met"
	markNotMet  = "not met"
	markSkipped = "n/a"
)

// Report has the results of a proxy in the stored form.
type Report struct {
	// Name and Version are the proxy's. Setup describes its configuration in a few words.
	Name    string `json:"name"`
	Version string `json:"version"`
	Setup   string `json:"setup"`
	// Results has, by requirement and way, "met", "not met" or "n/a" for a way that the proxy does not offer.
	Results map[string]map[string]string `json:"results"`
}

// NewReport makes a report without the proxy's names.
func NewReport(outcomes []Outcome) Report {
	r := Report{Results: map[string]map[string]string{}}
	for _, o := range outcomes {
		if r.Results[o.ID] == nil {
			r.Results[o.ID] = map[string]string{}
		}
		mark := markMet
		switch {
		case o.Skipped:
			mark = markSkipped
		case o.Err != nil:
			mark = markNotMet
		}
		r.Results[o.ID][o.Way.String()] = mark
	}
	return r
}

// ReadReport reads what Write wrote.
func ReadReport(src io.Reader) (Report, error) {
	var r Report
	if err := json.NewDecoder(src).Decode(&r); err != nil {
		return Report{}, fmt.Errorf("conformance report: %w", err)
	}
	return r, nil
}

// Write writes the report as JSON.
func (r Report) Write(dst io.Writer) error {
	enc := json.NewEncoder(dst)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}

// tally counts results of one way or of all.
type tally struct{ met, tried int }

// count counts the results of a requirement, in one way or in all.
func (r Report) count(req Requirement, only ...Way) tally {
	ways := req.Ways
	if len(only) > 0 {
		ways = only
	}
	var t tally
	for _, w := range ways {
		switch r.Results[req.ID][w.String()] {
		case markMet:
			t.met++
			t.tried++
		case markNotMet:
			t.tried++
		}
	}
	return t
}

func (t tally) plus(o tally) tally { return tally{t.met + o.met, t.tried + o.tried} }

// String returns "2/3", or a dash without results.
func (t tally) String() string {
	if t.tried == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", t.met, t.tried)
}

// total counts all results of a report, in one way or in all.
func (r Report) total(only ...Way) tally {
	var sum tally
	for _, req := range Requirements() {
		sum = sum.plus(r.count(req, only...))
	}
	return sum
}

// Totals returns how many requirements are met of those tried, in each way and in all.
func (r Report) Totals() string {
	return fmt.Sprintf("%v over http, %v over https with HTTP/1.1, %v with HTTP/2, %v in all",
		r.total(Plain), r.total(TLS1), r.total(TLS2), r.total())
}
