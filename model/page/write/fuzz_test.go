package write_test

import (
	"errors"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/source"
	"github.com/winnow-proxy/winnow/model/page/write/vintage"
)

func FuzzWrite(f *testing.F) {
	for _, src := range pagetest.Malformed() {
		f.Add([]byte(src), int64(1))
	}
	f.Fuzz(func(t *testing.T, src []byte, seed int64) {
		start := time.Now()
		p, err := page.Parse(src, "")
		if err != nil {
			return
		}
		m := pagetest.RandomMarking(p, pagetest.Xorshift(uint64(seed)))
		for mode := page.ModeOff; int(mode) < len(page.ModeNames()); mode++ {
			out, err := write.Page(p, m, mode)
			if mode == page.ModeRemove && err == nil {
				if _, err := page.Parse(out.Body, out.ContentType); err != nil {
					t.Errorf("the output of remove is no page: %v", err)
				}
			}
			if err != nil && !errors.Is(err, source.ErrUnplaced) && !errors.Is(err, active.ErrUnsafe) && !errors.Is(err, vintage.ErrNothingToShow) {
				t.Errorf("%s: %v", mode, err)
			}
		}
		if d := time.Since(start); d > 3*time.Second {
			t.Errorf("%d bytes took %v", len(src), d)
		}
	})
}
