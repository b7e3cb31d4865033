package natsstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/winnow-proxy/winnow/cache"
)

const (
	// atOnce is the number of messages on the way to the server at once.
	atOnce = 64
	// retryLeast and retryMost are the first and the longest time between two attempts.
	retryLeast = 100 * time.Millisecond
	retryMost  = 15 * time.Second
)

// Publish implements cache.Shared.
func (s *Store) Publish(c cache.Change) {
	subject := s.codec.subject(c.Host)
	m := message{kind: c.Kind, origin: s.origin, host: c.Host, value: c.Value}
	s.number(subject, &m)
	s.outbox.put(unsent{id: nuid.Next(), subject: subject, kind: c.Kind, data: s.codec.seal(m)})
}

// publishAll sends the unsent changes until ctx ends.
func (s *Store) publishAll(ctx context.Context) {
	wait := retryLeast
	for {
		var err error
		batch := s.outbox.next(atOnce)
		if len(batch) > 0 && s.isReady() {
			err = s.send(ctx, batch)
			s.noteError(&s.link.publish, err)
		}
		switch {
		case len(batch) == 0: // wait for more
			select {
			case <-ctx.Done():
				return
			case <-s.outbox.wake:
			}
			continue
		case err != nil:
			wait = min(2*wait, retryMost)
		default:
			wait = retryLeast
		}
		if err == nil && s.isReady() {
			continue
		}
		if !sleep(ctx, wait) {
			return
		}
	}
}

// sleep returns false when ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// send publishes changes and removes those that the server acknowledges. The others stay: when they are sent again, the
// server recognises them by their ID, and the models by their pages.
func (s *Store) send(ctx context.Context, batch []unsent) (failed error) {
	futures := make([]jetstream.PubAckFuture, len(batch))
	for i, u := range batch {
		f, err := s.js.PublishMsgAsync(u.message(), jetstream.WithMsgID(u.id), jetstream.WithExpectStream(s.opt.Stream))
		if errors.Is(err, nats.ErrMaxPayload) {
			s.outbox.drop(u.id)
		}
		if err != nil {
			failed = err
			break
		}
		futures[i] = f
	}
	done := map[string]bool{}
	for i, f := range futures {
		if f == nil {
			break
		}
		select {
		case <-f.Ok():
			done[batch[i].id] = true
			s.published.Add(1)
		case err := <-f.Err():
			failed = err
		case <-ctx.Done():
			failed = ctx.Err()
		}
	}
	s.outbox.remove(done)
	if failed != nil {
		return fmt.Errorf("send changes: %w", s.sayFull(failed))
	}
	return nil
}

// message returns u as a message. A change that no earlier one can undo removes those before it.
func (u unsent) message() *nats.Msg {
	m := nats.NewMsg(u.subject)
	m.Data = u.data
	if u.inOrder() {
		rollUp(m)
	}
	return m
}

// rollUp makes the server remove all messages with the subject of m that are before it.
func rollUp(m *nats.Msg) { m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject) }
