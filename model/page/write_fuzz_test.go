package page

import (
	"errors"
	"testing"
	"time"
)

func FuzzWrite(f *testing.F) {
	for _, src := range malformed() {
		f.Add([]byte(src), int64(1))
	}
	f.Fuzz(func(t *testing.T, src []byte, seed int64) {
		start := time.Now()
		p, err := Parse(src, "")
		if err != nil {
			return
		}
		m := randomMarking(p, xorshift(uint64(seed)))
		for mode := ModeOff; int(mode) < len(ModeNames()); mode++ {
			out, err := Write(p, m, mode)
			if mode == ModeRemove && err == nil {
				if _, err := Parse(out.Body, out.ContentType); err != nil {
					t.Errorf("the output of remove is no page: %v", err)
				}
			}
			if err != nil && !errors.Is(err, ErrUnplaced) && !errors.Is(err, ErrUnsafe) && !errors.Is(err, ErrNothingToShow) {
				t.Errorf("%s: %v", mode, err)
			}
		}
		if d := time.Since(start); d > 3*time.Second {
			t.Errorf("%d bytes took %v", len(src), d)
		}
	})
}
