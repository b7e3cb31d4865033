package main

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/page"
)

// minHosts is the least number of hosts that must know a name, so that no host is recognised by names of its own;
// minWordHosts the same for words.
const (
	minHosts     = 4
	minWordHosts = 14
)

// minOdds is the least log-odds, either way, of a word or phrase that is worth its room.
const minOdds = .25

// nameTally sums up, for each name, what each fold's hosts say of it.
type nameTally struct {
	folds int
	names map[string][]opinion
}

// opinion is a sum of shares of noise over hosts.
type opinion struct {
	noise float64
	hosts int
}

// hostNames sums up one host: the words below elements of each name, and how many of them are noise.
type hostNames map[string]*[2]float64

func (h hostNames) add(l *labelled) {
	p := l.p
	words, gold := make([]float64, len(p.Elements)), make([]float64, len(p.Elements))
	for i, b := range p.Blocks {
		words[b.Element] += float64(l.words[i])
		gold[b.Element] += float64(l.words[i] * l.gold[i])
	}
	for e := len(p.Elements) - 1; e > 0; e-- {
		up := p.Elements[e].Parent
		words[up] += words[e]
		gold[up] += gold[e]
	}
	blend.EachUnderHeading(p, func(block, heading page.BlockID) {
		if l.isUnknown(int(block)) {
			return
		}
		for _, name := range blend.HeadingNames(string(p.BlockText(nil, heading))) {
			h.count(name, 1-float64(l.gold[block]))
		}
	})
	for i := range p.Blocks {
		if l.isUnknown(i) {
			continue
		}
		for _, name := range blend.TextNames(string(p.BlockText(nil, page.BlockID(i)))) {
			h.count(name, 1-float64(l.gold[i]))
		}
	}
	for e := int(p.Body) + 1; e < len(p.Elements); e++ {
		if words[e] == 0 {
			continue
		}
		for _, name := range blend.Names(p, page.ElementID(e)) {
			// An element is one opinion, whatever its length: the words of long ones would drown the rest.
			h.count(name, 1-gold[e]/words[e])
		}
	}
}

func (h hostNames) count(name string, noise float64) {
	if len(name) > 40 {
		return
	}
	if h[name] == nil {
		h[name] = &[2]float64{}
	}
	h[name][0]++
	h[name][1] += noise
}

func (t *nameTally) add(fold int, h hostNames) {
	for name, n := range h {
		if t.names[name] == nil {
			t.names[name] = make([]opinion, t.folds)
		}
		o := &t.names[name][fold]
		o.noise += n[1] / n[0]
		o.hosts++
	}
}

// pagesForNames is the most pages of a host that are asked what its names mean.
const pagesForNames = 15

// writeNames writes names-<fold>.bin from the hosts of the other folds, and names-all.bin.
func writeNames(all []*series, folds int, out string) error {
	t := nameTally{folds: folds, names: map[string][]opinion{}}
	err := each(all, namesOf, func(s *series, h hostNames) error {
		t.add(s.fold, h)
		return nil
	})
	if err != nil {
		return err
	}
	for k := range folds {
		if err := os.WriteFile(filepath.Join(out, "names-"+strconv.Itoa(k)+".bin"), t.encode(k), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(out, "names-all.bin"), t.encode(-1), 0o644)
}

// namesOf reads the names of one host.
func namesOf(s *series) (hostNames, error) {
	h := hostNames{}
	for i := range min(s.len(), pagesForNames) {
		l, err := s.label(i)
		if err != nil {
			return nil, err
		}
		if l != nil && !l.onlyFacts {
			h.add(l)
		}
	}
	return h, nil
}

// encode gives the start of a weights file, from all folds but one, or from all where without is negative.
func (t *nameTally) encode(without int) []byte {
	var b []byte
	n := uint32(0)
	for _, name := range slices.Sorted(maps.Keys(t.names)) {
		var sum opinion
		for k, o := range t.names[name] {
			if k != without {
				sum.noise += o.noise
				sum.hosts += o.hosts
			}
		}
		text := strings.IndexByte("~=#^", name[0]) >= 0
		if sum.hosts < minHosts || strings.IndexByte("~^", name[0]) >= 0 && sum.hosts < minWordHosts {
			continue
		}
		// Two hosts that say nothing are added: a name that few hosts know weighs little.
		share := (sum.noise + 1) / (float64(sum.hosts) + 2)
		odds := math.Log(share / (1 - share))
		if text && math.Abs(odds) < minOdds {
			continue
		}
		b = append(append(b, byte(len(name))), name...)
		b = append(b, byte(int8(math.Round(odds*16))))
		n++
	}
	fmt.Println(n, "names")
	return append(append(blend.Header(), binary.LittleEndian.AppendUint32(nil, n)...), b...)
}
