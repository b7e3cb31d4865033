// Package natsstore shares host models among replicas through NATS JetStream.
//
// Every replica keeps its models in a local store and learns at once, whether or not there is a server. What each page
// teaches is published as one message, an increment ([model.Incremental]). All replicas add the increments of all
// others in the order of the stream. A model knows which pages it has learned, so a message that comes twice, or a page
// that two replicas have seen, counts once.
//
// The stream has one subject for each host. When the messages of a host have become longer than its model, one replica
// publishes its model as a snapshot that replaces them (a rollup), on condition that no message came in between. So the
// stream has, for each host, a model and what was learned since, and a replica that joins reads it from the start. A
// full stream loses its oldest messages: what was learned about the hosts that nobody has visited for longest.
//
// Without the server, changes wait in a bounded queue, which is saved with the models. Messages are encrypted with a
// key that is derived from the fleet's key; see message.go.
package natsstore

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
)

// Options configure Open. Local, Servers, Key and Detector must be set; the zero value of every other field stands for
// its default.
type Options struct {
	// Local keeps the models of this replica. Close closes it.
	Local cache.Store
	// Servers are the addresses of the servers of one cluster: nats://HOST:PORT, or tls:// to require TLS.
	Servers []string
	// Stream is the name of the stream, which replicas of one fleet share. Default "winnow".
	Stream string
	// Key is the key of the fleet and Detector the name of the detector, as in cache.Options.
	Key      model.Key
	Detector string
	// Credentials is the path of a file with the credentials of a NATS user, empty for none: a file of nsc with the
	// user's JWT and key, the seed of an nkey, NAME:PASSWORD, or a token. It is read at every connection.
	Credentials string
	// TLS is the configuration of TLS, nil for the default.
	TLS *tls.Config
	// State is the path of the file that keeps the position in the stream and unsent changes. Empty keeps none, so the
	// whole stream is read again at every start.
	State string
	// StreamBytes bounds a stream that this replica creates. Default 1 GiB. An existing stream stays as it is.
	StreamBytes int64
	// UnsentBytes bounds the changes that wait for the server. Default 64 MiB.
	UnsentBytes int64
	// Logger logs failures. Default: nothing is logged.
	Logger *slog.Logger

	// dial replaces the connections of the client, for tests.
	dial nats.CustomDialer
	// compactBytes is the least size of the messages of a host that a snapshot replaces.
	compactBytes int
}

func (o Options) withDefaults() Options {
	if o.Stream == "" {
		o.Stream = "winnow"
	}
	if o.StreamBytes <= 0 {
		o.StreamBytes = 1 << 30
	}
	if o.UnsentBytes <= 0 {
		o.UnsentBytes = 64 << 20
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.compactBytes <= 0 {
		o.compactBytes = 64 << 10
	}
	return o
}

// Store is a [cache.Shared] on top of a local store. It is safe for concurrent use.
type Store struct {
	cache.Store // the local one
	opt         Options
	codec       *codec
	origin      uint64
	conn        *nats.Conn
	js          jetstream.JetStream
	outbox      *outbox
	stop        context.CancelFunc // ends the publisher
	working     sync.WaitGroup
	// endSession ends the session that follows the stream. The next one finds out what has become of the stream.
	endSession atomic.Pointer[context.CancelCauseFunc]

	// published, applied count changes.
	published, applied atomic.Uint64
	// rewound says that the local store has lost its models, so that the stream must be read from the start.
	rewound atomic.Bool

	closing   sync.Once
	closeErr  error
	saving    sync.Mutex // one write of the state at a time
	savedLast state      // guarded by saving; without unsent
	savedBox  uint64     // the version of the outbox that was saved; guarded by saving

	mu       sync.Mutex
	link     link
	stream   int64
	position uint64
	behind   uint64
	skipped  map[string]uint64
	// hosts are the newest messages of each host, by subject. They are bounded: see maxHosts.
	hosts   *simplelru.LRU[string, hostState]
	replays replays
}

// link is the state of the exchange. Store.mu guards it.
type link struct {
	// ready says that the stream was found to be this fleet's and is being followed.
	ready bool
	since time.Time
	// follow and publish are the last errors, nil after success.
	follow, publish error
}

// Interface guards.
var (
	_ cache.Shared  = (*Store)(nil)
	_ cache.Bounded = (*Store)(nil)
)

// ErrOptions says that the options can't be right, whatever the server says.
var ErrOptions = errors.New("this can't be a shared store")

// Open returns a store that connects in the background, so that a replica starts without the server too. It fails for
// invalid options and for a state or credentials that can't be read.
func Open(o Options) (_ *Store, err error) {
	o = o.withDefaults()
	if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`).MatchString(o.Stream) {
		return nil, fmt.Errorf("%w: the stream %.80q: give a name of letters, digits, - and _", ErrOptions, o.Stream)
	}
	s := &Store{Store: o.Local, opt: o, outbox: newOutbox(o.UnsentBytes), skipped: map[string]uint64{}}
	s.link.since = time.Now()
	s.endSession.Store(new(context.CancelCauseFunc(func(error) {})))
	var origin [8]byte
	rand.Read(origin[:]) // crypto/rand.Read never fails: it aborts the program instead
	s.origin = binary.LittleEndian.Uint64(origin[:])
	if s.codec, err = newCodec(o.Key, o.Stream, o.Detector); err != nil {
		return nil, err
	}
	if s.hosts, err = simplelru.NewLRU[string, hostState](maxHosts, nil); err != nil {
		return nil, err
	}
	if s.replays, err = newReplays(); err != nil {
		return nil, err
	}
	if err := s.restore(); err != nil {
		return nil, err
	}
	if s.conn, s.js, err = s.connect(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	s.working.Go(func() { s.publishAll(ctx) })
	return s, nil
}

// restore reads the state. Without it, or with one of another version, the stream is read from the start, which counts
// nothing twice.
func (s *Store) restore() error {
	if s.opt.State == "" {
		return nil
	}
	st, err := loadState(s.opt.State)
	if errors.Is(err, errState) {
		s.opt.Logger.Error("what was to be sent to the fleet is lost", "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	stored, err := s.Store.List(context.Background())
	if err != nil {
		return fmt.Errorf("list the local models: %w", err)
	}
	if len(stored) == 0 {
		st.position = 0 // the models that it stood for are gone
	}
	s.stream, s.position = st.stream, st.position
	for subject, generation := range st.generations {
		s.replays.applied.Add(subject, generation)
	}
	for _, u := range st.unsent {
		s.outbox.put(u)
	}
	s.savedLast = state{stream: st.stream, position: st.position, generations: st.generations}
	_, s.savedBox = s.outbox.all()
	return nil
}

// Load implements cache.Store.
func (s *Store) Load(ctx context.Context, host string) ([]byte, error) {
	b, err := s.Store.Load(ctx, host)
	s.noteReset(err)
	return b, err
}

// Save implements cache.Store. It saves the unsent changes first, so that the fleet gets everything that this replica
// still knows after a crash.
func (s *Store) Save(ctx context.Context, models map[string][]byte) error {
	if err := s.saveState(nil); err != nil {
		return err
	}
	err := s.Store.Save(ctx, models)
	s.noteReset(err)
	return err
}

func (s *Store) noteReset(err error) {
	if errors.Is(err, cache.ErrReset) {
		s.rewound.Store(true)
	}
}

// Checkpoint implements cache.Shared.
func (s *Store) Checkpoint() (saved func(context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := state{stream: s.stream, position: s.position, generations: s.replays.generations()}
	return func(context.Context) error { return s.saveState(&at) }
}

// saveState saves the unsent changes and, if there is a new one, the position. It writes nothing when nothing changed.
func (s *Store) saveState(at *state) error {
	if s.opt.State == "" {
		return nil
	}
	s.saving.Lock()
	defer s.saving.Unlock()
	queue, version := s.outbox.all()
	next := s.savedLast
	if at != nil {
		next = *at
	}
	if version == s.savedBox && next.stream == s.savedLast.stream && next.position == s.savedLast.position {
		return nil
	}
	full := next
	full.unsent = queue
	if err := full.save(s.opt.State); err != nil {
		return err
	}
	s.savedLast, s.savedBox = next, version
	return nil
}

// Size implements cache.Bounded for the local store.
func (s *Store) Size() (bytes, limit int64) {
	if b, ok := s.Store.(cache.Bounded); ok {
		return b.Size()
	}
	return 0, 0
}

// Evicted implements cache.Bounded for the local store.
func (s *Store) Evicted() uint64 {
	if b, ok := s.Store.(cache.Bounded); ok {
		return b.Evicted()
	}
	return 0
}

// closeTimeout is how long Close waits for the server to acknowledge the last changes.
const closeTimeout = 3 * time.Second

// Close sends what it can within a few seconds, saves the rest, and closes the local store. A second Close does
// nothing.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.lastSend()
		s.stop()
		s.conn.Close()
		s.working.Wait()
		s.closeErr = errors.Join(s.saveState(nil), s.Store.Close())
	})
	return s.closeErr
}

// lastSend waits until the changes are sent, as long as the server acknowledges them.
func (s *Store) lastSend() {
	for end := time.Now().Add(closeTimeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if n, _, _ := s.outbox.size(); n == 0 || !s.Sharing().Connected {
			return
		}
	}
}
