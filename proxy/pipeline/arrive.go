package pipeline

import (
	"errors"
	"fmt"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// begin looks at the header of a page.
func (x *Job) begin() (Reason, error) {
	codings, known := contentCodings(x.resp.Header)
	if !known {
		return ReasonCoding, fmt.Errorf("content coding %q", x.resp.Header["Content-Encoding"])
	}
	if x.resp.ContentLength > int64(x.pl.opts.Limits.Body) {
		return ReasonTooLarge, fmt.Errorf("%d bytes declared", x.resp.ContentLength)
	}
	x.codings = codings
	return "", nil
}

// read holds the body back until all of it is here.
func (x *Job) read() (reason Reason, err error) {
	defer x.pl.timed("read", time.Now())
	x.body = hold(x.resp.Body, x.resp.ContentLength, int64(x.pl.opts.Limits.Body), x.account())
	x.resp.Body = x.body
	if x.coded, reason, err = x.body.wait(x.ctx, x.pl.opts.Limits.Read); reason != "" {
		return reason, err
	}
	if len(x.coded) == 0 {
		return ReasonEmpty, nil
	}
	x.header = x.resp.Header.Clone()
	return "", nil
}

// enter waits for a place.
func (x *Job) enter() (reason Reason, err error) {
	x.place, reason = x.pl.enter(x.ctx, x.account())
	return reason, nil
}

// decode undoes the content codings of a page, and estimates what its tree costs. From there on, a large page has a
// place of its kind.
func (x *Job) decode() (Reason, error) {
	var err error
	if len(x.codings) > 0 {
		body := x.pl.decoder.open(x.coded, x.codings)
		x.src, err = x.undo(body, largeSize)
		if errors.Is(err, errTooLarge) {
			if reason := x.place.enlarge(x.within, body.out.Cap()); reason != "" {
				return reason, nil
			}
			x.src, err = x.undo(body, int64(x.pl.opts.Limits.Body))
		}
	} else {
		x.src = x.coded
	}
	switch {
	case errors.Is(err, errTooLarge):
		return ReasonTooLarge, err
	case err != nil:
		return ReasonCoding, err
	case len(x.src) == 0:
		return ReasonEmpty, nil
	case looksCoded(x.src):
		return ReasonCoding, errors.New("body is compressed beyond what Content-Encoding says")
	}
	return x.estimate()
}

// undo undoes the content codings of a body, up to so many bytes.
func (x *Job) undo(body *unpacking, most int64) ([]byte, error) {
	defer x.pl.timed("decode", time.Now())
	return body.upTo(most)
}

// estimate estimates what the page takes in memory, and has it wait for the place of a large one if that is much.
func (x *Job) estimate() (Reason, error) {
	held := len(x.src)
	if len(x.codings) == 0 {
		held = 0 // they are charged already
	}
	if len(x.src) > largeSize { // to estimate its cost takes milliseconds
		if reason := x.place.enlarge(x.within, held); reason != "" {
			return reason, nil
		}
	}
	if x.cost = x.costOf(x.src); x.cost > x.pl.parsingRoom {
		return ReasonTooLarge, fmt.Errorf("cleaning %d bytes would take %d MiB", len(x.src), x.cost>>20)
	}
	if x.cost > x.pl.places.largeCost {
		return x.place.enlarge(x.within, held), nil
	}
	return "", nil
}

// costOf estimates what a page takes in memory: its tree, that of the part of it that a quorum has seen, and its form.
func (x *Job) costOf(src []byte) int64 {
	cost := page.Cost(src)
	if x.pl.quorum != nil && x.mayLearn() {
		cost *= 2
	}
	return cost + x.finalForm().Cost(src)
}

// finalForm says how the page is to be written.
func (x *Job) finalForm() write.Form {
	f := x.form
	f.Mode, f.URL, f.FrontMatter, f.CSP = x.mode, x.url, true, x.header.Values("Content-Security-Policy")
	return f
}
