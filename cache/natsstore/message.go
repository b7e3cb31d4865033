package natsstore

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
)

// A message is:
//
//	"WNFL"   4 bytes
//	version  1 byte, 2
//	key ID   8 bytes, little endian
//	nonce    24 bytes
//	sealed   XChaCha20-Poly1305 of what follows, with the subject as additional data:
//
//	kind     1 byte: a cache.ChangeKind, or snapshot
//	origin   8 bytes: which run of which replica published it
//	counter  uvarint: which of its messages it is, from 1
//	generation  uvarint: how often the host was forgotten or replaced, this time included
//	covers   uvarint: for a snapshot, the sequence of the host's message before it
//	host     length as uvarint, bytes
//	value    the sealed model
//
// So the server learns neither hosts nor counts, and nobody without the key can make a message or move one to another
// host. The key is derived from the fleet's, which never travels.
type message struct {
	kind   cache.ChangeKind
	origin uint64
	// counter and generation tell a message from one that was recorded, see replay.go.
	counter, generation uint64
	covers              uint64
	host                string
	value               []byte
}

const (
	messageMagic   = "WNFL"
	messageVersion = 2
	headBytes      = len(messageMagic) + 1 + 8 + chacha20poly1305.NonceSizeX
	// maxHost is longer than any host with a port.
	maxHost = 300
)

// snapshot is the kind of a message that replaces all messages of its host before it. For replicas that have applied
// those, it is an offer.
const snapshot cache.ChangeKind = 128

// Errors of open.
var (
	errDamaged = errors.New("not a message of a winnow, or damaged")
	errVersion = errors.New("a message of another version of winnow")
	errOld     = errors.New("a message that is older than what is known, or was sent before")
	errKey     = errors.New("a message of a fleet with another key")
	// errDetector is for messages with the right key.
	errDetector = errors.New("a message of a replica with another --detector")
)

// codec seals and opens the messages of one fleet. It is safe for concurrent use.
type codec struct {
	aead    cipher.AEAD
	keyID   uint64
	subject func(host string) string
}

// newCodec returns the codec of a fleet. Its subjects begin with prefix, and each detector has subjects of its own.
func newCodec(key model.Key, prefix, detector string) (*codec, error) {
	secrets, err := hkdf.Key(sha256.New, key[:], nil, "winnow fleet messages 1", chacha20poly1305.KeySize)
	if err != nil {
		return nil, fmt.Errorf("derive the key of messages: %w", err)
	}
	aead, err := chacha20poly1305.NewX(secrets)
	if err != nil {
		return nil, fmt.Errorf("derive the key of messages: %w", err)
	}
	subject := func(host string) string {
		sum, err := hkdf.Key(sha256.New, key[:], nil, "winnow fleet subject "+detector+" "+host, 16)
		if err != nil {
			panic(err) // can't happen: the length is allowed
		}
		return prefix + "." + hex.EncodeToString(sum)
	}
	return &codec{aead: aead, keyID: key.ID(), subject: subject}, nil
}

// seal returns m as a message for the subject of its host.
func (c *codec) seal(m message) []byte {
	plain := make([]byte, 0, len(m.host)+len(m.value)+32)
	plain = append(plain, byte(m.kind))
	plain = binary.LittleEndian.AppendUint64(plain, m.origin)
	for _, n := range []uint64{m.counter, m.generation, m.covers} {
		plain = binary.AppendUvarint(plain, n)
	}
	plain = binary.AppendUvarint(plain, uint64(len(m.host)))
	plain = append(append(plain, m.host...), m.value...)

	b := make([]byte, 0, headBytes+len(plain)+chacha20poly1305.Overhead)
	b = append(append(b, messageMagic...), messageVersion)
	b = binary.LittleEndian.AppendUint64(b, c.keyID)
	nonce := b[len(b) : len(b)+chacha20poly1305.NonceSizeX]
	rand.Read(nonce) // crypto/rand.Read never fails: it aborts the program instead
	return c.aead.Seal(b[:headBytes], nonce, plain, []byte(c.subject(m.host)))
}

// open reads what seal wrote for the subject. The value shares no memory with b.
func (c *codec) open(subject string, b []byte) (m message, err error) {
	if len(b) < headBytes || string(b[:len(messageMagic)]) != messageMagic {
		return m, errDamaged
	}
	if b[len(messageMagic)] != messageVersion {
		return m, errVersion
	}
	if binary.LittleEndian.Uint64(b[len(messageMagic)+1:]) != c.keyID {
		return m, errKey
	}
	plain, err := c.aead.Open(nil, b[headBytes-chacha20poly1305.NonceSizeX:headBytes], b[headBytes:], []byte(subject))
	if err != nil {
		return m, errDamaged
	}
	return readMessage(plain)
}

func readMessage(b []byte) (m message, err error) {
	if len(b) < 1+8 {
		return m, errDamaged
	}
	m.kind, m.origin = cache.ChangeKind(b[0]), binary.LittleEndian.Uint64(b[1:])
	if (m.kind < cache.Learned || m.kind > cache.Forgotten) && m.kind != snapshot {
		return message{}, errVersion
	}
	b = b[1+8:]
	for _, field := range []*uint64{&m.counter, &m.generation, &m.covers} {
		var n int
		if *field, n = binary.Uvarint(b); n <= 0 {
			return message{}, errDamaged
		}
		b = b[n:]
	}
	size, n := binary.Uvarint(b)
	if n <= 0 || size == 0 || size > maxHost || size > uint64(len(b)-n) {
		return message{}, errDamaged
	}
	m.host, m.value = string(b[n:n+int(size)]), b[n+int(size):]
	return m, nil
}
