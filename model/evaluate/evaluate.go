// Package evaluate measures detectors on corpora of saved pages whose content is known.
//
// It is a measuring instrument, independent of the detectors. It reads what is content from CSS selectors or gold text
// that people have written, and uses x/net/html and cascadia directly, so that a fault of [page.Parse] lowers the score
// instead of staying hidden. The figures are those of the published benchmarks: multisets of 4-token shingles for
// sites, multisets of words (as WCXB defines them) for single pages.
package evaluate

import "fmt"

// Protocol says what a model has learned when it marks a page.
type Protocol uint8

const (
	// Online goes through a site's pages in arrival order: it cleans each with what earlier pages taught, then learns
	// it.
	Online Protocol = iota
	// Batch learns all pages of a site first, then cleans each.
	Batch
	// Cold learns nothing: every page is cleaned as if it were the host's first.
	Cold
)

func protocolNames() []string { return []string{"online", "batch", "cold"} }

// String returns the name used in flags.
func (p Protocol) String() string {
	if n := protocolNames(); int(p) < len(n) {
		return n[p]
	}
	return fmt.Sprintf("protocol(%d)", uint8(p))
}

// MarshalText implements encoding.TextMarshaler.
func (p Protocol) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler; the error lists the names that are valid.
func (p *Protocol) UnmarshalText(b []byte) error {
	for i, n := range protocolNames() {
		if n == string(b) {
			*p = Protocol(i)
			return nil
		}
	}
	return fmt.Errorf("protocol %q is not one of online, batch, cold", b)
}
