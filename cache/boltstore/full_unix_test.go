//go:build unix

package boltstore

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// fullDir names the environment variable that turns the test binary into a process with a file size limit of fullLimit
// bytes, which has the effect of a full disk.
const (
	fullDir   = "WINNOW_TEST_FULL_DIR"
	fullLimit = 256 << 10
)

// saveUntilFull learns pages of 60 hosts, of which only a part fits into the file, and then of one more host without
// the limit.
func saveUntilFull(dir string) {
	if err := fullDisk(dir); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func fullDisk(dir string) error {
	ctx := context.Background()
	key := model.Key{1}
	s, err := Open(dir, Options{Detector: "bulky", KeyID: key.ID()})
	if err != nil {
		return err
	}
	m, err := cache.New(ctx, cache.Options{Detector: bulky{counter{"bulky"}}, Key: key, Store: s, FlushEvery: time.Hour})
	if err != nil {
		return err
	}
	learnOne := func(h int) error {
		m.Learn(host(h), &page.Page{}, model.Visit{URL: "/"})
		return m.Drain(ctx)
	}
	if err := learnOne(0); err != nil {
		return err
	}
	if err := m.Flush(ctx); err != nil {
		return fmt.Errorf("while there was room: %w", err)
	}
	if err := limitFiles(fullLimit); err != nil {
		return err
	}
	for h := range 60 {
		if err := learnOne(h); err != nil {
			return err
		}
	}
	if err := m.Flush(ctx); err == nil {
		return fmt.Errorf("60 models fitted into %d bytes", fullLimit)
	}
	for h := range 60 { // what can't be saved still serves
		marking, err := m.Mark(ctx, host(h), &page.Page{}, model.Visit{})
		if err != nil || marking.Pages < 1 {
			return fmt.Errorf("%s with a full disk: %v, %w", host(h), marking, err)
		}
	}
	if v, err := s.Load(ctx, host(0)); err != nil || len(v) < 20_000 {
		return fmt.Errorf("what was saved before: %d bytes, %w", len(v), err)
	}
	c := m.Counters()
	fmt.Printf("errors=%v lost=%d\n", c.FlushErrors > 0, c.Lost)
	if err := limitFiles(1 << 30); err != nil {
		return err
	}
	return m.Close(ctx) // saves
}

func limitFiles(bytes uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		return err
	}
	l.Cur = bytes
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l)
}

// A full disk prevents only saves. Models stay in memory and serve, saved values stay sound, errors are counted, and
// everything is saved once there is room.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), fullDir+"="+dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil || strings.TrimSpace(out.String()) != "errors=true lost=0" {
		t.Fatalf("%v: %s", err, out.String())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the data directory holds %v (%v), want the store alone", entries, err)
	}
	o := options(nil)
	o.Detector = "bulky"
	o.KeyID = model.Key{1}.ID()
	s := open(t, dir, o)
	infos, err := s.List(context.Background())
	if err != nil || len(infos) != 60 {
		t.Errorf("%d models are stored, %v", len(infos), err)
	}
	must(t, s.file.check())
}
