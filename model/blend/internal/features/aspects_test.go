package features

import (
	"testing"
)

// Every feature means something to people.
func TestEveryFeatureHasAnAspect(t *testing.T) {
	_, names := FeatureNames()
	used := map[int]bool{}
	for _, name := range names {
		used[aspectOf(name)] = true
	}
	for a, aspect := range Aspects() {
		if !used[a] {
			t.Errorf("no feature is of aspect %s", aspect.Name)
		}
	}
}
