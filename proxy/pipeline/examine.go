package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Examined is a page as it is judged at the moment. Nobody has learned it.
type Examined struct {
	// Host is the name of its model, URL its address.
	Host, URL string
	Page      *page.Page
	// Marking is what is to go, after lessons and policy. It may say that the page passes.
	Marking *page.Marking
	// Evidence is what the verdicts of the detector rest on, block by block; nil where [WithEvidence] does not ask for it
	// and where the detector can't say.
	Evidence [][]model.Evidence
	release  func()
}

// Close gives back what the page has of memory and processors. It must be called once, when nobody looks at it any
// more.
func (e *Examined) Close() {
	if e.release != nil {
		e.release()
	}
}

// Explainer is what Models implement beside, where they can say what verdicts rest on. *cache.Models does.
type Explainer interface {
	// Explain returns the evidence about each block of a page of host.
	Explain(ctx context.Context, host string, p *page.Page, v model.Visit) ([][]model.Evidence, error)
}

// evidenceKey is the context key of who asks for evidence.
type evidenceKey struct{}

// WithEvidence has Examine say what its verdicts rest on. Where clients share the models, evidence tells what others
// have read, so that only the operator may ask for it.
func WithEvidence(ctx context.Context, operator bool) context.Context {
	return context.WithValue(ctx, evidenceKey{}, operator)
}

// NotExaminedError says why a page can't be examined, in the words of a response that passes.
type NotExaminedError struct {
	Reason Reason
	err    error
}

// Error implements error.
func (e *NotExaminedError) Error() string {
	if e.err != nil {
		return fmt.Sprintf("the page can't be examined (%s): %v", e.Reason, e.err)
	}
	return fmt.Sprintf("the page can't be examined (%s)", e.Reason)
}

// Unwrap returns the cause.
func (e *NotExaminedError) Unwrap() error { return e.err }

// Examine judges the page in resp, which answers a GET, for a client to look at what goes and what stays. It keeps to
// the same limits as cleaning does, learns nothing, and closes the body. The caller closes what it returns.
func (pl *Pipeline) Examine(ctx context.Context, client string, resp *http.Response) (*Examined, error) {
	if reason := responseReason(resp); reason != "" {
		return nil, errors.Join(&NotExaminedError{Reason: reason}, resp.Body.Close())
	}
	x := &Job{ctx: ctx, client: client, unlearned: true}
	body := hold(resp.Body, resp.ContentLength, int64(pl.opts.Limits.Body), pl.accountOf(x))
	ex := &Examined{release: func() { _ = body.Close() }} // nobody reads it any more
	err := model.Contain(func() error { return pl.examine(x, resp, body, ex) })
	if p := (*model.PanicError)(nil); errors.As(err, &p) {
		err = &NotExaminedError{ReasonPanic, err}
	}
	if err != nil {
		ex.Close()
		return nil, err
	}
	return ex, nil
}

// examine fills in ex.
func (pl *Pipeline) examine(x *Job, resp *http.Response, body *held, ex *Examined) error {
	codings, known := contentCodings(resp.Header)
	if !known {
		return &NotExaminedError{Reason: ReasonCoding}
	}
	u := *resp.Request.URL
	var err error
	if x.host, err = hostname.SiteOf(&u); err != nil {
		return &NotExaminedError{ReasonModel, err}
	}
	u.Host, u.User, u.Fragment, u.RawFragment = x.host, nil, "", ""
	x.url = u.String()
	coded, reason, err := body.wait(x.ctx, pl.opts.Limits.Read)
	if reason != "" {
		return &NotExaminedError{reason, err}
	}
	at, reason := pl.enter(x.ctx, pl.accountOf(x))
	if reason != "" {
		return &NotExaminedError{Reason: reason}
	}
	ex.also(at.leave)
	w := work{x: x, header: resp.Header, coded: coded, codings: codings}
	src, cost, reason, err := pl.unpack(x.ctx, w, at)
	if reason != "" {
		return &NotExaminedError{reason, err}
	}
	release, err := pl.afford(x.ctx, cost)
	if err != nil {
		return &NotExaminedError{ReasonBusy, err}
	}
	ex.also(release)
	j, reason, err := pl.understand(x.ctx, w, src)
	if reason != "" {
		return &NotExaminedError{reason, err}
	}
	if ex.Evidence, err = pl.explain(x.ctx, w, j.page); err != nil {
		return &NotExaminedError{ReasonModel, err}
	}
	ex.Host, ex.URL, ex.Page, ex.Marking = x.host, x.url, j.page, pl.opts.PolicyOf(x.host).Apply(j.page, j.marking)
	return nil
}

// also has Close call f first.
func (e *Examined) also(f func()) {
	rest := e.release
	e.release = func() { f(); rest() }
}

// explain returns the evidence about a page for whoever asks for it and may see it.
func (pl *Pipeline) explain(ctx context.Context, w work, p *page.Page) ([][]model.Evidence, error) {
	operator, asked := ctx.Value(evidenceKey{}).(bool)
	models, ok := pl.opts.Models.(Explainer)
	if !ok || !asked || pl.shared(w.x) && !operator {
		return nil, nil
	}
	return models.Explain(ctx, w.x.host, p, model.Visit{URL: w.x.url, At: pl.opts.Now()})
}
