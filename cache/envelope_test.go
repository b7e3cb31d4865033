package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
)

func anyEnvelope(t *rapid.T) envelope {
	e := envelope{
		detector: rapid.String().Draw(t, "detector"), keyID: rapid.Uint64().Draw(t, "keyID"),
		host: rapid.String().Draw(t, "host"), Summary: Summary{
			Pages: rapid.IntMin(0).Draw(t, "pages"), Uses: rapid.Uint64().Draw(t, "uses"), Client: rapid.Uint64().Draw(t, "client"),
		},
		model: rapid.SliceOf(rapid.Byte()).Draw(t, "model"),
	}
	if rapid.Bool().Draw(t, "seen") {
		e.LastSeen = time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "lastSeen"), 0).UTC()
	}
	return e
}

func TestEnvelopeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyEnvelope(t)
		got, err := openEnvelope(want.seal())
		if err != nil {
			t.Fatal(err)
		}
		if got.detector != want.detector || got.keyID != want.keyID || got.host != want.host || got.Summary != want.Summary ||
			!bytes.Equal(got.model, want.model) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if d := Describe(want.seal()); d != want.Summary {
			t.Fatalf("described as %+v, want %+v", d, want.Summary)
		}
	})
}

// Values of earlier versions of winnow can be read.
func TestVersionOneIsRead(t *testing.T) {
	b := []byte("WNMD\x01\x03sst\x01\x00\x00\x00\x00\x00\x00\x00\x09a.example\x07\x02model")
	b = binary.LittleEndian.AppendUint32(b, checksum(b))
	e, err := openEnvelope(b)
	want := Summary{Pages: 7, LastSeen: time.Unix(1, 0).UTC()}
	if err != nil || e.host != "a.example" || e.Summary != want || string(e.model) != "model" || Describe(b) != want {
		t.Errorf("read %+v (%v)", e, err)
	}
}

func TestDamagedEnvelopeIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := anyEnvelope(t).seal()
		at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		b[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		if _, err := openEnvelope(b); !errors.Is(err, model.ErrFormat) {
			t.Fatalf("error %v, want ErrFormat", err)
		}
		if _, err := openEnvelope(b[:at]); !errors.Is(err, model.ErrFormat) {
			t.Fatalf("cut short: error %v, want ErrFormat", err)
		}
	})
}

// Input with the right checksum can still be hostile.
func FuzzOpenEnvelope(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("WNMD\x01"))
	good := envelope{detector: "sst", keyID: 1, host: "a.example", Summary: Summary{Pages: 3}, model: []byte("model")}.seal()
	f.Add(good[:len(good)-4])
	f.Fuzz(func(t *testing.T, b []byte) {
		b = append(b, 0, 0, 0, 0)
		sum := checksum(b[:len(b)-4])
		for i := range 4 {
			b[len(b)-4+i] = byte(sum >> (8 * i))
		}
		e, err := openEnvelope(b)
		if err != nil {
			if !errors.Is(err, model.ErrFormat) {
				t.Fatalf("error %v, want ErrFormat", err)
			}
			return
		}
		again, err := openEnvelope(e.seal())
		if err != nil || again.host != e.host || again.Summary != e.Summary || !bytes.Equal(again.model, e.model) {
			t.Fatalf("%+v reads back as %+v (%v)", e, again, err)
		}
	})
}
