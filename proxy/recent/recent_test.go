package recent

import (
	"fmt"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/accesslog"
)

// The book has the newest pages and devices, no more than it may, and nothing of what pages load.
func TestBook(t *testing.T) {
	var b Book
	if len(b.Pages()) != 0 || len(b.Devices()) != 0 {
		t.Error("an empty book has something")
	}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for i := range 300 {
		b.Record(accesslog.Entry{Time: at.Add(time.Duration(i) * time.Second), Host: fmt.Sprint(i, ".test"), Device: fmt.Sprint("d", i/2), Path: "/secret", Outcome: "cleaned; mode=auto; removed=0.5"})
	}
	for _, outcome := range []string{"", "passed; reason=type", "passed; reason=fragment; thin"} {
		b.Record(accesslog.Entry{Time: at.Add(time.Hour), Host: "picture.test", Device: "x", Outcome: outcome})
	}
	b.Record(accesslog.Entry{Time: at.Add(time.Hour), Host: "nobody.test", Outcome: "passed; reason=bypass"})
	pages, devices := b.Pages(), b.Devices()
	if len(pages) != maxPages || pages[0].Host != "nobody.test" || pages[1].Host != "299.test" {
		t.Errorf("%d pages, %+v", len(pages), pages[:2])
	}
	if len(devices) != maxDevices || devices[0].Name != "d149" || devices[0].Pages != 2 {
		t.Errorf("%d devices, %+v", len(devices), devices[0])
	}
}
