package boltstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"
)

// scrubKey in the meta bucket says that something was deleted whose bytes may still be in pages that are free. It is set
// with the deletion, so that a crash before the scrub only puts that off to the next start.
const scrubKey = "scrub"

// scrubChunk is how much of a free stretch is looked at and written at once.
const scrubChunk = 256 << 10

func markForScrub(tx *bolt.Tx) error {
	return tx.Bucket([]byte(metaBucket)).Put([]byte(scrubKey), []byte("1"))
}

// scrub overwrites what was deleted, if anything was since the last scrub: bbolt only notes that its pages are free. No
// other call may use the file meanwhile.
func (f *file) scrub(noSync bool) error {
	marked := false
	err := f.view(func(tx *bolt.Tx) error {
		marked = tx.Bucket([]byte(metaBucket)).Get([]byte(scrubKey)) != nil
		return nil
	})
	if err != nil || !marked {
		return err
	}
	if err := f.zeroFree(); err != nil {
		return fmt.Errorf("overwrite what was deleted: %w", err)
	}
	if !noSync {
		if err := f.disk.Sync(); err != nil {
			return fmt.Errorf("overwrite what was deleted: %w", err)
		}
	}
	// This transaction also takes the place of the older meta page, whose tree is gone now.
	return f.update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(metaBucket)).Delete([]byte(scrubKey))
	})
}

// zeroFree writes zeros over every page that neither the tree nor the list of free pages takes up, up to the end of the
// file. Pages that bbolt writes are padded with zeros, so that nothing old is left within them.
func (f *file) zeroFree() error {
	c, err := survey(diskImage{f.disk})
	if err != nil {
		return err
	}
	size, err := diskImage{f.disk}.Size()
	if err != nil {
		return err
	}
	for id := uint64(2); int64(id)*c.pageSize < size; {
		end := id
		for int64(end)*c.pageSize < size && !c.isLive(end) {
			end++
		}
		if err := f.zero(int64(id)*c.pageSize, min(int64(end)*c.pageSize, size)); err != nil {
			return err
		}
		id = end + 1
	}
	return nil
}

// zero writes zeros from one offset to another, where there are none yet: a hole in the file stays one.
func (f *file) zero(from, to int64) error {
	buf, zeros := make([]byte, scrubChunk), make([]byte, scrubChunk)
	for at := from; at < to; at += scrubChunk {
		n := min(scrubChunk, to-at)
		if _, err := f.disk.ReadAt(buf[:n], at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if bytes.Equal(buf[:n], zeros[:n]) {
			continue
		}
		if _, err := f.disk.WriteAt(zeros[:n], at); err != nil {
			return err
		}
	}
	return nil
}

// scrub scrubs the file while no other call uses it.
func (s *Store) scrub() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.file == nil {
		return nil // marked, so the next start does it
	}
	if err := s.file.scrub(s.opt.noSync); err != nil {
		return fmt.Errorf("deleted, but its bytes are in the file until the next start: %w", err)
	}
	return nil
}
