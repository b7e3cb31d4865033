package script

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNameSet(t *testing.T) {
	for range 3 { // also in memory that was used before
		n := newNameSet()
		for i := range 5000 {
			name := fmt.Sprint("name", i%2500)
			if got := n.add(inCode, name); got != (i < 2500) {
				t.Fatalf("the %dth name is new: %t", i, got)
			}
		}
		if n.has(inSelector, "name1") || n.has(inCode, "name2500") || !n.has(inCode, "name2499") || !n.add(isTag, "name1") {
			t.Error("names are mixed up")
		}
		if got := len(n.hashes(inCode)); got != 2500 {
			t.Errorf("%d hashes", got)
		}
		n.release()
	}
}

func TestNamesInCode(t *testing.T) {
	n := newNameSet()
	defer n.release()
	n.read(`a$.bc('#x > LI.y, my-tag'); "tab-" + ünder_1; '</b>', 'the p'; "nav"; createElement("aside"); q("*, , h1:first")`)
	for kind, want := range map[nameKind]string{
		inCode:     "a bc x LI y my-tag tab- ünder_1 b the p nav createElement aside q h1 first",
		inSelector: "li my-tag nav h1 *",
	} {
		names := strings.Fields(want)
		for _, name := range names {
			if !n.has(kind, name) {
				t.Errorf("%q is missing", name)
			}
		}
		if got := n.hashes(kind); kind == inCode && len(got) != len(names) || n.has(inSelector, "p") || n.has(inSelector, "aside") {
			t.Errorf("%d names of kind %d, want %d", len(got), kind, len(names))
		}
	}
	if !slices.IsSorted(n.hashes(inCode)) {
		t.Error("hashes are not sorted")
	}
}
