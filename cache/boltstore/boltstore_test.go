package boltstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/cache"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		saveForever(dir)
	}
	if dir := os.Getenv(deleteDir); dir != "" {
		deleteForever(dir)
	}
	if dir := os.Getenv(fullDir); dir != "" {
		saveUntilFull(dir)
	}
	if os.Getenv(trustMe) != "" {
		_, _ = os.Stdout.WriteString(inspecting + inspected)
		os.Exit(0)
	}
	if dir := os.Getenv(inspectDir); dir != "" {
		if err := Inspect(dir, time.Second, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// options are those of the tests: one detector, one key, a fixed clock, and a log that they can read.
func options(log *bytes.Buffer) Options {
	o := Options{
		Detector: "sst", KeyID: 7, noSync: true, Timeout: 50 * time.Millisecond,
		Now: func() time.Time { return time.Date(2026, 11, 20, 12, 30, 15, 0, time.UTC) },
	}
	if log != nil {
		o.Logger = slog.New(slog.NewTextHandler(log, nil))
	}
	return o
}

func open(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() }) // a test may have closed it
	return s
}

// load returns the value of host, "" where there is none.
func load(t testing.TB, s *Store, host string) string {
	t.Helper()
	b, err := s.Load(context.Background(), host)
	if errors.Is(err, cache.ErrNotFound) {
		return ""
	}
	must(t, err)
	return string(b)
}

func save(t testing.TB, s *Store, pairs ...string) {
	t.Helper()
	batch := map[string][]byte{}
	for i := 0; i < len(pairs); i += 2 {
		batch[pairs[i]] = []byte(pairs[i+1])
	}
	must(t, s.Save(context.Background(), batch))
}

func list(t testing.TB, s *Store) string {
	t.Helper()
	infos, err := s.List(context.Background())
	must(t, err)
	var hosts []string
	for _, i := range infos {
		hosts = append(hosts, i.Host)
	}
	return strings.Join(hosts, " ")
}

func TestStoreKeepsValues(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, options(nil))
	if got := load(t, s, "a.example") + list(t, s); got != "" {
		t.Errorf("a fresh store has %s", got)
	}
	save(t, s, "b.example", "two", "a.example", "one")
	save(t, s, "b.example", "three")
	must(t, s.Close())
	must(t, s.Close())

	s = open(t, dir, options(nil))
	if got := load(t, s, "a.example") + load(t, s, "b.example") + load(t, s, "c.example"); got != "onethree" {
		t.Errorf("loaded %q", got)
	}
	if got := list(t, s); got != "a.example b.example" {
		t.Errorf("list %s", got)
	}
	must(t, s.Delete(ctx, "a.example"))
	must(t, s.Delete(ctx, "a.example"))
	if got := list(t, s); got != "b.example" {
		t.Errorf("list %s after a deletion", got)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, fileName): 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %#o, want %#o", path, got, want)
		}
	}
}

func TestLoadedValueBelongsToTheCaller(t *testing.T) {
	s := open(t, t.TempDir(), options(nil))
	save(t, s, "a.example", "one")
	b, err := s.Load(context.Background(), "a.example")
	must(t, err)
	b[0] = 'X' // the memory map is read-only: this would fault
	if got := load(t, s, "a.example"); got != "one" {
		t.Errorf("loaded %q", got)
	}
}

func TestBatchIsSavedWhollyOrNot(t *testing.T) {
	s := open(t, t.TempDir(), options(nil))
	tooLong := strings.Repeat("x", 40_000)
	err := s.Save(context.Background(), map[string][]byte{"a.example": []byte("one"), tooLong: []byte("two")})
	if err == nil {
		t.Fatal("a host of 40,000 bytes was saved")
	}
	if got := list(t, s); got != "" {
		t.Errorf("list %s, want nothing of the batch", got)
	}
}

func TestDetectorsHaveValuesOfTheirOwn(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	other := options(nil)
	other.Detector = "blend"

	s := open(t, dir, options(nil))
	save(t, s, "a.example", "sst's", "b.example", "sst's")
	must(t, s.SetAside(ctx, "b.example"))
	must(t, s.Close())
	s = open(t, dir, other)
	if got := load(t, s, "a.example"); got != "" {
		t.Errorf("one detector reads %q of the other", got)
	}
	save(t, s, "a.example", "blend's")
	must(t, s.Close())
	s = open(t, dir, options(nil))
	if got := load(t, s, "a.example"); got != "sst's" {
		t.Errorf("loaded %q after the detector was changed and back", got)
	}
	must(t, s.Close())

	// Forgetting a host removes the values of every detector.
	s = open(t, dir, other)
	must(t, s.Delete(ctx, "a.example"))
	must(t, s.Delete(ctx, "b.example"))
	must(t, s.Close())
	raw, err := bolt.Open(filepath.Join(dir, fileName), 0o600, nil)
	must(t, err)
	defer func() { must(t, raw.Close()) }()
	must(t, raw.View(func(tx *bolt.Tx) error {
		for _, kind := range []string{modelsBucket, asideBucket} {
			for _, detector := range []string{"sst", "blend"} {
				if b := tx.Bucket([]byte(kind)).Bucket([]byte(detector)); b != nil && b.Inspect().KeyN != 0 {
					t.Errorf("%s of %s still has %d values", kind, detector, b.Inspect().KeyN)
				}
			}
		}
		return nil
	}))
}

func TestSetAside(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir(), options(nil))
	save(t, s, "a.example", "bad", "b.example", "good")
	must(t, s.SetAside(ctx, "a.example"))
	must(t, s.SetAside(ctx, "never.seen.example"))
	if got := load(t, s, "a.example") + list(t, s); got != "b.example" {
		t.Errorf("the value that was set aside is still there: %s", got)
	}
	var kept string
	must(t, s.file.view(func(tx *bolt.Tx) error {
		kept = string(tx.Bucket([]byte(asideBucket)).Bucket([]byte("sst")).Get([]byte("a.example")))
		return nil
	}))
	if kept != "bad" {
		t.Errorf("kept %q aside", kept)
	}
}

func TestClosedStoreRefuses(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir(), options(nil))
	must(t, s.Close())
	_, loadErr := s.Load(ctx, "a.example")
	_, listErr := s.List(ctx)
	for call, err := range map[string]error{
		"Load": loadErr, "List": listErr, "Save": s.Save(ctx, nil), "Delete": s.Delete(ctx, "a"), "SetAside": s.SetAside(ctx, "a"),
	} {
		if !errors.Is(err, cache.ErrClosed) {
			t.Errorf("%s: error %v, want ErrClosed", call, err)
		}
	}
}

func TestCancelledCallsDoNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := open(t, t.TempDir(), options(nil))
	if err := s.Save(ctx, map[string][]byte{"a.example": []byte("one")}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if got := list(t, s); got != "" {
		t.Errorf("list %s", got)
	}
}

func TestOpenTellsThatAnotherProcessHasTheFile(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir, options(nil))
	save(t, first, "a.example", "one")
	if _, err := Open(dir, options(nil)); !errors.Is(err, ErrLocked) {
		t.Errorf("error %v, want ErrLocked", err)
	}
	if got := load(t, first, "a.example"); got != "one" {
		t.Errorf("the first process reads %q", got)
	}
	must(t, first.Close())
	must(t, open(t, dir, options(nil)).Close())
}

func TestOpenWaitsForAProcessThatIsStopping(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir, options(nil))
	time.AfterFunc(100*time.Millisecond, func() { must(t, first.Close()) })
	o := options(nil)
	o.Timeout = 10 * time.Second
	must(t, open(t, dir, o).Close())
}

func TestOpenNeedsADirectoryAndADetector(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, nil, 0o600))
	if _, err := Open(path, options(nil)); err == nil {
		t.Error("opened a store in a file")
	}
	if _, err := Open(t.TempDir(), Options{}); err == nil {
		t.Error("opened a store of no detector")
	}
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, fileName), 0o700))
	if _, err := Open(dir, options(nil)); err == nil {
		t.Error("opened a directory")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != fileName {
		t.Errorf("an undamaged file was set aside: %v (%v)", entries, err)
	}
}

func TestFilesOfOtherKeysAndNewerVersionsAreSetAside(t *testing.T) {
	newer := func(t *testing.T, dir string) {
		db, err := bolt.Open(filepath.Join(dir, fileName), 0o600, nil)
		must(t, err)
		must(t, db.Update(func(tx *bolt.Tx) error {
			return tx.Bucket([]byte(metaBucket)).Put([]byte(versionKey), []byte("2"))
		}))
		must(t, db.Close())
	}
	for _, tt := range []struct {
		name, kept string
		keyID      uint64
		change     func(*testing.T, string)
	}{
		{"another key", "models.db.otherkey-20261120T123015Z", 8, func(*testing.T, string) {}},
		{"newer", "models.db.newer-20261120T123015Z", 7, newer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			dir := t.TempDir()
			s := open(t, dir, options(nil))
			save(t, s, "a.example", "one")
			must(t, s.Close())
			tt.change(t, dir)
			before, err := os.ReadFile(filepath.Join(dir, fileName))
			must(t, err)

			o := options(&log)
			o.KeyID = tt.keyID
			s = open(t, dir, o)
			if got := list(t, s); got != "" {
				t.Errorf("list %s, want a fresh store", got)
			}
			kept, err := os.ReadFile(filepath.Join(dir, tt.kept))
			if err != nil || !bytes.Equal(kept, before) {
				t.Errorf("the file was not kept as it was (%v)", err)
			}
			if !strings.Contains(log.String(), tt.kept) {
				t.Errorf("the log does not say where it is: %s", &log)
			}
		})
	}
}

func TestFilesSetAsideInTheSameSecondAreAllKept(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		must(t, os.WriteFile(filepath.Join(dir, fileName), []byte("garbage"), 0o600))
		must(t, open(t, dir, options(nil)).Close())
	}
	names, err := filepath.Glob(filepath.Join(dir, fileName+".damaged-*"))
	must(t, err)
	if len(names) != 3 {
		t.Errorf("kept %v, want three files", names)
	}
}

func TestConcurrentUse(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir(), options(nil))
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			host := fmt.Sprintf("h%d.example", w)
			for i := range 40 {
				value := bytes.Repeat([]byte{byte(i)}, 1000+500*i) // so that the file grows all the while
				if err := s.Save(ctx, map[string][]byte{host: value}); err != nil {
					t.Error(err)
				}
				if got, err := s.Load(ctx, host); err != nil || !bytes.Equal(got, value) {
					t.Errorf("loaded another value than was saved (%v)", err)
				}
				if _, err := s.List(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	infos, err := s.List(ctx)
	must(t, err)
	if !slices.IsSortedFunc(infos, func(a, b cache.Info) int { return strings.Compare(a.Host, b.Host) }) || len(infos) != 4 {
		t.Errorf("list %v", infos)
	}
}
