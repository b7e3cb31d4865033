package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// Standard input is read from its beginning each time, whatever a killed process noted, and counts once.
func TestStandardInput(t *testing.T) {
	file, dir := crawled(t, 100), t.TempDir()
	archive, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	models := open(t, dir)
	defer closed(t, models)
	for range 2 {
		r := newReader(t, Patient{models, true}, pipeline.LearnAll)
		r.Stdin = bytes.NewReader(archive)
		if counts, err := r.Learn(t.Context(), models, dir, Stdin); err != nil || counts.Pages != 90 {
			t.Fatalf("learned %+v, %v", counts, err)
		}
	}
	sum := 0
	for n := range maps.Values(pages(t, models)) {
		sum += n
	}
	if sum != 90 {
		t.Errorf("the models have %d pages, want 90", sum)
	}
	r := newReader(t, Patient{Models: models}, pipeline.LearnOff)
	out := filepath.Join(dir, "out.jsonl")
	if err := os.WriteFile(out+".part", []byte("what a killed process wrote"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeJSON(out+".part.json", place{Written: 27}); err != nil {
		t.Fatal(err)
	}
	r.Stdin = bytes.NewReader(archive)
	if _, done, err := r.Clean(t.Context(), Stdin, out, FormJSONL); err != nil || !done {
		t.Fatalf("%v, %v", done, err)
	}
	inFile, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	r.Stdin = bytes.NewReader(archive)
	if counts, err := r.CleanTo(t.Context(), Stdin, &stream, FormJSONL); err != nil || counts.Pages != 90 {
		t.Fatalf("cleaned %+v, %v", counts, err)
	}
	if !bytes.Equal(inFile, stream.Bytes()) || bytes.Count(inFile, []byte("\n")) != 90 {
		t.Errorf("%d bytes in the file, %d in the stream", len(inFile), stream.Len())
	}
}

// What breaks off or is no archive is damage, and ends nothing.
func TestStandardInputIsDamaged(t *testing.T) {
	whole, err := os.ReadFile(crawled(t, 20))
	if err != nil {
		t.Fatal(err)
	}
	models := open(t, t.TempDir())
	defer closed(t, models)
	for name, in := range map[string][]byte{"cut off": whole[:len(whole)-30], "no archive": []byte("no archive at all\n"), "garbage between": slices.Concat(whole, []byte("garbage"), whole)} {
		r := newReader(t, Patient{Models: models}, pipeline.LearnOff)
		var damage []error
		r.Damage = func(file string, err error) { damage = append(damage, fmt.Errorf("%s: %w", file, err)) }
		r.Stdin = bytes.NewReader(in)
		counts, err := r.CleanTo(t.Context(), Stdin, io.Discard, FormJSONL)
		if err != nil || counts.Damaged == 0 || counts.Damaged != len(damage) || !strings.HasPrefix(damage[0].Error(), "-: at byte ") {
			t.Errorf("%s: %+v, %v, %v", name, counts, err, damage)
		}
	}
}

// One pass that is killed again and again loses no record and writes none twice, and its models know each page once.
func TestOnlineKilledAndResumed(t *testing.T) {
	file, dir := crawled(t, 200), t.TempDir()
	out := filepath.Join(t.TempDir(), "out")
	for again, killed := true, 0; again; killed++ {
		m := open(t, dir)
		killing, kill := context.WithCancel(t.Context())
		r := newReader(t, Patient{Models: m}, pipeline.LearnAll)
		r.Learning = m
		if killed < 5 {
			killAfter(r, kill, 50)
		}
		_, done, err := r.Clean(killing, file, out, FormJSONL)
		if again = !done; again && !errors.Is(err, context.Canceled) {
			t.Fatalf("%v, %v", done, err)
		}
		kill()
		closed(t, m)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if is := strings.Count(string(text), fmt.Sprintf("On day %d the wind", i)); (is == 1) != (i%10 != 9) {
			t.Errorf("page %d is there %d times", i, is)
		}
	}
	m := open(t, dir)
	defer closed(t, m)
	sum := 0
	for n := range maps.Values(pages(t, m)) {
		sum += n
	}
	if sum != 180 {
		t.Errorf("the models have %d pages, want 180", sum)
	}
}
