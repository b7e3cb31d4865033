package fragments

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
)

// letters returns a page whose fragments are the words of s, each of length 1, and records the names of its chains of
// two.
func letters(s string, names map[uint64]string) document {
	var r record
	words := strings.Fields(s)
	for _, w := range words {
		r.add(modeltest.Key().Hasher().String(w), 1)
	}
	chains := r.chains(modeltest.Key().Hasher(), 2)
	for i, c := range chains {
		names[c.hash] = words[i] + words[i+1]
	}
	return newDocument(chains)
}

// Clusters computed by hand, with chains of two. Every page has four chains of length 2, so its length is 8.
//
// A and B share ab and bc: 4 of 8 bytes, no duplicates. So do A and C, B and C; A, B comes first. C matches all 4 bytes
// of the service part. D shares ab alone, 2 bytes: less than 80 % (3.2) and 60 % (2.4) of 4, not less than 40 % (1.6).
func TestWorkedExample(t *testing.T) {
	const a, b, c, d, e = "a b c x1 y1", "a b c x2 y2", "a b c x3 y3", "a b z4 x4 y4", "a b c x5 y5"
	for _, tt := range []struct {
		name  string
		pages []string
		want  []string
	}{
		{"three pages share too much to be joined by the fourth, until the threshold is low", []string{a, b, c, d},
			[]string{"0 1 2 3 share ab"}},
		{"four pages are a cluster, and the fifth is left over", []string{a, b, c, d, e}, []string{"0 1 2 4 share ab bc"}},
		{"three pages are no cluster", []string{a, b, c}, nil},
		// A page twice shares 8 of 8 bytes with itself, more than 70 %: A and B begin, and it joins.
		{"duplicates do not begin a cluster", []string{a, a, b, c}, []string{"0 2 1 3 share ab bc"}},
		{"duplicates alone make no cluster", []string{a, a, a, a}, nil},
		{"two kinds of pages", []string{a, "m n o u1 v1", b, "m n o u2 v2", c, "m n o u3 v3", e, "m n o u4 v4"},
			[]string{"0 2 4 6 share ab bc", "1 3 5 7 share mn no"}},
		{"nothing in common", []string{"a b", "c d", "e f", "g h"}, nil},
		{"no page", nil, nil},
	} {
		names := map[uint64]string{}
		var docs []document
		for _, p := range tt.pages {
			docs = append(docs, letters(p, names))
		}
		var got []string
		for _, c := range find(docs, DefaultOptions()) {
			nav := map[string]bool{}
			for _, ch := range c.nav {
				nav[names[ch]] = true
			}
			var s strings.Builder
			for _, p := range c.pages {
				fmt.Fprint(&s, p, " ")
			}
			s.WriteString("share")
			for _, n := range []string{"ab", "bc", "mn", "no"} {
				if nav[n] {
					s.WriteString(" " + n)
				}
			}
			got = append(got, s.String())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}

// A page is cut into tags and the texts between them, white space aside, however its tags are written.
func TestFragments(t *testing.T) {
	hash := modeltest.Key().Hasher()
	doc := "<html><head></head><body><P CLASS=x>one\n two<br> <b>three</b></P></body></html>"
	want := []string{"<html>", "<head>", "</head>", "<body>", `<p class="x">`, "one\n two", "<br>", "<b>", "three", "</b>", "</p>",
		"</body>", "</html>"}
	got := read(modeltest.Parse(t, doc), hash).out
	if len(got.hashes) != len(want) {
		t.Fatalf("%d fragments, want %d", len(got.hashes), len(want))
	}
	for i, w := range want {
		if h := uint32(hash.String(w)); got.hashes[i] != h || int(got.lengths[i]) != len(w) {
			t.Errorf("fragment %d is not %q", i, w)
		}
	}
}

func TestChains(t *testing.T) {
	hash := model.Key{3}.Hasher()
	var r record
	for i, w := range strings.Fields("a b c a b c d") {
		r.add(hash.String(w), i+1)
	}
	chains := r.chains(hash, 3)
	if len(chains) != 5 || chains[0].hash != chains[3].hash || chains[0].hash == chains[1].hash {
		t.Fatalf("chains %v", chains)
	}
	if chains[0].bytes != 1+2+3 || chains[4].bytes != 5+6+7 {
		t.Errorf("lengths of chains: %v", chains)
	}
	if d := newDocument(chains); len(d) != 4 { // abc, bca, cab, bcd
		t.Errorf("%d distinct chains, want 4", len(d))
	}
	if got := r.chains(hash, 8); got != nil {
		t.Errorf("chains of 8 of 7 fragments: %v", got)
	}
}

// Of a page that is too long, the middle is dropped.
func TestTrimmed(t *testing.T) {
	var r record
	for i := range 10 {
		r.add(uint64(i), i)
	}
	if got := r.trimmed(5); !cmp.Equal(got.hashes, []uint32{0, 1, 2, 8, 9}) || !cmp.Equal(got.lengths, []uint16{0, 1, 2, 8, 9}) {
		t.Errorf("%v", got)
	}
	if got := r.trimmed(10); len(got.hashes) != 10 || r.hashes[3] != 3 {
		t.Errorf("%v of %v", got, r)
	}
}
