package boltstore

import (
	"errors"
	"fmt"
	"strconv"

	bolt "go.etcd.io/bbolt"
)

// layoutVersion counts the changes of the layout that older versions of winnow could not read.
const layoutVersion = 1

const (
	metaBucket   = "meta"
	modelsBucket = "models"
	asideBucket  = "aside"

	versionKey = "version"
	keyIDKey   = "key"
)

// Reasons to give up a whole file. Their texts are for the log.
var (
	errDamaged  = errors.New("the file is damaged")
	errFault    = errors.New("bbolt stumbled over it")
	errGone     = errors.New("the file was removed or replaced while in use")
	errNewer    = errors.New("the file was written by a newer version of winnow")
	errOtherKey = errors.New("the file was written with another installation key")
)

// lay makes the buckets of a new file.
func lay(tx *bolt.Tx, keyID uint64) error {
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

// checkLayout says why a file can't be used, if it can't: as errDamaged, errNewer or errOtherKey.
func checkLayout(tx *bolt.Tx, keyID uint64) error {
	meta := tx.Bucket([]byte(metaBucket))
	if meta == nil || tx.Bucket([]byte(modelsBucket)) == nil || tx.Bucket([]byte(asideBucket)) == nil {
		return fmt.Errorf("%w: a bucket is missing", errDamaged)
	}
	version, err := strconv.Atoi(string(meta.Get([]byte(versionKey))))
	switch id := string(meta.Get([]byte(keyIDKey))); {
	case err != nil || version < 1:
		return fmt.Errorf("%w: no layout version", errDamaged)
	case version > layoutVersion:
		return fmt.Errorf("%w (layout %d, this one reads %d)", errNewer, version, layoutVersion)
	case len(id) != len(formatKeyID(0)):
		return fmt.Errorf("%w: no key ID", errDamaged)
	case id != formatKeyID(keyID):
		return errOtherKey
	}
	return nil
}

// bucket is the values of one detector; it may be nil inside, where there are none yet.
type bucket struct{ *bolt.Bucket }

func models(tx *bolt.Tx, detector string) bucket {
	return bucket{tx.Bucket([]byte(modelsBucket)).Bucket([]byte(detector))}
}

func makeBucket(tx *bolt.Tx, kind, detector string) (*bolt.Bucket, error) {
	return tx.Bucket([]byte(kind)).CreateBucketIfNotExists([]byte(detector))
}

func (b bucket) get(host string) []byte {
	if b.Bucket == nil {
		return nil
	}
	return b.Get([]byte(host))
}

func (b bucket) each(f func(host, value []byte)) error {
	if b.Bucket == nil {
		return nil
	}
	return b.ForEach(func(k, v []byte) error {
		f(k, v)
		return nil
	})
}
