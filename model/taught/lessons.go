package taught

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"sort"
	"time"

	"golang.org/x/net/html/atom"
)

// Verdict is what a lesson says about its parts.
type Verdict uint8

// The verdicts. Revoked cancels a lesson; the revoked lesson is kept for a while so that replicas cancel it too.
const (
	Revoked Verdict = iota
	Noise
	Content
)

// String returns the verdict as tag mode writes it.
func (v Verdict) String() string {
	switch v {
	case Noise:
		return "noise"
	case Content:
		return "content"
	}
	return "revoked"
}

// Lesson is what somebody has said about a part of a host's pages. It holds no text: Key is a keyed hash.
type Lesson struct {
	// Key identifies the place. A new lesson about a place replaces the one before.
	Key     uint64
	Verdict Verdict
	// Tag is the part's tag, 0 for one that HTML does not know.
	Tag atom.Atom
	// At is the time of teaching, in milliseconds since 1970.
	At int64

	level level
	// share is the share of the page's kept content that the lesson was about, in 255ths.
	share uint8
}

// ID returns the key as it is written in addresses.
func (l Lesson) ID() string { return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, l.Key)) }

// Time is the time of teaching.
func (l Lesson) Time() time.Time { return time.UnixMilli(l.At).UTC() }

// Scope names what the lesson is about: parts by name (named, pathed), by place (exact, counted) or by words (worded).
func (l Lesson) Scope() string { return l.level.String() }

// errLesson says that the bytes are not a lesson.
var errLesson = errors.New("not a lesson")

// lessonBytes is the size of an encoded lesson.
const lessonBytes = 8 + 1 + 1 + 1 + 4 + 8

// MarshalBinary implements encoding.BinaryMarshaler.
func (l Lesson) MarshalBinary() ([]byte, error) {
	b := binary.BigEndian.AppendUint64(nil, l.Key)
	b = append(b, byte(l.Verdict), byte(l.level), l.share)
	b = binary.BigEndian.AppendUint32(b, uint32(l.Tag))
	return binary.BigEndian.AppendUint64(b, uint64(l.At)), nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (l *Lesson) UnmarshalBinary(b []byte) error {
	if len(b) != lessonBytes {
		return errLesson
	}
	*l = Lesson{Key: binary.BigEndian.Uint64(b), Verdict: Verdict(b[8]), level: level(b[9]), share: b[10],
		Tag: atom.Atom(binary.BigEndian.Uint32(b[11:])), At: int64(binary.BigEndian.Uint64(b[15:]))}
	if l.Verdict > Content || l.level < named || l.level > worded {
		return errLesson
	}
	if atom.Lookup([]byte(l.Tag.String())) != l.Tag { // the atom is not in this version of the table
		l.Tag = 0
	}
	return nil
}

// maxLessons bounds the lessons of a host, including revoked ones. The oldest are dropped first.
const maxLessons = 512

// lessons are those of one host by key. Merging takes the newest for each key, so it is associative, commutative and
// idempotent (a map of last-writer-wins registers: Shapiro, Preguiça, Baquero and Zawirski 2011).
type lessons map[uint64]Lesson

// add adds one lesson, unless a newer one has its key.
func (s lessons) add(l Lesson) {
	if old, ok := s[l.Key]; !ok || newer(l, old) > 0 {
		s[l.Key] = l
	}
}

// newer compares two lessons by time and, if the times are equal, by all other fields, so that the order of merging
// does not matter.
func newer(a, b Lesson) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(a.level, b.level),
		cmp.Compare(a.share, b.share), cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.Key, b.Key))
}

// merge adds the lessons of another model and drops the oldest beyond maxLessons.
func (s lessons) merge(other lessons) {
	for _, l := range other {
		s.add(l)
	}
	if len(s) > maxLessons {
		for _, l := range s.sorted()[maxLessons:] {
			delete(s, l.Key)
		}
	}
}

// sorted returns all lessons, the newest first.
func (s lessons) sorted() []Lesson {
	all := slices.Collect(maps.Values(s))
	sort.Slice(all, func(i, j int) bool { return newer(all[i], all[j]) > 0 })
	return all
}

// inForce returns the lessons that are not revoked, the newest first.
func (s lessons) inForce() []Lesson {
	return slices.DeleteFunc(s.sorted(), func(l Lesson) bool { return l.Verdict == Revoked })
}
