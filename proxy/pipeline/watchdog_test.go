package pipeline

import (
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// Work on a page that goes on beyond its deadline is counted and logged with its stage; other work is not.
func TestLateWorkIsSeen(t *testing.T) {
	late := make(chan string, 10)
	r := newRig(t, serve([]byte("<p>The tide came in again."), "Content-Type", "text/html"), func(o *Options) {
		o.Limits.Clean = 30 * time.Millisecond
		o.Metrics.Late = func(work, stage string) { late <- work + " " + stage }
	})
	r.rw.overrun = 10 * time.Millisecond
	release := make(chan struct{})
	written := r.rw.write
	r.rw.write = func(f write.Form, p *page.Page, m *page.Marking) (*write.Output, error) {
		<-release
		return written(f, p, m)
	}
	if got := r.get("/").Header.Get("Winnow"); got != "passed; reason=timeout" {
		t.Errorf("Winnow: %s", got)
	}
	if got := <-late; got != "page write" {
		t.Errorf("late: %s", got)
	}
	close(release)
	r.wantNothingCharged()
	r.rw.opts.Limits.Clean = time.Minute
	r.get("/")
	if len(late) > 0 {
		t.Errorf("also late: %s", <-late)
	}
}

// So are feeds and books, which others work on.
func TestOtherLateWorkIsSeen(t *testing.T) {
	late := make(chan string, 10)
	r := newRig(t, serve([]byte("<p>The tide came in again."), "Content-Type", "text/html"), func(o *Options) {
		o.Metrics.Late = func(work, stage string) { late <- work + " " + stage }
	})
	r.rw.overrun = time.Millisecond
	r.rw.Watch(t.Context(), "book", "pages", time.Hour)()
	end := r.rw.Watch(t.Context(), "feed", "complete", time.Millisecond)
	if got := <-late; got != "feed complete" {
		t.Errorf("late: %s", got)
	}
	end()
	if len(late) > 0 {
		t.Errorf("also late: %s", <-late)
	}
}
