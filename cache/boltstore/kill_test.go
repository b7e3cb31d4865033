package boltstore

import (
	"bufio"
	"context"
	"fmt"
	"maps"
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

// saveForever saves batch after batch. All values of a batch contain its number, which it prints after the save.
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

// A process that is killed during a save leaves a sound store with every batch that it reported as saved, and each
// batch completely or not at all.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	for round := range 8 {
		saved := runAndKill(t, childDir, dir, time.Duration(20+17*round)*time.Millisecond)
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

// deleteDir names the environment variable that turns the test binary into a process that saves and deletes until it is
// killed.
const deleteDir = "WINNOW_TEST_DELETE_DIR"

// deleteForever deletes one host after the other and saves each again with the number of the round. It prints 2n after
// the deletion of round n and 2n+1 after its save.
func deleteForever(dir string) {
	o := options(nil)
	o.noSync = false
	s, err := Open(dir, o)
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	for n := 0; ; n++ {
		name := fmt.Sprintf("h%d.example", n%killHosts)
		if err := s.Delete(context.Background(), name); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println(2 * n)
		value := strconv.Itoa(n) + strings.Repeat(" ", 30_000)
		if err := s.Save(context.Background(), map[string][]byte{name: []byte(value)}); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println(2*n + 1)
	}
}

// A process that is killed while it copies the store leaves the old or the new store: every reported step is in it, at
// most one more, and no other file remains.
func TestKillWhileDeleting(t *testing.T) {
	for round := range 8 {
		dir := t.TempDir()
		s := open(t, dir, options(nil))
		for h := range killHosts {
			save(t, s, fmt.Sprintf("h%d.example", h), "-2"+strings.Repeat(" ", 30_000))
		}
		must(t, s.Close())
		last := runAndKill(t, deleteDir, dir, time.Duration(3+11*round)*time.Millisecond)
		s = open(t, dir, options(nil))
		got := map[string]int{}
		for h := range killHosts {
			if v := load(t, s, fmt.Sprintf("h%d.example", h)); v != "" {
				got[fmt.Sprintf("h%d.example", h)] = batchOf(v)
			}
		}
		if !maps.Equal(got, afterSteps(last)) && !maps.Equal(got, afterSteps(last+1)) {
			t.Errorf("round %d: after step %d the store has %v", round, last, got)
		}
		must(t, s.Close())
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("the data directory holds %v (%v), want the store alone", entries, err)
		}
	}
}

// afterSteps returns what deleteForever has stored after it printed last.
func afterSteps(last int) map[string]int {
	stored := map[string]int{}
	for h := range killHosts {
		stored[fmt.Sprintf("h%d.example", h)] = -2
	}
	for step := range last + 1 {
		name := fmt.Sprintf("h%d.example", step/2%killHosts)
		delete(stored, name)
		if step%2 == 1 {
			stored[name] = step / 2
		}
	}
	return stored
}

// runAndKill runs a process that saves, kills it some time after its first batch, and returns the last number that it
// printed.
func runAndKill(t *testing.T, kind, dir string, after time.Duration) int {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), kind+"="+dir)
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
