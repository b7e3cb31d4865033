package natsstore

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
)

func newTestCodec(t testing.TB, key model.Key) *codec {
	t.Helper()
	c, err := newCodec(key, "winnow", "lines")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMessages(t *testing.T) {
	c := newTestCodec(t, fleetKey())
	m := message{kind: snapshot, origin: 7, counter: 300, generation: 2, covers: math.MaxUint64, host: "a.example", value: []byte("value")}
	b := c.seal(m)
	if got, err := c.open(c.subject(m.host), b); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v became %+v (%v)", m, got, err)
	}
	if bytes.Contains(b, []byte("example")) || bytes.Contains(b, []byte("value")) || bytes.Contains([]byte(c.subject(m.host)), []byte("example")) {
		t.Error("a message shows its content")
	}
	if bytes.Equal(b, c.seal(m)) {
		t.Error("two messages are equal")
	}
	newer := bytes.Clone(b)
	newer[len(messageMagic)]++
	other := newTestCodec(t, model.Key{9})
	for name, tt := range map[string]struct {
		subject string
		b       []byte
		want    error
	}{
		"nothing":      {c.subject(m.host), nil, errDamaged},
		"garbage":      {c.subject(m.host), []byte("garbage that is longer than the head of a message"), errDamaged},
		"cut":          {c.subject(m.host), b[:len(b)-1], errDamaged},
		"another host": {c.subject("b.example"), b, errDamaged},
		"newer":        {c.subject(m.host), newer, errVersion},
		"another key":  {c.subject(m.host), other.seal(m), errKey},
		"another kind": {c.subject(m.host), c.seal(message{kind: 77, host: m.host}), errVersion},
		"a long host":  {c.subject(string(make([]byte, 400))), c.seal(message{kind: 1, host: string(make([]byte, 400))}), errDamaged},
	} {
		if _, err := c.open(tt.subject, tt.b); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

func TestStates(t *testing.T) {
	want := state{stream: -1, position: 5, generations: map[string]uint64{"winnow.c": 3, "winnow.d": 1}, unsent: []unsent{{"id", "winnow.a", cache.Learned, []byte("data")}, {"2", "winnow.b", cache.Forgotten, []byte{}}}}
	b := want.encode()
	if got, err := readState(b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v became %+v (%v)", want, got, err)
	}
	for i := range b {
		bad := bytes.Clone(b)
		bad[i] ^= 1
		if _, err := readState(bad); !errors.Is(err, errState) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
}

// Messages that nobody of the fleet has made are counted and skipped.
func TestGarbage(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	a, b := join(t, settings{}, s), join(t, settings{}, s)
	settle(t, a, b)
	stranger, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	good := a.store.codec.seal(message{kind: cache.Learned, host: "a.example", value: []byte("no model")})
	for _, data := range [][]byte{nil, []byte("garbage"), bytes.Repeat([]byte("WNFL"), 1000), good, newTestCodec(t, model.Key{9}).seal(message{kind: 1})} {
		if err := stranger.Publish(a.store.codec.subject("a.example"), data); err != nil {
			t.Fatal(err)
		}
	}
	if err := stranger.Flush(); err != nil {
		t.Fatal(err)
	}
	a.learn("a.example", 1)
	awaitPages(t, "a.example", 1, a, b)
	settle(t, a, b)
	got := b.store.Sharing().Skipped
	if got["damaged"] != 2 || got["version"] != 1 || got["format"] != 1 || got["key"] != 1 {
		t.Errorf("skipped %v", got)
	}
}

func FuzzOpen(f *testing.F) {
	c := newTestCodec(f, fleetKey())
	f.Add(c.seal(message{kind: cache.Learned, host: "a.example", value: []byte("value")}))
	f.Add([]byte(messageMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := c.open(c.subject("a.example"), b); err == nil && m.host != "a.example" {
			t.Errorf("a message of %q", m.host)
		}
		if m, err := readMessage(b); err == nil && len(m.host)+len(m.value) > len(b) {
			t.Errorf("%+v is more than %d bytes", m, len(b))
		}
	})
}

func FuzzReadState(f *testing.F) {
	f.Add(state{stream: 1, position: 2, unsent: []unsent{{"id", "subject", cache.Learned, []byte("data")}}}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := readState(b); err == nil {
			if again, err := readState(s.encode()); err != nil || !reflect.DeepEqual(again, s) {
				t.Errorf("%+v became %+v (%v)", s, again, err)
			}
		}
	})
}
