package boltstore

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/winnow-proxy/winnow/cache"
)

// Shares of Options.MaxBytes that values may take. A changed value is written beside the old one, together with its
// neighbours, and free pages are of use only where enough of them lie side by side, so that a file is full long before
// its values are as large as it may be. When they reach the first share, the hosts longest unseen go until the second is
// left; the third is for a file too fragmented even so.
const (
	fullShare  = 0.5
	roomyShare = 0.45
	scantShare = 0.3
	// allocDivisor and stepDivisor say by which part of the bound the file grows, and how much is removed at once: what is
	// removed makes room only once that is committed, and takes some until then.
	allocDivisor = 16
	stepDivisor  = 32
	// reserveDivisor is the part of the bound that is kept for removing.
	reserveDivisor = 8
)

// Size returns the length of the file and its bound, 0 where there is none.
func (s *Store) Size() (bytes, limit int64) {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0, s.opt.MaxBytes
	}
	return info.Size(), s.opt.MaxBytes
}

// Evicted returns how many models were removed to make room.
func (s *Store) Evicted() uint64 { return s.evicted.Load() }

// put saves values and keeps the file within its bound.
func (s *Store) put(f *file, values map[string][]byte) error {
	if err := s.makeRoom(f, values); err != nil {
		return err
	}
	err := s.putAll(f, values)
	if errors.Is(err, bolterrors.ErrMaxSizeReached) {
		if err := s.evict(f, scantShare, values); err != nil {
			return err
		}
		err = s.putAll(f, values)
	}
	return err
}

// makeRoom removes old values if the file could outgrow its bound otherwise.
func (s *Store) makeRoom(f *file, values map[string][]byte) error {
	if s.opt.MaxBytes <= 0 {
		return nil
	}
	var length, live int64
	err := f.view(func(tx *bolt.Tx) error {
		length = tx.Size()
		return nil
	})
	if err != nil {
		return err
	}
	incoming := int64(0)
	for host, v := range values {
		incoming += s.cost(host, len(v))
	}
	if length+2*incoming <= s.opt.MaxBytes-s.opt.MaxBytes/reserveDivisor-s.opt.MaxBytes/allocDivisor {
		return nil
	}
	err = f.viewAll(func(tx *bolt.Tx) error {
		live = 0
		each(tx, func(_ string, _, host, value []byte) { live += s.cost(string(host), len(value)) })
		return nil
	})
	if err != nil || float64(live+incoming) <= fullShare*float64(s.opt.MaxBytes) {
		return err
	}
	return s.evict(f, roomyShare, values)
}

// stored is one value of the file.
type stored struct {
	kind, detector, host string
	cost                 int64
	lastSeen             time.Time
}

// stored lists all values. Those set aside have never been seen.
func (s *Store) stored(tx *bolt.Tx) []stored {
	var all []stored
	each(tx, func(kind string, detector, host, value []byte) {
		v := stored{kind: kind, detector: string(detector), host: string(host), cost: s.cost(string(host), len(value))}
		if kind == modelsBucket && s.opt.LastSeen != nil {
			v.lastSeen = s.opt.LastSeen(value)
		}
		all = append(all, v)
	})
	return all
}

// each calls f for all values, those set aside first. What it hands over is f's until it returns.
func each(tx *bolt.Tx, f func(kind string, detector, host, value []byte)) {
	for _, kind := range []string{asideBucket, modelsBucket} {
		top := tx.Bucket([]byte(kind))
		_ = top.ForEachBucket(func(detector []byte) error { // the functions never fail
			return top.Bucket(detector).ForEach(func(host, value []byte) error {
				f(kind, detector, host, value)
				return nil
			})
		})
	}
}

// cost estimates what a value takes in the file. bbolt splits its pages when they are half full; a value of more than
// that has pages of its own.
func (s *Store) cost(host string, size int) int64 {
	page := int64(os.Getpagesize())
	n := int64(elementSize + len(host) + size)
	if n < page/2 {
		return 2 * n
	}
	return (n + headerSize + page - 1) / page * page
}

// evict removes the values of the hosts longest unseen until the rest, with the incoming ones, take no more than a share
// of the bound. Values that are about to be replaced stay.
func (s *Store) evict(f *file, share float64, incoming map[string][]byte) error {
	budget := int64(share * float64(s.opt.MaxBytes))
	for host, v := range incoming {
		budget -= s.cost(host, len(v))
	}
	evicted := 0
	for done := false; !done; {
		n := 0
		err := f.update(func(tx *bolt.Tx) (err error) {
			n, done, err = s.evictStep(tx, budget, incoming)
			return err
		})
		if err != nil {
			return fmt.Errorf("make room in a full store: %w", err)
		}
		evicted += n
	}
	if evicted == 0 {
		return nil
	}
	s.evicted.Add(uint64(evicted))
	s.opt.Logger.Info("the model store is full: the models of hosts longest unseen were removed",
		"store", s.path, "removed", evicted, "limit_bytes", s.opt.MaxBytes)
	return nil
}

// evictStep removes the oldest values, but not too many at once, and reports whether there is nothing left to do.
func (s *Store) evictStep(tx *bolt.Tx, budget int64, incoming map[string][]byte) (evicted int, done bool, err error) {
	all := s.stored(tx)
	live, removed := int64(0), int64(0)
	for _, v := range all {
		live += v.cost
	}
	slices.SortFunc(all, func(a, b stored) int { return a.lastSeen.Compare(b.lastSeen) })
	for _, v := range all {
		if live-removed <= budget {
			return evicted, true, nil
		}
		if _, replaced := incoming[v.host]; replaced && v.kind == modelsBucket && v.detector == s.opt.Detector {
			continue
		}
		if evicted > 0 && removed+v.cost > s.opt.MaxBytes/stepDivisor {
			return evicted, false, nil
		}
		if err := tx.Bucket([]byte(v.kind)).Bucket([]byte(v.detector)).Delete([]byte(v.host)); err != nil {
			return evicted, true, err
		}
		removed += v.cost
		evicted++
	}
	return evicted, true, nil
}

// shrink brings a file that is longer than its bound, since that was lowered, under it: old values are removed, and the
// rest is copied to a new file, as bbolt never gives a file's pages back.
func (s *Store) shrink(f *file) (*file, error) {
	length, err := diskImage{f.disk}.Size()
	if err != nil || s.opt.MaxBytes <= 0 || length <= s.opt.MaxBytes {
		return f, err
	}
	if err := s.evict(f, roomyShare, nil); err != nil {
		return f, err
	}
	copied := s.path + ".compact"
	err = f.copyTo(copied)
	if err == nil {
		err = os.Rename(copied, s.path)
	}
	if err != nil {
		return f, errors.Join(fmt.Errorf("compact the store: %w", err), os.RemoveAll(copied))
	}
	if err := f.close(); err != nil {
		s.opt.Logger.Warn("close the model store that was compacted", "store", s.path, "error", err)
	}
	return openFile(s.path, s.opt)
}

// copyTo writes the file's values to a new file, as dense as they go.
func (f *file) copyTo(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	dst, err := bolt.Open(path, 0o600, &bolt.Options{NoStatistics: true})
	if err != nil {
		return err
	}
	err = contain(func() error { return bolt.Compact(dst, f.db, 1<<20) })
	return errors.Join(err, dst.Close())
}

var _ cache.Bounded = (*Store)(nil)
