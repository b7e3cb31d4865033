package natsstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/durable"
)

// state is what survives a restart, in one file that is replaced as a whole:
//
//	"WNFS"    4 bytes
//	version   1 byte, 2
//	stream    8 bytes, little endian: when the stream was created, Unix nanoseconds
//	position  8 bytes, little endian: the sequence up to which all changes are in the local store
//	hosts     their number as uvarint; each: subject (length as uvarint, bytes), generation (uvarint)
//	unsent    each: kind (1 byte), then ID, subject and data: length as uvarint, bytes
//	checksum  4 bytes, CRC-32C of all before, little endian
type state struct {
	// stream tells a stream from one of the same name that was created later, whose sequences begin again.
	stream   int64
	position uint64
	// generations are those of hosts that were forgotten or replaced, by subject.
	generations map[string]uint64
	unsent      []unsent
}

const (
	stateMagic   = "WNFS"
	stateVersion = 2
	stateHead    = len(stateMagic) + 1 + 8 + 8
)

// errState says that bytes are not a state.
var errState = errors.New("not a state of this version, or damaged")

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func (s state) encode() []byte {
	b := append([]byte(stateMagic), stateVersion)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.stream))
	b = binary.LittleEndian.AppendUint64(b, s.position)
	b = binary.AppendUvarint(b, uint64(len(s.generations)))
	for _, subject := range slices.Sorted(maps.Keys(s.generations)) {
		b = append(binary.AppendUvarint(b, uint64(len(subject))), subject...)
		b = binary.AppendUvarint(b, s.generations[subject])
	}
	for _, u := range s.unsent {
		b = append(b, byte(u.kind))
		for _, part := range [][]byte{[]byte(u.id), []byte(u.subject), u.data} {
			b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
		}
	}
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

func readState(b []byte) (s state, err error) {
	end := len(b) - 4
	if end < stateHead || string(b[:len(stateMagic)]) != stateMagic || b[len(stateMagic)] != stateVersion ||
		binary.LittleEndian.Uint32(b[end:]) != checksum(b[:end]) {
		return state{}, errState
	}
	s.stream = int64(binary.LittleEndian.Uint64(b[len(stateMagic)+1:]))
	s.position = binary.LittleEndian.Uint64(b[len(stateMagic)+9:])
	if b, err = s.readGenerations(b[stateHead:end]); err != nil {
		return state{}, err
	}
	for len(b) > 0 {
		u := unsent{kind: cache.ChangeKind(b[0])}
		b = b[1:]
		var parts [3][]byte
		for i := range parts {
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return state{}, errState
			}
			parts[i], b = b[n:n+int(size)], b[n+int(size):]
		}
		u.id, u.subject, u.data = string(parts[0]), string(parts[1]), parts[2]
		s.unsent = append(s.unsent, u)
	}
	return s, nil
}

// readGenerations reads what encode wrote of hosts, and returns what follows.
func (s *state) readGenerations(b []byte) (rest []byte, err error) {
	hosts, n := binary.Uvarint(b)
	if n <= 0 || hosts > maxGenerations {
		return nil, errState
	}
	b = b[n:]
	for range hosts {
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return nil, errState
		}
		subject, after := string(b[n:n+int(size)]), b[n+int(size):]
		generation, n := binary.Uvarint(after)
		if n <= 0 {
			return nil, errState
		}
		if s.generations == nil {
			s.generations = map[string]uint64{}
		}
		s.generations[subject], b = generation, after[n:]
	}
	return b, nil
}

// loadState reads the file. A missing file is a new state.
func loadState(path string) (state, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, nil
	}
	if err != nil {
		return state{}, fmt.Errorf("read what is to be sent to the fleet: %w", err)
	}
	s, err := readState(b)
	if err != nil {
		return state{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// save replaces the file.
func (s state) save(path string) error {
	if err := durable.Replace(path, s.encode()); err != nil {
		return fmt.Errorf("save what is to be sent to the fleet: %w", err)
	}
	return nil
}
