package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
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
	job      *Job
}

// Close gives back what the page has of memory and processors. It must be called once, when nobody looks at it any
// more.
func (e *Examined) Close() {
	if e.job == nil { // it was made elsewhere, and has nothing
		return
	}
	e.job.giveBack()
	if e.job.place != nil {
		e.job.place.leave()
	}
	_ = e.job.resp.Body.Close() // nobody reads it any more
}

// Explainer is an optional interface of Models that can say what verdicts rest on. *cache.Models implements it.
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
	x := &Job{pl: pl, request: request{ctx: ctx, client: client, unlearned: true}, work: &work{resp: resp, within: ctx}}
	ex := &Examined{job: x}
	err := model.Contain(func() error { return x.examine(ex) })
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
func (x *Job) examine(ex *Examined) error {
	if err := x.locate(x.resp.Request.URL); err != nil {
		return &NotExaminedError{ReasonModel, err}
	}
	if reason, err := x.run(examining()); reason != "" {
		return &NotExaminedError{reason, err}
	}
	var err error
	if ex.Evidence, err = x.explain(); err != nil {
		return &NotExaminedError{ReasonModel, err}
	}
	ex.Host, ex.URL, ex.Page, ex.Marking = x.host, x.url, x.page, x.pl.opts.PolicyOf(x.host).Apply(x.page, x.marking)
	return nil
}

// explain returns the evidence about the page for whoever asks for it and may see it.
func (x *Job) explain() ([][]model.Evidence, error) {
	operator, asked := x.ctx.Value(evidenceKey{}).(bool)
	models, ok := x.pl.opts.Models.(Explainer)
	if !ok || !asked || x.shared() && !operator {
		return nil, nil
	}
	return models.Explain(x.ctx, x.host, x.page, model.Visit{URL: x.url, At: x.pl.opts.Now()})
}
