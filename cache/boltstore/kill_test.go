package boltstore

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// childDir names the environment variable that turns the test binary into a process that saves batches until it is
// killed.
const childDir = "WINNOW_TEST_STORE_DIR"

// killHosts is the number of values in each of its batches.
const killHosts = 40

// saveForever saves batch after batch, all values of a batch telling its number, and prints each number when saved.
func saveForever(dir string) {
	o := options(nil)
	o.noSync = false
	s, err := Open(dir, o)
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	first := 0
	if b, err := s.Load(context.Background(), "h0.example"); err == nil {
		first = batchOf(string(b)) + 1
	}
	for n := first; ; n++ {
		batch := map[string][]byte{}
		for h := range killHosts {
			batch[fmt.Sprintf("h%d.example", h)] = []byte(strconv.Itoa(n) + strings.Repeat(" ", (n*h)%9000))
		}
		if err := s.Save(context.Background(), batch); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

func batchOf(value string) int {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return -1
	}
	return n
}

// A process killed in the middle of saving leaves a sound store with all of a batch or nothing of it, and with every
// batch that it said was saved.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	for round := range 8 {
		saved := runAndKill(t, dir, time.Duration(20+17*round)*time.Millisecond)
		s := open(t, dir, options(nil))
		stored := batchOf(load(t, s, "h0.example"))
		for h := range killHosts {
			if got := batchOf(load(t, s, fmt.Sprintf("h%d.example", h))); got != stored {
				t.Fatalf("round %d: h%d is of batch %d, h0 of batch %d", round, h, got, stored)
			}
		}
		if stored < saved || saved < 0 {
			t.Fatalf("round %d: batch %d is stored, %d was reported saved", round, stored, saved)
		}
		must(t, s.Close())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the data directory holds %v (%v), want the store alone", entries, err)
	}
}

// runAndKill runs a process that saves, kills it some time after its first batch, and returns the last number that it
// printed.
func runAndKill(t *testing.T, dir string, after time.Duration) int {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	last := -1
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Errorf("the process says: %s", lines.Text())
			break
		}
		if last < 0 {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
		last = n
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed, so this is an error
	return last
}
