package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markdown"
	"github.com/winnow-proxy/winnow/proxy/savings"
)

// work is one page to be cleaned. Nothing in it changes once the work has begun, as it may be abandoned and go on
// beside the response that went out without it.
type work struct {
	x       *Job
	header  http.Header
	coded   []byte
	codings []string
	watch   *watched // nil where nobody watches
}

// result is what became of a page: reason is empty where it was cleaned.
type result struct {
	body   []byte
	page   cleanedPage
	reason Reason
	err    error
}

// start does w in a goroutine of its own, which holds its place until it truly ends: neither the parser nor a detector
// can be interrupted. It returns what came out, or that it took too long.
func (pl *Pipeline) start(ctx context.Context, w work) result {
	at, reason := pl.enter(ctx, pl.accountOf(w.x))
	if reason != "" {
		return result{reason: reason}
	}
	ctx, cancel := context.WithTimeout(ctx, pl.opts.Limits.Clean)
	defer cancel()
	done := make(chan result, 1)
	w.watch = pl.watch("page", w.x, pl.opts.Limits.Clean)
	go func() {
		defer at.leave()
		var r result
		if err := model.Contain(func() error { r = pl.do(ctx, w, at); return nil }); err != nil {
			r = result{reason: ReasonPanic, err: err}
		}
		w.watch.end() // to learn has a time of its own
		done <- r
		_ = model.Contain(func() error { at.finish(ctx); return nil }) // the page is not learned
	}()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return result{reason: ReasonTimeout, err: fmt.Errorf("cleaning %d bytes took over %s", len(w.coded), pl.opts.Limits.Clean)}
		}
		return result{reason: ReasonCanceled}
	}
}

// do takes one page through decode, parse, mark, learn, write and encode.
func (pl *Pipeline) do(ctx context.Context, w work, at *place) result {
	w.watch.at("decode")
	src, cost, reason, err := pl.unpack(ctx, w, at)
	if reason != "" {
		return result{reason: reason, err: err}
	}
	state := pl.recipeState(w)
	if found := pl.recipes.find(state, pl.opts.Now()); found != nil && pl.scripts.stand(found.scripts) {
		return pl.again(w, src, state, found)
	}
	release, err := pl.afford(ctx, cost)
	if err != nil {
		return result{reason: ReasonBusy}
	}
	defer release()
	if at.large {
		ctx = &paced{ctx, time.Now()}
	}
	j, reason, err := pl.understand(ctx, w, src)
	if reason != "" {
		return result{reason: reason, err: err}
	}
	learned := !pl.mayLearn(w) || ctx.Err() == nil && at.learn(func() bool { return pl.learn(w.x, j.page, j.visit) })
	j.marking = j.marking.Whole(w.x.mode)
	if reason := passReason(j.marking); reason != "" {
		return result{reason: reason}
	}
	if ctx.Err() != nil {
		return result{reason: ReasonTimeout, err: ctx.Err()}
	}
	started := time.Now()
	form := w.form()
	form.Done = ctx.Done()
	var scripts []restsOn
	form.ScriptNames = pl.scriptNames(w.x, &scripts)
	applied := w.x.policy.ForMode(w.x.mode).Apply(j.page, j.marking)
	if !w.x.told {
		untold := *applied
		untold.Pages, untold.Confidence = 0, 0
		applied = &untold
	}
	w.watch.at("write")
	out, err := pl.write(form, j.page, applied)
	pl.timed("write", started)
	if ctx.Err() != nil {
		return result{reason: ReasonTimeout, err: ctx.Err()}
	}
	if errors.Is(err, page.ErrNothingToShow) {
		return result{reason: ReasonNoContent}
	}
	if err != nil {
		return result{reason: ReasonWrite, err: err}
	}
	content := contentOf(w.x.mode, j.page, applied, out.Body)
	by := judge{j.marking.Pages, pl.generationOf(w.x, j.marking), estimate{j.marking.Confidence, j.marking.Thin}}
	if learned && state != nil && by.gen == state.gen {
		pl.recipes.keep(state, out, recipe{estimate: by.estimate, content: content, scripts: scripts, made: pl.opts.Now()})
	}
	pl.noteTaken(w.x.host, j.page, applied)
	return pl.finish(w, src, by, out, content)
}

// judge is what is told of the model that judged a page.
type judge struct {
	pages int
	gen   generation
	estimate
}

// estimate is what the model expects of a page: the quality that such pages have had, 0 where it is not known or not
// told, and whether next to nothing is left to read.
type estimate struct {
	confidence float32
	thin       bool
}

// judged is a page that was judged.
type judged struct {
	page    *page.Page
	marking *page.Marking
	visit   model.Visit
}

// noteTaken counts what was taken out of a page.
func (pl *Pipeline) noteTaken(host string, p *page.Page, m *page.Marking) {
	if pl.opts.Metrics.Saved == nil {
		return
	}
	var s savings.Sum
	for b, v := range m.Verdicts {
		if v.Noise {
			s.Blocks++
			s.Characters += int64(p.BlockLen(page.BlockID(b)))
		}
	}
	pl.opts.Metrics.Saved(host, s)
}

// form says how the page is to be written.
func (w work) form() page.Form {
	f := w.x.form
	f.Mode, f.URL, f.FrontMatter, f.CSP = w.x.mode, w.x.url, true, w.header.Values("Content-Security-Policy")
	return f
}

// unpack undoes the content codings of a page, and returns what its tree costs. From there on, a large page has a place
// of its kind.
func (pl *Pipeline) unpack(ctx context.Context, w work, at *place) (src []byte, cost int64, reason Reason, err error) {
	if len(w.codings) > 0 {
		body := pl.decoder.open(w.coded, w.codings)
		src, err = pl.decode(body, largeSize)
		if errors.Is(err, errTooLarge) {
			if reason := at.enlarge(ctx, body.out.Cap()); reason != "" {
				return nil, 0, reason, nil
			}
			src, err = pl.decode(body, int64(pl.opts.Limits.Body))
		}
	} else {
		src = w.coded
	}
	switch {
	case errors.Is(err, errTooLarge):
		return nil, 0, ReasonTooLarge, err
	case err != nil:
		return nil, 0, ReasonCoding, err
	case len(src) == 0:
		return nil, 0, ReasonEmpty, nil
	case looksCoded(src):
		return nil, 0, ReasonCoding, errors.New("body is compressed beyond what Content-Encoding says")
	}
	held := len(src)
	if len(w.codings) == 0 {
		held = 0 // they are charged already
	}
	if len(src) > largeSize { // to estimate its cost takes milliseconds
		if reason := at.enlarge(ctx, held); reason != "" {
			return nil, 0, reason, nil
		}
	}
	if cost = pl.costOf(w, src); cost > pl.parsingRoom {
		return nil, 0, ReasonTooLarge, fmt.Errorf("cleaning %d bytes would take %d MiB", len(src), cost>>20)
	}
	if cost > pl.places.largeCost {
		reason = at.enlarge(ctx, held)
	}
	return src, cost, reason, nil
}

// costOf estimates what a page takes in memory: its tree, that of the part of it that a quorum has seen, and its form.
func (pl *Pipeline) costOf(w work, src []byte) int64 {
	cost := page.Cost(src)
	if pl.quorum != nil && pl.mayLearn(w) {
		cost *= 2
	}
	return cost + w.form().Cost(src)
}

// decode undoes the content codings of a body, up to so many bytes.
func (pl *Pipeline) decode(body *unpacking, most int64) ([]byte, error) {
	defer pl.timed("decode", time.Now())
	return body.upTo(most)
}

// understand parses and marks the page. The marking may want the page to pass.
func (pl *Pipeline) understand(ctx context.Context, w work, src []byte) (judged, Reason, error) {
	started := time.Now()
	w.watch.at("parse")
	p, err := pl.parse(ctx, src, w.header.Get("Content-Type"))
	if err == nil {
		p = w.form().Basis(ctx, p)
	}
	pl.timed("parse", started)
	switch {
	case errors.Is(err, page.ErrTooDeep):
		return judged{}, ReasonTooDeep, err
	case errors.Is(err, page.ErrTooMany):
		return judged{}, ReasonTooMany, err
	case ctx.Err() != nil:
		return judged{}, ReasonTimeout, err
	case err != nil:
		return judged{}, ReasonParse, err
	}
	started = time.Now()
	visit := pl.visitOf(w.x)
	w.watch.at("mark")
	m, err := pl.opts.Models.Mark(ctx, w.x.host, p, visit)
	pl.timed("mark", started)
	if err != nil {
		return judged{}, ReasonModel, err
	}
	if pl.shared(w.x) {
		m = discreet(m)
	}
	visit.Reading = m.Reading
	return judged{p, m, visit}, "", nil
}

// mayLearn reports whether the page may be learned.
func (pl *Pipeline) mayLearn(w work) bool {
	return !w.x.unlearned && !w.x.framed && mayLearn(pl.learnPolicy(w.x), w.x.authorized, w.header)
}

// passReason returns why a marking wants the original, from the closed list.
func passReason(m *page.Marking) Reason {
	switch r := Reason(m.Pass); r {
	case "", ReasonApplication, ReasonNoContent, ReasonOverride:
		return r
	}
	return ReasonDoubt
}

// finish encodes the page for the client. A page that came out as it went in keeps the origin's coded bytes.
func (pl *Pipeline) finish(w work, src []byte, by judge, out *page.Output, content digest) result {
	if pl.opts.Metrics.Bytes != nil {
		pl.opts.Metrics.Bytes(len(src), len(out.Body))
	}
	if pl.opts.Metrics.Saved != nil {
		pl.opts.Metrics.Saved(w.x.host, savings.Sum{Pages: 1, In: int64(len(src)), Out: int64(len(out.Body))})
	}
	c := cleanedPage{variant: pl.variant(w.x, by.gen), pages: by.pages, removed: out.Removed, estimate: by.estimate, contentType: out.ContentType, content: content}
	if pl.shared(w.x) || !w.x.told {
		c.pages = -1
	}
	if !w.x.told {
		c.confidence = 0
	}
	if _, has := w.x.conditionals.has(w.x.mode, content); has {
		return result{page: c} // nothing of it is sent
	}
	// The origin's Content-Type holds for its bytes: a charset that we have guessed would take the place of a browser's
	// own guess, and XHTML read as HTML is another document.
	if w.x.mode.Original() {
		if bytes.Equal(src, out.Body) {
			c.unchanged = true
			return result{page: c}
		}
		c.contentType = ""
	}
	if w.x.mode == page.ModeMarkdown {
		c.tokens = markdown.Tokens(string(out.Body))
	}
	defer pl.timed("encode", time.Now())
	w.watch.at("encode")
	c.coding = w.x.accepted.choose(w.codings, len(out.Body))
	body, err := pl.encoder.encode(out.Body, c.coding, pl.inHurry())
	c.size = len(body)
	return result{body: body, page: c, reason: encodeReason(err), err: err}
}

// inHurry reports whether pages wait for a processor, here or in sockets.
func (pl *Pipeline) inHurry() bool {
	return int(pl.working.Load()) > runtime.GOMAXPROCS(0) || pl.load.isBusy()
}

func encodeReason(err error) Reason {
	if err != nil {
		return ReasonCoding
	}
	return ""
}

// timed reports the time since started to the metrics.
func (pl *Pipeline) timed(stage string, started time.Time) {
	if pl.opts.Metrics.Duration != nil {
		pl.opts.Metrics.Duration(stage, time.Since(started))
	}
}
