package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
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
// the same limits as cleaning does, learns nothing, and closes the body.
func (pl *Pipeline) Examine(ctx context.Context, client string, resp *http.Response) (*Examined, error) {
	defer resp.Body.Close()
	if reason := responseReason(resp); reason != "" {
		return nil, &NotExaminedError{Reason: reason}
	}
	codings, known := contentCodings(resp.Header)
	if !known {
		return nil, &NotExaminedError{Reason: ReasonCoding}
	}
	u := *resp.Request.URL
	host, err := hostname.SiteOf(&u)
	if err != nil {
		return nil, &NotExaminedError{ReasonModel, err}
	}
	limit := int64(pl.opts.Limits.Body)
	coded, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return nil, &NotExaminedError{ReasonTruncated, err}
	case int64(len(coded)) > limit:
		return nil, &NotExaminedError{Reason: ReasonTooLarge}
	}
	leave, reason := pl.enter(ctx, client)
	if reason != "" {
		return nil, &NotExaminedError{Reason: reason}
	}
	defer leave()
	u.Host, u.User, u.Fragment, u.RawFragment = host, nil, "", ""
	x := &Job{ctx: ctx, client: client, host: host, url: u.String(), unlearned: true}
	var ex *Examined
	err = model.Contain(func() (err error) {
		ex, err = pl.examine(ctx, work{x, resp.Header, coded, codings})
		return err
	})
	if p := (*model.PanicError)(nil); errors.As(err, &p) {
		err = &NotExaminedError{ReasonPanic, err}
	}
	return ex, err
}

func (pl *Pipeline) examine(ctx context.Context, w work) (*Examined, error) {
	src, reason, err := pl.decode(w)
	if reason != "" {
		return nil, &NotExaminedError{reason, err}
	}
	if cost := page.Cost(src); pl.parsing.Acquire(ctx, cost) == nil {
		defer pl.parsing.Release(cost)
	} else {
		return nil, &NotExaminedError{Reason: ReasonBusy}
	}
	j, reason, err := pl.understand(ctx, w, src)
	if reason != "" {
		return nil, &NotExaminedError{reason, err}
	}
	marking := pl.opts.PolicyOf(w.x.host).Apply(j.page, j.marking)
	evidence, err := pl.explain(ctx, w, j.page)
	if err != nil {
		return nil, &NotExaminedError{ReasonModel, err}
	}
	return &Examined{Host: w.x.host, URL: w.x.url, Page: j.page, Marking: marking, Evidence: evidence}, nil
}

// explain returns the evidence about a page for whoever asks for it and may see it.
func (pl *Pipeline) explain(ctx context.Context, w work, p *page.Page) ([][]model.Evidence, error) {
	operator, asked := ctx.Value(evidenceKey{}).(bool)
	models, ok := pl.opts.Models.(Explainer)
	if !ok || !asked || pl.opts.Shared && !operator {
		return nil, nil
	}
	return models.Explain(ctx, w.x.host, p, model.Visit{URL: w.x.url, At: pl.opts.Now()})
}
