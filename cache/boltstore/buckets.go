package boltstore

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	bolt "go.etcd.io/bbolt"
)

// layoutVersion counts the changes of the layout that older versions of winnow can't read.
const layoutVersion = 1

const (
	metaBucket   = "meta"
	modelsBucket = "models"
	asideBucket  = "aside"

	versionKey = "version"
	keyIDKey   = "key"
)

// Reasons to set a whole file aside. Their texts are for the log.
var (
	errDamaged  = errors.New("the file is damaged")
	errGone     = errors.New("the file was removed or replaced while in use")
	errNewer    = errors.New("the file was written by a newer version of winnow")
	errOtherKey = errors.New("the file was written with another installation key")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

// layOut creates the buckets of a new file.
func layOut(tx *bolt.Tx, keyID uint64) error {
	meta, err := tx.CreateBucket([]byte(metaBucket))
	if err != nil {
		return err
	}
	for _, name := range []string{modelsBucket, asideBucket} {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return err
		}
	}
	if err := meta.Put([]byte(versionKey), []byte(strconv.Itoa(layoutVersion))); err != nil {
		return err
	}
	return meta.Put([]byte(keyIDKey), []byte(formatKeyID(keyID)))
}

func formatKeyID(id uint64) string { return fmt.Sprintf("%016x", id) }

// checkLayout returns errDamaged, errNewer or errOtherKey (wrapped) for a file that can't be used.
func checkLayout(tx *bolt.Tx, keyID uint64) error {
	meta := tx.Bucket([]byte(metaBucket))
	if meta == nil || tx.Bucket([]byte(modelsBucket)) == nil || tx.Bucket([]byte(asideBucket)) == nil {
		return damaged("a bucket is missing")
	}
	version, err := strconv.Atoi(string(meta.Get([]byte(versionKey))))
	switch id := string(meta.Get([]byte(keyIDKey))); {
	case err != nil || version < 1:
		return damaged("no layout version")
	case version > layoutVersion:
		return fmt.Errorf("%w (layout %d, this one reads %d)", errNewer, version, layoutVersion)
	case len(id) != len(formatKeyID(0)):
		return damaged("no key ID")
	case id != formatKeyID(keyID):
		return errOtherKey
	}
	return nil
}

// hosts is the bucket of one detector. It is nil inside where the detector has no values yet.
type hosts struct{ *bolt.Bucket }

func modelBucket(tx *bolt.Tx, detector string) hosts {
	return hosts{tx.Bucket([]byte(modelsBucket)).Bucket([]byte(detector))}
}

func makeBucket(tx *bolt.Tx, kind, detector string) (*bolt.Bucket, error) {
	return tx.Bucket([]byte(kind)).CreateBucketIfNotExists([]byte(detector))
}

func (b hosts) get(host string) []byte {
	if b.Bucket == nil {
		return nil
	}
	return b.Get([]byte(host))
}

func (b hosts) each(f func(host, value []byte) error) error {
	if b.Bucket == nil {
		return nil
	}
	return b.ForEach(f)
}

// valueID identifies one value of the file.
type valueID struct{ kind, detector, host string }

// each calls f for all values of all detectors in the order of their keys. A value is valid until f returns.
func each(tx *bolt.Tx, f func(id valueID, value []byte) error) error {
	for _, kind := range []string{asideBucket, modelsBucket} {
		top := tx.Bucket([]byte(kind))
		err := top.ForEachBucket(func(detector []byte) error {
			return top.Bucket(detector).ForEach(func(host, value []byte) error {
				return f(valueID{kind, string(detector), string(host)}, value)
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// entryBytes is a lower bound of the overhead of an entry in the file, beside its key and value.
const entryBytes = 8

// walk visits every entry of the file and reads both ends of its key and value. So a page that points outside of the
// file makes bbolt fault or panic here. walk returns errDamaged for buckets and values in the wrong place.
func walk(tx *bolt.Tx) error {
	left := tx.Size() / entryBytes // cycles of pages would never end
	ends := byte(0)
	read := func(b *bolt.Bucket, k, v []byte, isBucket bool) error {
		if left--; left < 0 {
			return damaged("it has more entries than it has room for")
		}
		if len(k) == 0 || len(k) > bolt.MaxKeySize || int64(len(v)) > tx.Size() {
			return damaged("an entry reaches out of the file")
		}
		if (v == nil) != isBucket {
			return damaged("%.60q is not where it should be", bytes.Clone(k))
		}
		if !isBucket && b.Get(k) == nil { // it also reads the keys of the pages above
			return damaged("a search does not find %.60q although it is there", bytes.Clone(k))
		}
		ends ^= k[len(k)-1]
		if len(v) > 0 {
			ends ^= v[0] ^ v[len(v)-1]
		}
		return nil
	}
	defer func() { runtime.KeepAlive(ends) }() // otherwise the compiler could drop the reads
	tx.Cursor().Seek(nil)                      // unlike First, Seek checks the page types
	return tx.ForEach(func(kind []byte, top *bolt.Bucket) error {
		if top == nil {
			return damaged("%.60q is not a bucket", bytes.Clone(kind))
		}
		top.Cursor().Seek(nil)
		deep := string(kind) != metaBucket
		return top.ForEach(func(k, v []byte) error {
			if err := read(top, k, v, deep); err != nil || !deep {
				return err
			}
			detector := top.Bucket(k)
			detector.Cursor().Seek(nil)
			return detector.ForEach(func(k, v []byte) error { return read(detector, k, v, false) })
		})
	})
}
