package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/taught"
)

// ErrNoLesson says that there is no lesson with this key, or that no lesson can single out a part of a page.
var ErrNoLesson = errors.New("no such lesson")

// Propose returns the lesson that element e of a page of host is noise or content. It changes nothing. marking is what
// Mark returned for the page. It returns ErrNoLesson (wrapped) for parts that no lesson can single out.
func (m *Models) Propose(ctx context.Context, host string, p *page.Page, marking *page.Marking, e page.ElementID, v taught.Verdict,
	at time.Time) (l taught.Lesson, err error) {
	err = m.readTaught(ctx, host, func(h *taught.Host) error {
		var ok bool
		if l, ok = h.Propose(p, marking, e, v, at); !ok {
			return ErrNoLesson
		}
		return nil
	})
	if err != nil {
		return l, fmt.Errorf("propose a lesson for %.60q: %w", host, err)
	}
	return l, nil
}

// Lessons lists the lessons in force for host, the newest first.
func (m *Models) Lessons(ctx context.Context, host string) (lessons []taught.Lesson, err error) {
	err = m.readTaught(ctx, host, func(h *taught.Host) error {
		lessons = h.Lessons()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the lessons of %.60q: %w", host, err)
	}
	return lessons, nil
}

// Teach adds a lesson to the model of host. It applies to every page that is marked after Teach has returned. The
// caller must check the right to teach, because a lesson admits the host to the store.
func (m *Models) Teach(ctx context.Context, host string, l taught.Lesson) error {
	return m.changeLessons(ctx, host, func(h *taught.Host) error {
		h.Teach(l)
		return nil
	})
}

// Revoke revokes the lesson with the key. It returns ErrNoLesson (wrapped) when there is none.
func (m *Models) Revoke(ctx context.Context, host string, key uint64, at time.Time) error {
	return m.changeLessons(ctx, host, func(h *taught.Host) error {
		if !h.Revoke(key, at.UnixMilli()) {
			return ErrNoLesson
		}
		return nil
	})
}

// Taught returns a fingerprint of the lessons for host. It is 0 without lessons and for a model that is not in memory.
// It is cheap.
func (m *Models) Taught(host string) uint64 {
	m.mu.Lock()
	e, ok := m.entries.Peek(host)
	m.mu.Unlock()
	if !ok {
		return 0
	}
	return e.taught.Load()
}

func (m *Models) changeLessons(ctx context.Context, host string, change func(*taught.Host) error) error {
	err := m.inTurn(ctx, host, func(ctx context.Context) error {
		err := retryDiscarded(func() error {
			e, err := m.acquire(ctx, host)
			if err != nil {
				return err
			}
			defer m.release(e)
			if err := m.changeTaught(e, change); err != nil {
				return err
			}
			return m.publishLessons(e)
		})
		m.makeRoom(ctx, true)
		return err
	})
	if err != nil {
		return fmt.Errorf("teach the model of %.60q: %w", host, err)
	}
	return nil
}

func (m *Models) changeTaught(e *entry, change func(*taught.Host) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	h, ok := e.model.(*taught.Host)
	if !ok {
		return errDiscarded
	}
	var refused error
	if err := m.contain("teach", e.host, func() { refused = change(h) }); err != nil || refused != nil {
		return cmp.Or(err, refused)
	}
	e.noteTaught()
	var stats model.Stats
	err := m.contain("stats", e.host, func() { stats = h.Stats() })
	m.mu.Lock()
	defer m.mu.Unlock()
	e.changes++
	e.trusted = true
	m.epoch++
	if err == nil {
		m.resize(e, stats)
	}
	return err
}

// readTaught calls f with the model of host, whether or not it has learned something.
func (m *Models) readTaught(ctx context.Context, host string, f func(*taught.Host) error) error {
	return retryDiscarded(func() error {
		e, err := m.entry(ctx, host)
		if err != nil {
			return err
		}
		e.mu.RLock()
		defer e.mu.RUnlock()
		h, ok := e.model.(*taught.Host)
		if !ok {
			return errDiscarded
		}
		panicked := m.contain("teach", host, func() { err = f(h) })
		return errors.Join(panicked, err)
	})
}
