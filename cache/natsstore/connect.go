package natsstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnow-proxy/winnow/model"
)

// Times of the connection.
const (
	callTimeout   = 5 * time.Second
	reconnectWait = 500 * time.Millisecond
	// minPayload is what a server must accept in one message: a model of the default limits with its lessons.
	minPayload = 512 << 10
	// clusterReplicas is the number of servers that keep a stream in a cluster, so that one of them may fail.
	clusterReplicas = 3
	// fleetLabel is the metadata of a stream that says whose it is.
	fleetLabel = "winnow-fleet"
)

// errForeign says that a stream belongs to a fleet with another key.
var errForeign = errors.New("the stream belongs to a fleet with another key: give all replicas the same fleet-key, or another name " +
	"at the end of --store")

// clientOptions are those of any connection.
func (s *Store) clientOptions() (nats.Options, error) {
	opts := nats.GetDefaultOptions()
	opts.Servers, opts.Name = s.opt.Servers, "winnow"
	opts.Timeout, opts.CustomDialer = 2*time.Second, s.opt.dial
	opts.TLSConfig, opts.Secure = s.opt.TLS, s.opt.TLS != nil
	if s.opt.Credentials != "" {
		if err := logIn(&opts, s.opt.Credentials); err != nil {
			return opts, fmt.Errorf("%w: credentials: %w", ErrOptions, err)
		}
	}
	return opts, nil
}

// connect starts the connection, which the client keeps up.
func (s *Store) connect() (*nats.Conn, jetstream.JetStream, error) {
	opts, err := s.clientOptions()
	if err != nil {
		return nil, nil, err
	}
	opts.RetryOnFailedConnect, opts.MaxReconnect, opts.ReconnectWait = true, -1, reconnectWait // -1: for ever
	opts.ReconnectBufSize = -1                                                                 // the outbox keeps what is to be sent
	opts.IgnoreAuthErrorAbort = true
	opts.PingInterval, opts.MaxPingsOut = 10*time.Second, 2
	opts.DisconnectedErrCB = func(_ *nats.Conn, err error) {
		s.noteLink(false, cmp.Or(err, errors.New("the connection ended")))
		(*s.endSession.Load())(errLost)
	}
	opts.AsyncErrorCB = func(_ *nats.Conn, _ *nats.Subscription, err error) {
		s.opt.Logger.Warn("client of the NATS server", slog.String("stream", s.opt.Stream), slog.Any("error", err))
	}
	conn, err := opts.Connect()
	if err != nil && conn == nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(callTimeout), jetstream.WithPublishAsyncTimeout(callTimeout))
	if err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("use JetStream: %w", err)
	}
	return conn, js, nil
}

// findStream returns the fleet's stream, and creates it where there is none.
func (s *Store) findStream(ctx context.Context) (jetstream.Stream, error) {
	if !s.conn.IsConnected() {
		return nil, fmt.Errorf("no server answers: %w", cmp.Or(s.conn.LastError(), nats.ErrNoServers))
	}
	if most := s.conn.MaxPayload(); most < minPayload {
		return nil, fmt.Errorf("the server accepts messages of %d bytes only: set its max_payload to 1MB, the default", most)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	stream, err := s.js.Stream(ctx, s.opt.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = s.js.CreateStream(ctx, s.config())
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // by another replica, just now
			stream, err = s.js.Stream(ctx, s.opt.Stream)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the stream %s: %w", s.opt.Stream, s.sayFull(err))
	}
	return stream, s.check(stream.CachedInfo().Config)
}

// sayFull says what to do where the server has no room for the stream or in it. The codes are those of nats-server's
// errors.json: the account's limits, insufficient resources, insufficient storage, a stream that is full and discards
// what is new, and a stream beyond what the account allows one.
func (s *Store) sayFull(err error) error {
	if api := new(jetstream.APIError); errors.As(err, &api) &&
		slices.Contains([]jetstream.ErrorCode{10002, 10023, 10047, 10077, 10122}, api.ErrorCode) {
		return fmt.Errorf("%w: the server has no room: set a smaller fleet-size (now %d MiB) before the stream is made, or give it, or the "+
			"account, more room at the server", err, s.opt.StreamBytes>>20)
	}
	return err
}

func (s *Store) label() string { return strconv.FormatUint(s.codec.keyID, 16) }

// config is the stream that a fleet needs.
func (s *Store) config() jetstream.StreamConfig {
	replicas := 1
	if len(s.conn.Servers()) >= clusterReplicas {
		replicas = clusterReplicas
	}
	return jetstream.StreamConfig{Name: s.opt.Stream, Description: "what a fleet of winnows has learned", Subjects: []string{s.opt.Stream + ".*"},
		Storage: jetstream.FileStorage, Discard: jetstream.DiscardOld, MaxBytes: s.opt.StreamBytes, Replicas: replicas,
		AllowRollup: true, Metadata: map[string]string{fleetLabel: s.label()}}
}

// check refuses a stream that this replica must not use.
func (s *Store) check(c jetstream.StreamConfig) error {
	if of, ok := c.Metadata[fleetLabel]; ok && of != s.label() {
		return errForeign
	}
	if !c.AllowRollup || c.DenyPurge {
		return fmt.Errorf("the stream %s must allow rollups and purges (allow_rollup_hdrs, deny_purge false)", s.opt.Stream)
	}
	if len(c.Subjects) != 1 || c.Subjects[0] != s.opt.Stream+".*" {
		return fmt.Errorf("the stream %s must have the subjects %s.*", s.opt.Stream, s.opt.Stream)
	}
	return nil
}

// Look connects once, looks for the fleet's stream and describes it. It creates nothing. Without a key, it does not
// check whose the stream is.
func Look(ctx context.Context, o Options) (string, error) {
	s := &Store{opt: o.withDefaults()}
	var err error
	if s.codec, err = newCodec(o.Key, s.opt.Stream, o.Detector); err != nil {
		return "", err
	}
	opts, err := s.clientOptions()
	if err != nil {
		return "", err
	}
	conn, err := opts.Connect()
	if err != nil {
		return "", fmt.Errorf("connect to %s: %w", strings.Join(o.Servers, ","), err)
	}
	defer conn.Close()
	s.conn = conn
	js, err := jetstream.New(conn)
	if err != nil {
		return "", fmt.Errorf("use JetStream: %w", err)
	}
	stream, err := js.Stream(ctx, s.opt.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Sprintf("%s answers; winnow serve creates the stream %s", s.server(), s.opt.Stream), nil
	}
	if err != nil {
		return "", fmt.Errorf("open the stream %s: %w", s.opt.Stream, err)
	}
	info := stream.CachedInfo()
	if err := s.check(info.Config); err != nil && (o.Key != model.Key{} || !errors.Is(err, errForeign)) {
		return "", err
	}
	return fmt.Sprintf("%s has the stream %s with %d messages of %d bytes", s.server(), s.opt.Stream, info.State.Msgs, info.State.Bytes), nil
}
