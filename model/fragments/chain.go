package fragments

import (
	"encoding/binary"
	"slices"
	"sort"

	"github.com/winnow-proxy/winnow/model"
)

// chain is a run of fragments.
type chain struct {
	hash uint64
	// bytes is the total length of its fragments.
	bytes int64
}

// chains returns the hashes of all runs of k fragments in order. The i-th begins with fragment i.
func (r *record) chains(hash model.Hasher, k int) []chain {
	n := len(r.hashes) - k + 1
	if n <= 0 {
		return nil
	}
	all := make([]chain, n)
	buf := make([]byte, 0, 4*k)
	for i := range all {
		buf = buf[:0]
		for j := i; j < i+k; j++ {
			buf = binary.LittleEndian.AppendUint32(buf, r.hashes[j])
			all[i].bytes += int64(r.lengths[j])
		}
		all[i].hash = hash.Bytes(buf)
	}
	return all
}

// document is a page as a set of chains, in the order of their hashes. The paper compares documents.
type document []chain

func newDocument(chains []chain) document {
	d := slices.Clone(chains)
	sort.Slice(d, func(i, j int) bool { return d[i].hash < d[j].hash })
	return slices.CompactFunc(d, func(a, b chain) bool { return a.hash == b.hash })
}

// bytes is the total length of all chains. Chains overlap, so it is about k times the length of the page.
func (d document) bytes() (sum int64) {
	for _, c := range d {
		sum += c.bytes
	}
	return sum
}
