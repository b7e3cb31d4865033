package boltstore

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// maxProblems bounds how many problems of a file are read: in pages that lead back to themselves, bbolt finds problems
// without end.
const maxProblems = 10_000

// check checks the structure of the file, as bbolt knows it, and where the buckets are. It does not read the values, so
// that it costs about one read an entry.
//
// The scan and the walk come first, as a fault in them becomes an error. bbolt's own check runs on a goroutine of bbolt,
// where a fault would end the process; it reads the same pages.
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
		for range maxProblems { // so that bbolt's goroutine ends, where it can
			if _, more := <-problems; !more {
				break
			}
		}
		return damaged("%v", first)
	})
}

// firstPage is the first page after the two that describe the file, of which one may be damaged.
const firstPage = 2

// scan looks at the heads of all pages in the order of the file, as bbolt describes them.
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

// unread keeps bbolt's check from reading the keys that it finds wrong.
type unread struct{}

// KeyToString implements bolt.KVStringer.
func (unread) KeyToString([]byte) string { return "…" }

// ValueToString implements bolt.KVStringer.
func (unread) ValueToString([]byte) string { return "…" }

// maxDeaths is how many processes may end while they check a file before the file is taken for damaged. Processes also
// end for other reasons, so one death proves nothing.
const maxDeaths = 2

// checkCounted is check, for a file that may end the process: pages that lead back to themselves can make bbolt recurse
// until memory runs out, which no recover stops. A small file beside the store counts the attempts, so that such a store
// does not keep the program from ever starting again.
func (f *file) checkCounted() error {
	mark := f.path + checkingSuffix
	b, _ := os.ReadFile(mark) // mostly it is not there
	deaths, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	if deaths >= maxDeaths {
		return errors.Join(damaged("%d processes ended while they checked it", deaths), os.Remove(mark))
	}
	if err := os.WriteFile(mark, fmt.Appendln(nil, deaths+1), 0o600); err != nil {
		return f.check() // the disk is full or read-only: do without
	}
	return errors.Join(f.check(), os.Remove(mark))
}
