package cache

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/winnow-proxy/winnow/model"
)

// envelope is the form in which a model is stored and exported:
//
//	"WNMD"    4 bytes
//	version   1 byte, 2; version 1 had neither uses nor client
//	detector  length as uvarint, bytes
//	key ID    8 bytes, little endian
//	host      length as uvarint, bytes
//	pages     uvarint     ┐ the summary, so that a listing need not decode the model;
//	last seen varint      │ Unix seconds, math.MinInt64 for none
//	uses      uvarint     │
//	client    8 bytes     ┘ little endian
//	model     what model.Host.Encode wrote, to the checksum
//	checksum  4 bytes, CRC-32C of all before, little endian
//
// The detector's name keeps one detector from reading a value of another. The host keeps a store with a damaged index
// from returning the model of another host.
type envelope struct {
	detector string
	keyID    uint64
	host     string
	Summary
	model []byte
}

// Summary is what a listing shows of a stored model and what the eviction from a full store goes by.
type Summary struct {
	// Pages is the number of distinct pages learned, LastSeen the time of the newest.
	Pages    int
	LastSeen time.Time
	// Uses is how many pages were marked with the model.
	Uses uint64
	// Client is a keyed hash of the client that taught the model first, 0 where that is not known.
	Client uint64
}

const (
	envelopeMagic   = "WNMD"
	envelopeVersion = 2
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// seal returns the encoded envelope.
func (e envelope) seal() []byte {
	b := make([]byte, 0, len(e.detector)+len(e.host)+len(e.model)+48)
	b = append(b, envelopeMagic...)
	b = append(b, envelopeVersion)
	b = binary.AppendUvarint(b, uint64(len(e.detector)))
	b = append(b, e.detector...)
	b = binary.LittleEndian.AppendUint64(b, e.keyID)
	b = binary.AppendUvarint(b, uint64(len(e.host)))
	b = append(b, e.host...)
	b = binary.AppendUvarint(b, uint64(max(e.Pages, 0)))
	seconds := int64(math.MinInt64)
	if !e.LastSeen.IsZero() {
		seconds = e.LastSeen.Unix()
	}
	b = binary.AppendVarint(b, seconds)
	b = binary.AppendUvarint(b, e.Uses)
	b = binary.LittleEndian.AppendUint64(b, e.Client)
	b = append(b, e.model...)
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

// openEnvelope reads what seal wrote. It returns model.ErrFormat (wrapped) for anything else. The model in it shares
// b's memory.
func openEnvelope(b []byte) (envelope, error) {
	e, err := readHead(b)
	if err != nil {
		return envelope{}, err
	}
	if len(e.model) < 4 || binary.LittleEndian.Uint32(b[len(b)-4:]) != checksum(b[:len(b)-4]) {
		return envelope{}, fmt.Errorf("%w: its checksum is wrong, so it is damaged", model.ErrFormat)
	}
	e.model = e.model[:len(e.model)-4]
	return e, nil
}

// readHead reads the fields before the model. It leaves the checksum to openEnvelope.
func readHead(b []byte) (e envelope, err error) {
	r := reader{b: b}
	if string(r.next(4)) != envelopeMagic {
		return envelope{}, fmt.Errorf("%w: it does not begin with a model's signature", model.ErrFormat)
	}
	version := r.next(1)
	if len(version) != 1 || version[0] < 1 || version[0] > envelopeVersion {
		return envelope{}, fmt.Errorf("%w: version %v, this one reads %d", model.ErrFormat, version, envelopeVersion)
	}
	e.detector = string(r.next(r.uvarint()))
	if id := r.next(8); len(id) == 8 {
		e.keyID = binary.LittleEndian.Uint64(id)
	}
	e.host = string(r.next(r.uvarint()))
	e.Pages = int(min(r.uvarint(), math.MaxInt))
	if seconds := r.varint(); seconds != math.MinInt64 {
		e.LastSeen = time.Unix(seconds, 0).UTC()
	}
	if version[0] > 1 {
		e.Uses = r.uvarint()
		if client := r.next(8); len(client) == 8 {
			e.Client = binary.LittleEndian.Uint64(client)
		}
	}
	e.model = r.b
	if r.short {
		return envelope{}, fmt.Errorf("%w: it ends too early", model.ErrFormat)
	}
	return e, nil
}

// Describe returns the summary of a stored value. It reads only the head of the value and does not verify the checksum.
// A value that can't be read has the zero Summary.
func Describe(value []byte) Summary {
	e, err := readHead(value)
	if err != nil {
		return Summary{}
	}
	return e.Summary
}

// Seal returns model as a stored value of host, in the form that Models passes to a Store. It serves tests and tools.
func Seal(detector string, keyID uint64, host string, s Summary, model []byte) []byte {
	return envelope{detector: detector, keyID: keyID, host: host, Summary: s, model: model}.seal()
}

// reader parses an encoding. It sets short when the input ends too early.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) next(n uint64) []byte {
	if r.short || n > uint64(len(r.b)) {
		r.short = true
		return nil
	}
	head := r.b[:n]
	r.b = r.b[n:]
	return head
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	return r.number(v, n)
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	return int64(r.number(uint64(v), n))
}

func (r *reader) number(v uint64, n int) uint64 {
	if r.short || n <= 0 {
		r.short = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

// decode opens b and decodes its model, which must belong to host.
func (m *Models) decode(host string, b []byte) (model.Host, error) {
	e, err := openEnvelope(b)
	if err != nil {
		return nil, err
	}
	if e.host != host {
		return nil, fmt.Errorf("%w: it belongs to %q", model.ErrFormat, e.host)
	}
	return m.decodeModel(e)
}

func (m *Models) decodeModel(e envelope) (decoded model.Host, err error) {
	if name := m.opt.Detector.Name(); e.detector != name {
		return nil, fmt.Errorf("%w: it belongs to detector %q, not to %q", model.ErrMismatch, e.detector, name)
	}
	if e.keyID != m.opt.Key.ID() {
		return nil, fmt.Errorf("%w: it was made with another installation key", model.ErrMismatch)
	}
	panicked := m.contain("decode", e.host, func() { decoded, err = m.opt.Detector.Decode(m.opt.Key, e.model) })
	if panicked != nil {
		return nil, fmt.Errorf("%w: %w", model.ErrFormat, panicked)
	}
	return decoded, err
}
