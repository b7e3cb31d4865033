package blend

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/judge"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
)

// This is what the fitting program uses beside the detector.

// Weights are the result of the offline fit.
type Weights = judge.Weights

// Convention says what the authors of a corpus called content.
type Convention = features.Convention

// LoadWeights reads a weights file from fit.py, compressed with gzip or not.
func LoadWeights(file string) (*Weights, error) { return judge.LoadWeights(file) }

// Header is the start of a weights file.
func Header() []byte { return judge.Header() }

// AppendCalibration appends the curve through points of expected and found F1, in order of the first, to a weights file
// that has all stages.
func AppendCalibration(weights []byte, points [][2]float32) []byte {
	return judge.AppendCalibration(weights, points)
}

// FeatureNames returns the names of the features that the page forest and the full forest see, in the order of the
// rows.
func FeatureNames() (page, full []string) { return features.FeatureNames() }

// Names returns the names for looking up an element: the parts of its class, id and role, and its tag with a "<".
func Names(p *page.Page, e page.ElementID) []string { return vocab.Names(p, e) }

// TextNames returns the names for looking up the text of a block: its words, and the whole text if it is short.
func TextNames(text string) []string { return vocab.TextNames(text) }

// HeadingNames returns the names by which a heading is looked up for the blocks under it.
func HeadingNames(text string) []string { return vocab.HeadingNames(text) }

// Sample returns the rows that weights are fitted on: one per block of p, with the features for the next stage of the
// host's weights, given what the host has learned so far.
func (h *Host) Sample(p *page.Page, visit model.Visit) [][]float32 {
	if len(p.Blocks) == 0 {
		return nil
	}
	read := h.read(p, visit)
	j := h.weigh(read, false)
	defer j.Release()
	rows := make([][]float32, len(read.Blocks))
	for i := range rows {
		rows[i] = j.Page.PageRow(i)
		if h.d.w.Page != nil {
			rows[i] = j.Evidence.HostRow(rows[i], i)
		}
	}
	return rows
}

// Judging returns the detector with a convention of what counts as content.
func (d *Detector) Judging(c Convention) *Detector {
	judged := *d
	judged.convention = c
	return &judged
}

// Sampler returns a host model for fitting, with a convention. The weights may lack their later stages.
func (d *Detector) Sampler(c Convention) *Host {
	return d.Judging(c).newHost(model.Key{})
}

// EachUnderHeading calls visit with each block under a heading and with the innermost such heading.
func EachUnderHeading(p *page.Page, visit func(block, heading page.BlockID)) {
	v := view.NewReader(nil).Read(p, model.Key{}.Hasher(), model.Visit{})
	for i, s := range v.SectionOf {
		if s >= 0 && v.Sections[s].Heading != page.BlockID(i) {
			visit(page.BlockID(i), v.Sections[s].Heading)
		}
	}
}
