package evaluate

import (
	"fmt"
	"testing"

	"github.com/winnow-proxy/winnow/model"
)

func TestFoldKeepsDomainsTogether(t *testing.T) {
	for _, pair := range [][2]string{{"www.example.co.uk", "shop.example.co.uk"}, {"News.Example.org", "example.org"}} {
		if a, b := Fold(pair[0], 97), Fold(pair[1], 97); a != b {
			t.Errorf("%s is in fold %d, %s in %d", pair[0], a, pair[1], b)
		}
	}
	parts := map[int]bool{}
	for i := range 40 {
		parts[Fold(fmt.Sprintf("example%d.org", i), 3)] = true
	}
	if len(parts) != 3 {
		t.Errorf("40 domains are in %d of 3 folds", len(parts))
	}
}

func TestFoldedJudgesEachHostByItsPart(t *testing.T) {
	var parts []model.Detector
	for k := range 3 {
		parts = append(parts, &recorder{name: fmt.Sprint(k)})
	}
	d := NewFolded(parts)
	for _, host := range []string{"a.example", "b.example", "c.example", "langmaker-conlangs"} {
		if got, want := detectorFor(d, host).Name(), fmt.Sprint(Fold(host, 3)); got != want {
			t.Errorf("%s is judged by part %s, want %s", host, got, want)
		}
	}
	if got := detectorFor(parts[1], "a.example"); got != parts[1] {
		t.Error("a detector without folds judges all hosts")
	}
}
