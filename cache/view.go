package cache

import (
	"context"
	"fmt"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// View calls f with the model of host, so that people can inspect it. f may only call methods that read, and must not
// keep the model. Marks of the host run concurrently; learning waits. View returns ErrNotFound (wrapped) when nothing
// was learned of host, ErrPanic when f panics, otherwise the error of f.
func (m *Models) View(ctx context.Context, host string, f func(model.Host) error) error {
	err := retryDiscarded(func() error {
		e, err := m.entry(ctx, host)
		if err != nil {
			return err
		}
		return m.view(e, f)
	})
	if err != nil {
		return fmt.Errorf("view the model of %.60q: %w", host, err)
	}
	return nil
}

func (m *Models) view(e *entry, f func(model.Host) error) (err error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.model == nil {
		return errDiscarded
	}
	panicked := m.contain("view", e.host, func() {
		if s := e.model.Stats(); s.Pages == 0 && s.Taught == 0 {
			err = ErrNotFound
			return
		}
		err = f(e.model)
	})
	if panicked != nil {
		return panicked
	}
	return err
}

// Explain returns what the verdicts about a page of host rest on, block by block; nil where the detector can't say. It
// fails as Mark does.
func (m *Models) Explain(ctx context.Context, host string, p *page.Page, v model.Visit) (evidence [][]model.Evidence, err error) {
	err = retryDiscarded(func() error {
		e, err := m.entry(ctx, host)
		if err != nil {
			return err
		}
		e.mu.RLock()
		defer e.mu.RUnlock()
		if e.model == nil {
			return errDiscarded
		}
		if explainer, ok := e.model.(model.Explainer); ok {
			return m.contain("explain", host, func() { evidence = explainer.Explain(p, v) })
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("explain a page of %.60q: %w", host, err)
	}
	return evidence, nil
}
