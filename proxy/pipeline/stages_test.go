package pipeline

import (
	"errors"
	"testing"
)

// Whichever stage fails or panics, the client gets the origin's bytes, and nothing stays charged.
func TestAnyStageMayFail(t *testing.T) {
	whole, _ := navPage(100)
	broken := map[Reason]func(*Job) (Reason, error){
		ReasonPanic: func(*Job) (Reason, error) { panic("boom") },
		ReasonDoubt: func(*Job) (Reason, error) { return ReasonDoubt, errors.New("boom") },
	}
	first := len(arrival())
	for i, s := range append(arrival(), cleaning()...) {
		for reason, do := range broken {
			t.Run(s.name+"/"+string(reason), func(t *testing.T) {
				r := newRig(t, serve([]byte(whole), "Content-Type", "text/html"))
				r.rw.exempt = 0
				if i < first {
					r.rw.arrival[i].do = do
				} else {
					r.rw.cleaning[i-first].do = do
				}
				r.get("/").wantPassed(t, reason, []byte(whole))
				r.wantNothingCharged()
				r.eventually("every place is given back", func() bool { return r.rw.working.Load() == 0 })
				if !r.rw.parsing.TryAcquire(r.rw.parsingRoom) {
					t.Error("the memory of a page is not given back")
				}
			})
		}
	}
}
