package page

import (
	"fmt"
	"slices"
	"strings"
)

// KindSet is a set of kinds of parts, as flags and headers name them: "comments,related".
type KindSet uint32

// Kinds returns the set of the given kinds.
func Kinds(kinds ...Kind) (s KindSet) {
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

// Has reports whether k is in the set.
func (s KindSet) Has(k Kind) bool { return s&(1<<k) != 0 }

// String lists the names of the set, separated by commas.
func (s KindSet) String() string {
	var names []string
	for i, n := range kindNames() {
		if s.Has(Kind(i)) {
			names = append(names, n)
		}
	}
	return strings.Join(names, ",")
}

// MarshalText implements encoding.TextMarshaler.
func (s KindSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It reads names separated by commas, and ignores white space around
// them. The error names an unknown kind and lists the known ones. Content is not a kind here: a page without content is
// no page.
func (s *KindSet) UnmarshalText(b []byte) error {
	var set KindSet
	for name := range strings.SplitSeq(string(b), ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" && len(strings.TrimSpace(string(b))) == 0 {
			break
		}
		i := slices.Index(kindNames(), name)
		if i < 0 || !selectable(Kind(i)) {
			return fmt.Errorf("kind %q is not one of %s", name, strings.Join(SelectableKinds(), ", "))
		}
		set |= 1 << i
	}
	*s = set
	return nil
}

// selectable reports whether people may ask for a kind, which excludes the classes that are content as such.
func selectable(k Kind) bool {
	return k != KindContent && k != KindArticle && k != KindRecords && k != KindRecord
}

// SelectableKinds returns the names of the kinds that people may ask for, sorted.
func SelectableKinds() (names []string) {
	for i, n := range kindNames() {
		if selectable(Kind(i)) {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}
