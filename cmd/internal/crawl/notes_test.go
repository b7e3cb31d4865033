package crawl

import (
	"testing"
	"testing/synctest"
	"time"
)

// Notes come every two seconds while they cost little, and less often where they take long.
func TestNotes(t *testing.T) {
	for took, want := range map[time.Duration]int{time.Millisecond: 29, time.Second: 3, 10 * time.Second: 1} {
		synctest.Test(t, func(t *testing.T) {
			var n notes
			noted := 0
			for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(100 * time.Millisecond) {
				if err := n.when(func() error { noted++; time.Sleep(took); return nil }); err != nil {
					t.Fatal(err)
				}
			}
			if noted < want-1 || noted > want {
				t.Errorf("notes of %s: %d in a minute, want %d", took, noted, want)
			}
		})
	}
}
