package evaluate

import (
	"hash/fnv"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/winnow-proxy/winnow/model"
)

// Fold is the part, of a number of parts, that a host belongs to when weights are fitted in folds: weights without a
// fold have seen no host of it. All hosts of a registrable domain are in one. A name that is no host's stands for
// itself.
func Fold(host string, folds int) int {
	h := fnv.New32a()
	h.Write([]byte(registrable(strings.ToLower(host))))
	return int(h.Sum32() % uint32(folds))
}

// registrable returns the registrable domain of a host in lower case, or the name itself where it has none.
func registrable(host string) string {
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
}

// Folded is a detector whose weights were fitted in folds. A runner judges each host by the weights that have not seen
// it. Without a host it is its first part.
type Folded struct {
	model.Detector
	parts []model.Detector
}

// NewFolded returns the detector whose part k has seen no host of fold k. There is at least one part.
func NewFolded(parts []model.Detector) Folded { return Folded{parts[0], parts} }

// detectorFor returns the detector that judges a host.
func detectorFor(d model.Detector, host string) model.Detector {
	if f, ok := d.(Folded); ok {
		return f.parts[Fold(host, len(f.parts))]
	}
	return d
}
