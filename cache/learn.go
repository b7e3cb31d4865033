package cache

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// job is a page to learn or, with run set, another task of the learner.
type job struct {
	host  string
	page  *page.Page
	visit model.Visit
	// client is a keyed hash of the client that requested the page, 0 where it is not known.
	client uint64
	run    func()
}

func (j job) bytes() int64 {
	if j.page == nil {
		return 0
	}
	return int64(len(j.page.Source))
}

// Learn queues the page for the model of host and never blocks. When the queue is full or the Models are closed, it
// returns false and counts the page as dropped. The caller must not change p afterwards.
func (m *Models) Learn(host string, p *page.Page, v model.Visit) bool {
	return m.LearnFrom("", host, p, v)
}

// LearnFrom is Learn for a caller that can tell its clients apart. client identifies one of them, in any form; only a
// keyed hash of it is kept. A model counts towards the quota of the client that taught it first.
func (m *Models) LearnFrom(client, host string, p *page.Page, v model.Visit) bool {
	j := job{host: host, page: p, visit: v}
	if client != "" {
		j.client = m.opt.Key.Hasher().String("client " + client)
	}
	if m.enqueue(j) {
		return true
	}
	m.count.dropped.Add(1)
	return false
}

func (m *Models) enqueue(j job) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	full := m.queueBytes > 0 && m.queueBytes+j.bytes() > m.opt.QueueBytes
	if m.closed || full || checkHost(j.host) != nil {
		return false
	}
	select {
	case m.queue(j.host) <- j:
		m.queueBytes += j.bytes()
		return true
	default:
		return false
	}
}

// queue returns the queue of host. It is always the same one, so that the pages of a host are learned in order.
func (m *Models) queue(host string) chan job {
	return m.queues[maphash.String(m.seed, host)%uint64(len(m.queues))]
}

func (m *Models) learnFrom(queue <-chan job) {
	for {
		select {
		case <-m.stop:
			return
		case j := <-queue:
			m.dequeued(j)
			if j.run != nil {
				j.run()
			} else {
				m.learn(j)
			}
		}
	}
}

func (m *Models) dequeued(j job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queueBytes -= j.bytes()
}

func (m *Models) learn(j job) {
	ctx, cancel := context.WithTimeout(m.ctx, saveTimeout)
	defer cancel()
	err := retryDiscarded(func() error {
		e, err := m.acquire(ctx, j.host)
		if err != nil {
			return err
		}
		defer m.release(e)
		return m.observe(e, j)
	})
	if err != nil {
		m.count.dropped.Add(1)
		return
	}
	m.makeRoom(ctx, true)
}

// dropQueued counts the pages that were still queued when the learners stopped.
func (m *Models) dropQueued() {
	for _, q := range m.queues {
		for len(q) > 0 {
			if j := <-q; j.run == nil {
				m.dequeued(j)
				m.count.dropped.Add(1)
			}
		}
	}
}

// Drain returns when every page that Learn accepted before the call has been learned, or when ctx ends.
func (m *Models) Drain(ctx context.Context) error {
	if err := m.begin(); err != nil {
		return fmt.Errorf("drain the learning queue: %w", err)
	}
	defer m.calls.Done()
	return m.barrier(ctx)
}

// barrier waits until the learners reach the current end of their queues.
func (m *Models) barrier(ctx context.Context) error {
	reached := make(chan struct{}, len(m.queues))
	for _, q := range m.queues {
		select {
		case q <- job{run: func() { reached <- struct{}{} }}:
		case <-ctx.Done():
			return fmt.Errorf("drain the learning queue: %w", ctx.Err())
		}
	}
	for range m.queues {
		select {
		case <-reached:
		case <-ctx.Done():
			return fmt.Errorf("drain the learning queue: %w", ctx.Err())
		}
	}
	return nil
}

// inTurn runs f on the learner of host, after the pages queued before, and returns its error. Nothing else changes the
// host's model meanwhile. When ctx ends first, f may still run later.
func (m *Models) inTurn(ctx context.Context, host string, f func(context.Context) error) error {
	if err := checkHost(host); err != nil {
		return err
	}
	if err := m.begin(); err != nil {
		return err
	}
	defer m.calls.Done()
	result := make(chan error, 1)
	select {
	case m.queue(host) <- job{run: func() { result <- f(ctx) }}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return errors.Join(ctx.Err(), errors.New("it may still happen"))
	}
}
