package model

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"unsafe"

	"github.com/dchest/siphash"
)

// Key is the secret of one installation. Every hash in a model is keyed with it, so that a stolen store does not reveal
// what was read. Replicas that share a store share a key.
type Key [16]byte

// NewKey returns a fresh random key.
func NewKey() Key {
	var k Key
	rand.Read(k[:]) // crypto/rand.Read never fails: it aborts the program instead
	return k
}

// ParseKey reads the hexadecimal form that String gives.
func ParseKey(s string) (Key, error) {
	var k Key
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(k) {
		return k, fmt.Errorf("installation key: want %d hexadecimal digits", 2*len(k))
	}
	copy(k[:], b)
	return k, nil
}

// String returns the key in hexadecimal. It is for the key file alone: never log it.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// ID identifies the key without revealing it. Models carry it, so that models of different keys are never merged.
func (k Key) ID() uint64 { return k.Hasher().String("winnow key id") }

// Hasher returns the hash function of the key: SipHash-2-4, a pseudorandom function. Without the key, nobody can
// reverse hashes with a dictionary, and no hostile page can make them collide.
func (k Key) Hasher() Hasher {
	return Hasher{binary.LittleEndian.Uint64(k[:8]), binary.LittleEndian.Uint64(k[8:])}
}

// Hasher computes keyed 64-bit hashes. It is a value and safe for concurrent use.
type Hasher struct{ k0, k1 uint64 }

// Bytes returns the hash of b.
func (h Hasher) Bytes(b []byte) uint64 { return siphash.Hash(h.k0, h.k1, b) }

// String returns the hash of s.
func (h Hasher) String(s string) uint64 {
	return h.Bytes(unsafe.Slice(unsafe.StringData(s), len(s))) // hashing changes no byte, and a copy costs more than the hash
}

// Combine hashes a sequence of hashes into one, in order.
func (h Hasher) Combine(hashes ...uint64) uint64 {
	b := make([]byte, 0, 64)
	for _, v := range hashes {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return siphash.Hash(h.k0, h.k1, b)
}
