package blend

import (
	"sync"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// Hosts with the same detector share what it remembers of texts, at the same time, and learn what each learns alone.
func TestHostsShareMeasures(t *testing.T) {
	learned := func(d *Detector) string {
		h := d.newHost(model.Key{})
		for i := range 6 {
			p := viewtest.Parse(t, viewtest.SitePage(i))
			v := visit(i)
			v.Reading = h.Mark(p, v).Reading
			h.Observe(p, v)
		}
		return encodedHost(t, h)
	}
	d := detector(t)
	want := learned(detector(t))
	var hosts sync.WaitGroup
	for range 4 {
		hosts.Go(func() {
			if learned(d) != want {
				t.Error("another model than that of a host alone")
			}
		})
	}
	hosts.Wait()
}
