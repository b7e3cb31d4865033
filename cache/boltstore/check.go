package boltstore

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// maxProblems bounds how many problems of a file are read. In a file with a cycle of pages, bbolt finds problems
// without end.
const maxProblems = 10_000

// check checks the structure of the file with bbolt's own check, and the layout of the buckets. It does not read the
// values, so it costs about one read per entry.
//
// The scan and the walk come first, because a fault in them becomes an error. bbolt's own check runs on a goroutine of
// bbolt, where a fault would end the process; it reads the same pages.
func (f *file) check() error {
	return f.view(func(tx *bolt.Tx) error {
		f.length.Store(tx.Size())
		if err := f.notCut(); err != nil {
			return err
		}
		if err := scan(tx); err != nil {
			return err
		}
		if err := walk(tx); err != nil {
			return err
		}
		problems := tx.Check(bolt.WithKVStringer(unread{}))
		first, found := <-problems
		if !found {
			return nil
		}
		for range maxProblems { // drain the channel, so that bbolt's goroutine can end
			if _, more := <-problems; !more {
				break
			}
		}
		return damaged("%v", first)
	})
}

// firstPage is the first page after the two meta pages. One of these two may be damaged.
const firstPage = 2

// scan reads the heads of all pages, in the order of the file.
func scan(tx *bolt.Tx) error {
	for id := firstPage; ; {
		page, err := tx.Page(id)
		if err != nil || page == nil { // the end
			return err
		}
		switch page.Type {
		case "free":
			id++
			continue
		case "branch", "leaf", "freelist":
		default:
			return damaged("page %d is of type %s", id, page.Type)
		}
		id += 1 + page.OverflowCount
		if last, err := tx.Page(id - 1); err != nil || last == nil {
			return damaged("page %d reaches out of the file (%v)", page.ID, err)
		}
	}
}

// unread keeps bbolt's check from reading keys that it found wrong.
type unread struct{}

// KeyToString implements bolt.KVStringer.
func (unread) KeyToString([]byte) string { return "…" }

// ValueToString implements bolt.KVStringer.
func (unread) ValueToString([]byte) string { return "…" }

// maxDeaths is how many processes may die while they check a file before the file counts as damaged. Processes also die
// for other reasons, so one death proves nothing.
const maxDeaths = 2

// checkCounted is check, for a file that may crash the process: a cycle of pages can make bbolt recurse until memory
// runs out, which recover can't stop. A small file beside the store counts the attempts, so that a damaged store does
// not prevent every later start.
func (f *file) checkCounted() error {
	mark := f.path + checkingSuffix
	b, _ := os.ReadFile(mark) // it rarely exists
	deaths, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	if deaths >= maxDeaths {
		return errors.Join(damaged("%d processes died while they checked it", deaths), os.Remove(mark))
	}
	if err := os.WriteFile(mark, fmt.Appendln(nil, deaths+1), 0o600); err != nil {
		return f.check() // the disk is full or read-only: check without a count
	}
	return errors.Join(f.check(), os.Remove(mark))
}
