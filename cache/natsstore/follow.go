package natsstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
)

const (
	// ahead bounds the messages that the client holds for a replica that does not keep up.
	ahead = 4 << 20
	// heartbeat is how often the server says that it is there while there are no messages.
	heartbeat = 2 * time.Second
	// maxHosts bounds hostState.
	maxHosts = 1 << 16
	// compactAfter is the least number of messages that a snapshot replaces.
	compactAfter = 8
)

// hostState is what was seen of the messages of one host.
type hostState struct {
	// last is the sequence of the newest one.
	last uint64
	// messages and bytes are those since the newest snapshot, which had the size snapshot.
	messages, bytes, snapshot int
}

// errLost says that the connection ended.
var errLost = errors.New("the connection to the server is lost")

// errAgain says that a message must be applied again.
var errAgain = errors.New("a host could not be forgotten")

// Follow implements cache.Shared.
func (s *Store) Follow(ctx context.Context, r cache.Replica) {
	wait := retryLeast
	for ctx.Err() == nil {
		began := time.Now()
		err := s.session(ctx, r)
		if ctx.Err() != nil {
			return
		}
		s.noteLink(false, err)
		if time.Since(began) > retryMost {
			wait = retryLeast
		}
		if !s.conn.IsConnected() {
			wait = retryLeast // the client waits
		}
		sleep(ctx, wait)
		wait = min(2*wait, retryMost)
	}
}

// session follows the stream until an error.
func (s *Store) session(ctx context.Context, r cache.Replica) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.endSession.Store(&cancel)
	stream, err := s.findStream(ctx)
	if err != nil {
		return err
	}
	info := stream.CachedInfo()
	f := &follower{s: s, r: r, ctx: ctx, since: s.begin(info.Created.UnixNano(), info.State.LastSeq)}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy,
		OptStartSeq: f.since + 1, InactiveThreshold: time.Minute, MaxResetAttempts: 1})
	if err != nil {
		return fmt.Errorf("follow the stream: %w", err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxBytes(ahead), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return fmt.Errorf("follow the stream: %w", err)
	}
	incoming := s.receive(ctx, messages)
	s.noteLink(true, nil)
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case m := <-incoming:
			if m.err != nil {
				return fmt.Errorf("follow the stream: %w", m.err)
			}
			if err := f.take(m.Msg); err != nil {
				return err
			}
		}
		if s.rewound.Load() {
			return errors.New("the local models were lost: reading the stream from the start")
		}
	}
}

// received is a message or the error that ends a session.
type received struct {
	jetstream.Msg
	err error
}

// receive passes messages on until ctx ends, in a goroutine: a call of the client may last longer than ctx, until the
// connection is closed.
func (s *Store) receive(ctx context.Context, messages jetstream.MessagesContext) <-chan received {
	incoming := make(chan received)
	s.working.Go(func() {
		defer messages.Stop()
		for {
			m, err := messages.Next(jetstream.NextContext(ctx))
			select {
			case <-ctx.Done():
				return
			case incoming <- received{m, err}:
			}
			if err != nil {
				return
			}
		}
	})
	return incoming
}

// begin returns the sequence after which to follow a stream that was created at the given time and ends with last.
func (s *Store) begin(created int64, last uint64) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if created != s.stream || s.position > last || s.rewound.Swap(false) {
		s.stream, s.position = created, 0
		s.hosts.Purge()
		s.replays.counters.Purge()
	}
	s.behind = last - s.position
	return s.position
}

// follower applies the messages of one session.
type follower struct {
	s *Store
	r cache.Replica
	// since is the sequence after which this session has seen every message that was still there.
	since uint64
	ctx   context.Context //nolint:containedctx // a session is one call
}

// take applies one message. What can't be applied is counted and skipped. take fails if ctx ends, and if the store
// can't forget a host now: the message will come again.
func (f *follower) take(msg jetstream.Msg) error {
	meta, err := msg.Metadata()
	if err != nil {
		return fmt.Errorf("follow the stream: %w", err)
	}
	m, err := f.s.codec.open(msg.Subject(), msg.Data())
	if err == nil && f.s.codec.subject(m.host) != msg.Subject() {
		err = errDetector // nobody can have moved it to another host
	}
	if err == nil {
		err = f.apply(msg.Subject(), meta.Sequence.Stream, len(msg.Data()), m)
	}
	if f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	if errors.Is(err, cache.ErrClosed) || errors.Is(err, errAgain) {
		return err
	}
	f.s.noteMessage(meta, err)
	return nil
}

// apply applies one message with its sequence.
func (f *follower) apply(subject string, seq uint64, size int, m message) error {
	if err := f.s.isOld(subject, m); err != nil {
		return err
	}
	h, _ := f.s.hosts.Get(subject)
	change := cache.Change{Kind: m.kind, Host: m.host, Value: m.value}
	own := m.origin == f.s.origin
	late := false
	if m.kind == snapshot {
		// A replica that has seen the message before the snapshot, in this session or before, has seen all that the
		// snapshot replaces.
		late = m.covers > f.since && m.covers > h.last
		if change.Kind = cache.Offered; late {
			change.Kind = cache.Replaced
		}
	}
	h.last, h.messages, h.bytes = seq, h.messages+1, h.bytes+size
	if m.kind == snapshot || m.kind == cache.Replaced || m.kind == cache.Forgotten {
		h.messages, h.bytes, h.snapshot = 0, 0, size
	}
	f.s.hosts.Add(subject, h)
	if own && (m.kind == snapshot || m.kind == cache.Merged) {
		f.s.noteApplied(subject, m)
		return nil // it comes from the model as it is
	}
	if err := f.r.Apply(f.ctx, change); err != nil {
		if m.kind == cache.Forgotten {
			return fmt.Errorf("%w: %w", errAgain, err)
		}
		return err
	}
	f.s.noteApplied(subject, m)
	f.s.applied.Add(1)
	if late || m.kind == cache.Replaced || m.kind == cache.Forgotten {
		return f.learnAgain(subject, m.generation)
	}
	if own && h.messages >= compactAfter && h.bytes >= max(h.snapshot, f.s.opt.compactBytes) {
		f.compact(subject, seq, m.host)
	}
	return nil
}

// learnAgain applies the unsent changes of a host after its model was replaced. They come after it in the stream too;
// those of an older generation are refused there.
func (f *follower) learnAgain(subject string, generation uint64) error {
	var failed error
	for _, u := range f.s.outbox.of(subject) {
		if m, err := f.s.codec.open(subject, u.data); err == nil && m.generation >= generation {
			failed = errors.Join(failed, f.r.Apply(f.ctx, cache.Change{Kind: m.kind, Host: m.host, Value: m.value}))
		}
	}
	return failed
}

// compact replaces the messages of a host with its model, if seq is still the last of them. Otherwise a later message
// will cause the next attempt, here or at the replica that has published it.
func (f *follower) compact(subject string, seq uint64, host string) {
	value, err := f.r.Snapshot(f.ctx, host)
	if err == nil {
		msg := nats.NewMsg(subject)
		m := message{kind: snapshot, origin: f.s.origin, covers: seq, host: host, value: value}
		f.s.number(subject, &m)
		msg.Data = f.s.codec.seal(m)
		rollUp(msg)
		ctx, cancel := context.WithTimeout(f.ctx, callTimeout)
		defer cancel()
		_, err = f.s.js.PublishMsg(ctx, msg, jetstream.WithExpectLastSequencePerSubject(seq), jetstream.WithExpectStream(f.s.opt.Stream))
	}
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
		return
	}
	if err != nil {
		err = fmt.Errorf("send a snapshot: %w", err)
	}
	f.s.noteError(&f.s.link.publish, err)
}

// reasonOf names why a message was skipped.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, errOld):
		return "old"
	case errors.Is(err, errKey):
		return "key"
	case errors.Is(err, errVersion):
		return "version"
	case errors.Is(err, errDamaged):
		return "damaged"
	case errors.Is(err, errDetector), errors.Is(err, model.ErrMismatch):
		return "detector"
	case errors.Is(err, model.ErrFormat):
		return "format"
	}
	return "failed"
}
