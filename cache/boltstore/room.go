package boltstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/winnow-proxy/winnow/cache"
)

// Shares of Options.MaxBytes that values may take after room was made. bbolt writes a changed value beside the old one
// and uses free pages only where enough of them lie side by side, so a file is full before its values reach the bound.
// Where the values take no more than keepShare, compaction alone makes room; otherwise they are reduced to dropShare.
// The last share applies when that was not enough.
const (
	keepShare = 0.7
	dropShare = 0.6
	lastShare = 0.35
)

// put saves values. When the file is full, it makes room and tries again. The caller holds s.writing.
func (s *Store) put(ctx context.Context, values map[string][]byte) error {
	err := s.putAll(ctx, values)
	for _, share := range []float64{keepShare, lastShare} {
		if !errors.Is(err, bolterrors.ErrMaxSizeReached) {
			return err
		}
		values = maps.Clone(values)
		if err := s.makeRoom(ctx, values, share); err != nil {
			return fmt.Errorf("make room in a full store: %w", err)
		}
		err = s.putAll(ctx, values)
	}
	return err
}

func (s *Store) putAll(ctx context.Context, values map[string][]byte) error {
	return s.use(ctx, "save", func(f *file) error {
		return f.update(func(tx *bolt.Tx) error {
			b, err := makeBucket(tx, modelsBucket, s.opt.Detector)
			if err != nil {
				return err
			}
			for host, v := range values {
				if err := b.Put([]byte(host), v); err != nil {
					return fmt.Errorf("%.60q: %w", host, err)
				}
			}
			return nil
		})
	})
}

// makeRoom reduces the stored and the incoming values to a share of the bound and compacts the file. It deletes from
// incoming the values that are less useful than the stored ones.
func (s *Store) makeRoom(ctx context.Context, incoming map[string][]byte, share float64) error {
	all, ids, err := s.candidates(ctx, incoming)
	if err != nil {
		return err
	}
	live := int64(0)
	for _, c := range all {
		live += c.Cost
	}
	budget := int64(share * float64(s.opt.MaxBytes))
	if share == keepShare && live > budget {
		budget = int64(dropShare * float64(s.opt.MaxBytes))
	}
	drop := map[valueID]bool{}
	for _, i := range cache.LeastUseful(all, budget, s.opt.Now()) {
		drop[ids[i]] = true
		if v := ids[i]; v.kind == modelsBucket && v.detector == s.opt.Detector {
			delete(incoming, v.host)
		}
	}
	if err := s.compact(ctx, "remove", func(id valueID) bool { return !drop[id] }); err != nil {
		return err
	}
	if len(drop) > 0 {
		s.evicted.Add(uint64(len(drop)))
		s.opt.Logger.Info("the model store is full: the least useful models were removed",
			"store", s.path, "removed", len(drop), "limit_bytes", s.opt.MaxBytes)
	}
	return nil
}

// candidates lists the values that may be removed, stored and incoming. For a value that will be replaced, the larger
// of the two sizes counts. A value that was set aside has no use.
func (s *Store) candidates(ctx context.Context, incoming map[string][]byte) (all []cache.Candidate, ids []valueID, err error) {
	add := func(id valueID, c cache.Candidate) {
		all, ids = append(all, c), append(ids, id)
	}
	own := func(host string) valueID { return valueID{modelsBucket, s.opt.Detector, host} }
	for host, v := range incoming {
		add(own(host), cache.Candidate{Host: host, Cost: cost(host, len(v)), Summary: cache.Describe(v)})
	}
	err = s.use(ctx, "list", func(f *file) error {
		return f.view(func(tx *bolt.Tx) error {
			all, ids = all[:len(incoming)], ids[:len(incoming)]
			return each(tx, func(id valueID, v []byte) error {
				if _, replaced := incoming[id.host]; replaced && id == own(id.host) {
					return nil
				}
				c := cache.Candidate{Host: id.host, Cost: cost(id.host, len(v))}
				if id.kind == modelsBucket {
					c.Summary = cache.Describe(v)
				}
				add(id, c)
				return nil
			})
		})
	})
	return all, ids, err
}

// cost estimates the size of a value in the file. A large value has pages of its own.
func cost(host string, size int) int64 {
	page := int64(os.Getpagesize())
	n := int64(entryBytes*4 + len(host) + size)
	if n < page/2 {
		return n
	}
	return (n + page) / page * page
}
