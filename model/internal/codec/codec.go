// Package codec frames the binary encodings of host models and reads them back. A frame is
//
//	magic, version byte, key id (8 bytes)
//	body
//	keyed hash of all that (8 bytes)
//
// Bodies have a binary format of our own, not CBOR. Nearly all of a body is sorted hashes, which are a third shorter as
// differences, and small counts, each of which would cost a type byte in CBOR.
package codec

import (
	"encoding/binary"
	"fmt"

	"github.com/winnow-proxy/winnow/model"
)

// Format is one kind of encoding.
type Format struct {
	// What names the encoded thing in errors: "style tree".
	What string
	// Magic starts every encoding, Version follows it.
	Magic   string
	Version byte
}

const (
	keyBytes      = 8
	checksumBytes = 8
	// maxBytes is the length of the longest accepted encoding, unless the caller's limit is higher. Its decoded form is
	// harmless until it is shrunk to the budget.
	maxBytes = 4 << 20
)

// Overhead is the number of bytes that a frame adds to its body.
func (f Format) Overhead() int { return len(f.Magic) + 1 + keyBytes + checksumBytes }

// Seal frames body.
func (f Format) Seal(key model.Key, body []byte) []byte {
	b := make([]byte, 0, len(body)+f.Overhead())
	b = append(append(b, f.Magic...), f.Version)
	b = binary.LittleEndian.AppendUint64(b, key.ID())
	b = append(b, body...)
	return binary.LittleEndian.AppendUint64(b, key.Hasher().Bytes(b))
}

// Open checks the frame and returns a reader of the body. It returns [model.ErrFormat] (wrapped) for damaged, foreign
// or newer input, together with [model.ErrMismatch] for another key. limit is the budget of an encoding.
func (f Format) Open(key model.Key, limit int, b []byte) (*Reader, error) {
	end, body := len(b)-checksumBytes, len(f.Magic)+1+keyBytes
	switch {
	case end < body || string(b[:len(f.Magic)]) != f.Magic:
		return nil, f.errorf("not of this format")
	case len(b) > max(maxBytes, limit):
		return nil, f.errorf("%d bytes, more than a model may have", len(b))
	case b[len(f.Magic)] != f.Version:
		return nil, f.errorf("version %d, want %d", b[len(f.Magic)], f.Version)
	case binary.LittleEndian.Uint64(b[len(f.Magic)+1:]) != key.ID():
		return nil, fmt.Errorf("%s: written with another installation key: %w: %w", f.What, model.ErrFormat, model.ErrMismatch)
	case binary.LittleEndian.Uint64(b[end:]) != key.Hasher().Bytes(b[:end]):
		return nil, f.errorf("damaged: the checksum does not match")
	}
	return &Reader{format: f, b: b[body:end]}, nil
}

// Part returns a reader of a separately encoded part of a body, such as a compressed one.
func (f Format) Part(b []byte) *Reader { return &Reader{format: f, b: b} }

func (f Format) errorf(what string, args ...any) error {
	return fmt.Errorf("%s: %s: %w", f.What, fmt.Sprintf(what, args...), model.ErrFormat)
}

// AppendAscending appends the number of the values and their differences. The values are ascending.
func AppendAscending[T ~uint32 | ~uint64](b []byte, values []T) []byte {
	b = binary.AppendUvarint(b, uint64(len(values)))
	var last T
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v-last))
		last = v
	}
	return b
}
