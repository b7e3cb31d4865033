package savings

import (
	"fmt"
	"testing"
	"time"
)

func TestBook(t *testing.T) {
	now := time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)
	b := NewBook(func() time.Time { return now })
	one := Sum{Pages: 1, Blocks: 7, In: 1000, Out: 400, Characters: 2380}
	b.Add("a.test", one)
	now = now.Add(2 * time.Hour)
	b.Add("a.test", one)
	b.Add("b.test", Sum{Pages: 1, In: 10, Out: 90})
	if got := b.Host("a.test"); got != (Sum{Pages: 2, Blocks: 14, In: 2000, Out: 800, Characters: 4760}) || got.Saved() != 1200 || got.Share() != .6 || got.Reading() != 4*time.Minute {
		t.Errorf("a.test: %+v", got)
	}
	if got := b.Host("b.test"); got.Saved() != 0 || got.Share() != 0 {
		t.Errorf("a page that grew saves %d", got.Saved())
	}
	days, hours := b.Days(3), b.Hours(4)
	if days[2].From.Format(time.DateOnly) != "2026-11-21" || days[2].Pages != 2 || days[1].Pages != 1 || days[0].Pages != 0 || b.All().Pages != 3 {
		t.Errorf("days %+v, all %+v", days, b.All())
	}
	if hours[3].From.Hour() != 1 || hours[3].Pages != 2 || hours[2].Pages != 0 || hours[1].Pages != 1 || hours[0].Pages != 0 {
		t.Errorf("hours %+v", hours)
	}
	b.Forget("a.test")
	if b.Host("a.test") != (Sum{}) {
		t.Error("a forgotten host is still there")
	}
}

func TestBookIsBounded(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := NewBook(func() time.Time { return now })
	for i := range maxHosts + 10 {
		b.Add(fmt.Sprint(i), Sum{Pages: 1})
		now = now.Add(time.Hour)
	}
	if b.hosts.Len() != maxHosts || len(b.hours) != maxSpans || len(b.days) != maxSpans || b.Host("0").Pages != 0 || b.All().Pages != maxHosts+10 {
		t.Errorf("%d hosts, %d hours, %d days", b.hosts.Len(), len(b.hours), len(b.days))
	}
}
