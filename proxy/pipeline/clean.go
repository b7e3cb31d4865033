package pipeline

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/markdown"
	"github.com/winnow-proxy/winnow/model/page/write/vintage"
	"github.com/winnow-proxy/winnow/proxy/savings"
)

// afford waits for the memory that the tree of the page takes.
func (x *Job) afford() (Reason, error) {
	release, err := x.pl.afford(x.within, x.cost)
	if err != nil {
		return ReasonBusy, err
	}
	x.release = release
	if x.place.large {
		x.within = &paced{x.within, time.Now()}
	}
	return "", nil
}

// parsePage parses the page.
func (x *Job) parsePage() (Reason, error) {
	started := time.Now()
	p, err := x.pl.parse(x.within, x.src, x.header.Get("Content-Type"))
	if err == nil {
		p = x.finalForm().Basis(x.within, p)
	}
	x.pl.timed("parse", started)
	switch {
	case errors.Is(err, page.ErrTooDeep):
		return ReasonTooDeep, err
	case errors.Is(err, page.ErrTooMany):
		return ReasonTooMany, err
	case x.within.Err() != nil:
		return ReasonTimeout, err
	case err != nil:
		return ReasonParse, err
	}
	x.page = p
	return "", nil
}

// mark has the host's model judge the page.
func (x *Job) mark() (Reason, error) {
	started := time.Now()
	x.visit = x.visitOf()
	m, err := x.pl.opts.Models.Mark(x.within, x.host, x.page, x.visit)
	x.pl.timed("mark", started)
	if err != nil {
		return ReasonModel, err
	}
	x.visit.Reading = m.Reading
	if x.shared() {
		m = discreet(m)
	}
	x.marking = m
	return "", nil
}

// learn queues the page to be learned, if it may be. A large page is queued after all else.
func (x *Job) learn() (Reason, error) {
	switch {
	case !x.mayLearn():
		x.learned = true
	case x.isOver():
	case x.place.large:
		x.learned, x.later = true, true
	default:
		x.learned = x.teach()
	}
	return "", nil
}

// isOver reports whether the time for the page is over.
func (x *Job) isOver() bool { return x.within.Err() != nil }

// mayLearn reports whether the page may be learned.
func (x *Job) mayLearn() bool {
	return !x.unlearned && !x.framed && mayLearn(x.learnPolicy(), x.authorized, x.header)
}

// decide asks the marking whether it wants the original.
func (x *Job) decide() (Reason, error) {
	x.marking = x.marking.Whole(x.mode)
	if reason := passReason(x.marking); reason != "" {
		return reason, nil
	}
	if err := x.within.Err(); err != nil {
		return ReasonTimeout, err
	}
	return "", nil
}

// passReason returns why a marking wants the original, from the closed list.
func passReason(m *page.Marking) Reason {
	switch r := Reason(m.Pass); r {
	case "", ReasonApplication, ReasonNoContent, ReasonOverride:
		return r
	}
	return ReasonDoubt
}

// write writes the page in its mode.
func (x *Job) write() (Reason, error) {
	started := time.Now()
	form := x.finalForm()
	form.Done = x.within.Done()
	var on []restsOn
	form.ScriptNames = x.scriptNames(&on)
	x.applied = x.policy.ForMode(x.mode).Apply(x.page, x.marking)
	if !x.byProgram {
		untold := *x.applied
		untold.Pages, untold.Confidence = 0, 0
		x.applied = &untold
	}
	out, err := x.pl.write(form, x.page, x.applied)
	x.pl.timed("write", started)
	switch {
	case x.within.Err() != nil:
		return ReasonTimeout, x.within.Err()
	case errors.Is(err, vintage.ErrNothingToShow):
		return ReasonNoContent, nil
	case err != nil:
		return ReasonWrite, err
	}
	x.out, x.basis = out, x.pl.scripts.basisOf(on)
	return "", nil
}

// keep keeps how the page was cleaned, for when it comes again, and counts what was taken out.
func (x *Job) keep() (Reason, error) {
	x.content = contentOf(x.mode, x.page, x.applied, x.out.Body)
	x.judge = judge{x.marking.Pages, x.generationOf(x.marking), estimate{x.marking.Confidence, x.marking.Thin}}
	if x.learned && x.recipe != nil && x.judge.gen == x.recipe.gen {
		x.pl.recipes.keep(x.recipe, x.out, recipe{estimate: x.judge.estimate, content: x.content, basis: x.basis, made: x.pl.opts.Now()})
	}
	x.countTaken()
	return "", nil
}

// countTaken counts what was taken out of the page.
func (x *Job) countTaken() {
	if x.pl.opts.Metrics.Saved == nil {
		return
	}
	var s savings.Sum
	for b, v := range x.applied.Verdicts {
		if v.Noise {
			s.Blocks++
			s.Characters += int64(x.page.BlockLen(page.BlockID(b)))
		}
	}
	x.pl.opts.Metrics.Saved(x.host, s)
}

// encode describes the page for its header, and encodes it for the client. A page that came out as it went in keeps the
// origin's coded bytes.
func (x *Job) encode() (Reason, error) {
	x.countSize()
	c := &x.cleaned
	*c = cleanedPage{variant: x.variant(x.judge.gen, x.basis), pages: x.judge.pages, removed: x.out.Removed, estimate: x.judge.estimate, contentType: x.out.ContentType, content: x.content}
	if x.shared() || !x.byProgram {
		c.pages = -1
	}
	if !x.byProgram {
		c.confidence = 0
	}
	if _, has := x.conditionals.has(c.variant, x.content); has {
		return "", nil // nothing of it is sent
	}
	// The origin's Content-Type holds for its bytes: a charset that we have guessed would take the place of a browser's
	// own guess, and XHTML read as HTML is another document.
	if x.mode.Original() {
		if bytes.Equal(x.src, x.out.Body) {
			c.unchanged = true
			return "", nil
		}
		c.contentType = ""
	}
	if x.mode == page.ModeMarkdown {
		c.tokens = markdown.Tokens(string(x.out.Body))
	}
	defer x.pl.timed("encode", time.Now())
	c.coding = x.accepted.choose(x.codings, len(x.out.Body))
	body, err := x.pl.encoder.encode(x.out.Body, c.coding, x.pl.inHurry())
	if err != nil {
		return ReasonCoding, err
	}
	x.encoded, c.size = body, len(body)
	return "", nil
}

// countSize counts the bytes of the page before and after.
func (x *Job) countSize() {
	in, out := len(x.src), len(x.out.Body)
	if x.pl.opts.Metrics.Bytes != nil {
		x.pl.opts.Metrics.Bytes(in, out)
	}
	if x.pl.opts.Metrics.Saved != nil {
		x.pl.opts.Metrics.Saved(x.host, savings.Sum{Pages: 1, In: int64(in), Out: int64(out)})
	}
}

// Draining is an optional interface of Models. *cache.Models implements it.
type Draining interface {
	// Drain returns when each page that LearnFrom has taken is learned, or when ctx ends.
	Drain(ctx context.Context) error
}

// learnLater has a large page learned after all else is done with it. Its place stays taken as long: learning takes
// about as long as judging, and beside another large page it would leave no processor to small ones.
func (x *Job) learnLater(ctx context.Context) {
	if !x.later || !x.teach() {
		return
	}
	if models, ok := x.pl.opts.Models.(Draining); ok {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), x.pl.opts.Limits.Clean)
		defer cancel()
		_ = models.Drain(ctx) // another page then begins earlier
	}
}

// inHurry reports whether pages wait for a processor, here or in sockets.
func (pl *Pipeline) inHurry() bool {
	return int(pl.working.Load()) > runtime.GOMAXPROCS(0) || pl.load.isBusy()
}

// timed reports the time since started to the metrics.
func (pl *Pipeline) timed(stage string, started time.Time) {
	if pl.opts.Metrics.Duration != nil {
		pl.opts.Metrics.Duration(stage, time.Since(started))
	}
}
