package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// archive is an archive of n records, packed or plain, and where each begins.
func archive(t testing.TB, packed bool, n int) (file []byte, begins []int64) {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		begins = append(begins, int64(b.Len()))
		text := plain(i)
		if !packed {
			b.WriteString(text)
			continue
		}
		b.Write(pack(t, []byte(text)))
	}
	return b.Bytes(), begins
}

// pack returns text as one member of gzip.
func pack(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func plain(i int) string {
	block := fmt.Sprintf("block %d %s", i, strings.Repeat("x", i*100))
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://a.example/%d>\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, len(block), block)
}

// all reads what is left of an archive: the addresses of the records, and the damage.
func all(t testing.TB, r *Reader) (uris []string, damage []error) {
	t.Helper()
	for range 1000 {
		rec, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return uris, damage
		case err != nil:
			damage = append(damage, err)
		default:
			uris = append(uris, strings.TrimPrefix(rec.URI(), "http://a.example/"))
		}
	}
	t.Fatal("the archive does not end")
	return nil, nil
}

func reader(t testing.TB, file io.Reader, from Position) *Reader {
	t.Helper()
	r, err := NewReader(file, from, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReadFromAnyRecord(t *testing.T) {
	for _, packed := range []bool{false, true} {
		file, begins := archive(t, packed, 5)
		r := reader(t, bytes.NewReader(file), Position{})
		for i := range 5 {
			if at := r.Position(); at != (Position{Offset: begins[i]}) {
				t.Errorf("packed %t: record %d is at %v, want %d", packed, i, at, begins[i])
			}
			if rec, err := r.Next(); err != nil || !strings.HasPrefix(string(rec.Block), fmt.Sprintf("block %d ", i)) || rec.Type() != "response" {
				t.Fatalf("packed %t: record %d: %v, %v", packed, i, rec, err)
			}
			again := reader(t, bytes.NewReader(file[begins[i]:]), Position{Offset: begins[i]})
			if uris, damage := all(t, again); len(uris) != 5-i || len(damage) > 0 {
				t.Errorf("packed %t: from record %d: %v, %v", packed, i, uris, damage)
			}
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("after the last record: %v", err)
		}
	}
}

// A file that was packed as a whole is one member: positions count records in it.
func TestOneMember(t *testing.T) {
	text, _ := archive(t, false, 4)
	packed := pack(t, text)
	r := reader(t, bytes.NewReader(packed), Position{})
	for range 2 {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if at := r.Position(); at != (Position{Inside: 2}) {
		t.Errorf("at %v", at)
	}
	if uris, damage := all(t, reader(t, bytes.NewReader(packed), r.Position())); strings.Join(uris, " ") != "2 3" || damage != nil {
		t.Errorf("%v, %v", uris, damage)
	}
}

// What is damaged is named, and all else is read.
func TestDamage(t *testing.T) {
	lie := func(by string) func([]byte, []int64) []byte {
		return func(file []byte, begins []int64) []byte {
			text := strings.Replace(plain(1), "Content-Length: 108", "Content-Length: "+by, 1)
			return append(append(bytes.Clone(file[:begins[1]]), text...), file[begins[2]:]...)
		}
	}
	for name, test := range map[string]struct {
		packed bool
		harm   func(file []byte, begins []int64) []byte
		want   string
	}{
		"truncated member": {true, func(f []byte, b []int64) []byte { return append(bytes.Clone(f[:b[2]-60]), f[b[2]:]...) }, "0 2 3"},
		"overwritten":      {true, func(f []byte, b []int64) []byte { clear(f[b[1]+20 : b[1]+60]); return f }, "0 2 3"},
		"garbage between": {true, func(f []byte, b []int64) []byte {
			return append(append(bytes.Clone(f[:b[1]]), "garbage"...), f[b[1]:]...)
		}, "0 1 2 3"},
		"cut off":          {true, func(f []byte, b []int64) []byte { return f[:b[3]+15] }, "0 1 2"},
		"plain, cut off":   {false, func(f []byte, b []int64) []byte { return f[:b[3]+15] }, "0 1 2"},
		"length too short": {false, lie("3"), "0 2 3"},
		"length too long":  {false, lie("99999999"), "0 2 3"},
		"length a bit off": {false, lie("120"), "0 2 3"},
		"no length":        {false, lie("long"), "0 2 3"},
		"negative length":  {false, lie("-1"), "0 2 3"},
	} {
		t.Run(name, func(t *testing.T) {
			file, begins := archive(t, test.packed, 4)
			file = test.harm(file, begins)
			for kind, in := range map[string]io.Reader{"file": bytes.NewReader(file), "stream": struct{ io.Reader }{bytes.NewReader(file)}} {
				uris, damage := all(t, reader(t, in, Position{}))
				if got := strings.Join(uris, " "); got != test.want || len(damage) == 0 {
					t.Errorf("%s: read %s, want %s; damage %v", kind, got, test.want, damage)
				}
				for _, err := range damage {
					if d := (*DamageError)(nil); !errors.As(err, &d) {
						t.Errorf("%s: damage is %v", kind, err)
					}
				}
			}
		})
	}
}

// A bad record costs no other one of the same member of gzip, and positions behind it can be found again.
func TestDamageInsideMember(t *testing.T) {
	for _, lie := range []string{"3", "120", "99999999", "long", "-1"} {
		text, _ := archive(t, false, 5)
		text = bytes.Replace(text, []byte("Content-Length: 108"), []byte("Content-Length: "+lie), 1)
		packed := pack(t, text)
		r := reader(t, struct{ io.Reader }{bytes.NewReader(packed)}, Position{})
		if lie == "99999999" { // over the bound of what is kept
			if uris, damage := all(t, r); strings.Join(uris, " ") != "0" || len(damage) != 1 {
				t.Errorf("length %s: %v, %v", lie, uris, damage)
			}
			continue
		}
		for range 3 {
			if _, err := r.Next(); errors.Is(err, io.EOF) {
				t.Errorf("length %s: %v", lie, err)
			}
		}
		if uris, damage := all(t, reader(t, bytes.NewReader(packed), r.Position())); strings.Join(uris, " ") != "3 4" || damage != nil {
			t.Errorf("length %s: behind %v: %v, %v", lie, r.Position(), uris, damage)
		}
	}
}

// The reader keeps as much of a stream as it may need, and no more.
func TestStreamIsBounded(t *testing.T) {
	file, _ := archive(t, false, 300)
	const most = 64 << 10
	r, err := NewReader(struct{ io.Reader }{bytes.NewReader(file)}, Position{}, most)
	if err != nil {
		t.Fatal(err)
	}
	uris, damage := all(t, r)
	if len(uris) != 300 || damage != nil {
		t.Errorf("%d records, %v", len(uris), damage)
	}
	if kept := cap(r.stream.kept); kept > 2*(2*most+buffer) {
		t.Errorf("%d bytes kept of %d", kept, len(file))
	}
}

// A block over the bound is left out, and what follows is read.
func TestLargeBlock(t *testing.T) {
	file, _ := archive(t, true, 3)
	r, err := NewReader(bytes.NewReader(file), Position{}, 150)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		rec, err := r.Next()
		if err != nil || (rec.Block == nil) != (i == 2) {
			t.Errorf("record %d: %v %v", i, rec, err)
		}
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	of := &Record{Header: map[string][]string{"Warc-Target-Uri": {"http://a.example/1"}, "Warc-Date": {"2026-01-02T03:04:05Z"}, "Warc-Record-Id": {"<urn:1>"}}}
	for range 2 {
		if err := w.Write(Conversion(of, "text/plain", "2\r\nX: y"), []byte("text")); err != nil {
			t.Fatal(err)
		}
	}
	r := reader(t, &b, Position{})
	rec, err := r.Next()
	if err != nil || string(rec.Block) != "text" || rec.Type() != "conversion" || rec.URI() != "http://a.example/1" ||
		rec.Header.Get("Warc-Refers-To") != "<urn:1>" || rec.Header.Get("X") != "" || !strings.HasPrefix(rec.Header.Get("Warc-Block-Digest"), "sha1:") {
		t.Errorf("%v %v", rec, err)
	}
	if uris, damage := all(t, r); len(uris) != 1 || damage != nil {
		t.Errorf("%v %v", uris, damage)
	}
}

func FuzzReader(f *testing.F) {
	for _, packed := range []bool{false, true} {
		file, _ := archive(f, packed, 3)
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, in := range []io.Reader{bytes.NewReader(file), struct{ io.Reader }{bytes.NewReader(file)}} {
			r := reader(t, in, Position{})
			last := Position{Offset: -1}
			for range 10_000 {
				_, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if d := (*DamageError)(nil); err != nil && errors.As(err, &d) {
					if at := r.Position(); at.Offset < last.Offset || at == last {
						t.Fatalf("stuck at %v: %v", last, err)
					}
					last = r.Position()
				} else if err != nil {
					t.Fatalf("%T: %v", err, err)
				}
			}
		}
	})
}
