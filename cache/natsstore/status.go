package natsstore

import (
	"log/slog"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnow-proxy/winnow/cache"
)

// Sharing implements cache.Shared.
func (s *Store) Sharing() cache.Sharing {
	unsent, bytes, dropped := s.outbox.size()
	s.mu.Lock()
	defer s.mu.Unlock()
	sharing := cache.Sharing{Server: s.server(), Stream: s.opt.Stream, Connected: s.link.ready, Since: s.link.since.UTC(), Behind: s.behind,
		Unsent: unsent, UnsentBytes: bytes, Sent: s.published.Load(), Applied: s.applied.Load(), Dropped: dropped, Skipped: maps.Clone(s.skipped)}
	for _, err := range []error{s.link.follow, s.link.publish} {
		if err != nil && sharing.Error == "" {
			sharing.Error = err.Error()
		}
	}
	return sharing
}

// server is the address of the server in use, or of all servers while there is none, without credentials.
func (s *Store) server() string {
	if at, err := url.Parse(s.conn.ConnectedUrlRedacted()); err == nil && at.Host != "" {
		return at.Scheme + "://" + at.Host
	}
	return strings.Join(s.opt.Servers, ",")
}

func (s *Store) isReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link.ready
}

// noteLink records that the exchange has begun, or why it has ended.
func (s *Store) noteLink(ready bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link.ready != ready {
		s.link.ready, s.link.since = ready, time.Now()
	}
	s.changed(&s.link.follow, err, "models are not shared with other replicas: this one goes on learning")
}

// noteError records the outcome of an operation: its error, or nil.
func (s *Store) noteError(of *error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed(of, err, "changes can't be exchanged with other replicas: they wait")
}

// changed logs an error that is another one than before, or the end of an error. The caller holds s.mu.
func (s *Store) changed(of *error, err error, what string) {
	before := *of
	*of = err
	switch {
	case err != nil && (before == nil || before.Error() != err.Error()):
		s.opt.Logger.Warn(what, slog.String("stream", s.opt.Stream), slog.Any("error", err))
	case err == nil && before != nil:
		s.opt.Logger.Info("models are shared with other replicas again", slog.String("stream", s.opt.Stream))
	}
}

// noteMessage records that a message was applied, or why it was skipped.
func (s *Store) noteMessage(meta *jetstream.MsgMetadata, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.position, s.behind = meta.Sequence.Stream, meta.NumPending
	if err == nil {
		return
	}
	reason := reasonOf(err)
	if s.skipped[reason]++; s.skipped[reason] == 1 {
		s.opt.Logger.Warn("a message of another replica can't be used: it is skipped, and others like it are only counted",
			slog.String("stream", s.opt.Stream), slog.String("reason", reason), slog.Any("error", err))
	}
}
