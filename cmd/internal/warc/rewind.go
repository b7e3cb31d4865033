package warc

import (
	"errors"
	"io"
)

// rewinder lets the reader of a stream that can't seek go back to where the record that it reads begins, so that damage
// costs no other record. It keeps a bounded part of the stream.
type rewinder struct {
	in io.Reader
	// kept are the bytes that were read from start on. At most so many are kept.
	kept        []byte
	start, most int64
	// at is where the next read begins, needed the first offset that may still be wanted.
	at, needed int64
}

// errNotKept says that the stream has gone on too far.
var errNotKept = errors.New("this part of the stream is gone")

// Read implements io.Reader.
func (r *rewinder) Read(p []byte) (int, error) {
	if behind := r.start + int64(len(r.kept)) - r.at; behind > 0 {
		n := copy(p, r.kept[int64(len(r.kept))-behind:])
		r.at += int64(n)
		return n, nil
	}
	n, err := r.in.Read(p)
	r.at += int64(n)
	r.keep(p[:n])
	return n, err
}

// keep keeps what was read. Where the bound is reached, it gives up everything.
func (r *rewinder) keep(b []byte) {
	if gone := min(r.needed-r.start, int64(len(r.kept))); gone > 2*buffer { // else copying would cost too much
		r.kept = r.kept[:copy(r.kept, r.kept[gone:])]
		r.start += gone
	}
	if int64(len(r.kept)+len(b)) > r.most {
		r.kept, r.start = r.kept[:0], r.at
		return
	}
	r.kept = append(r.kept, b...)
}

// Seek implements io.Seeker for offsets from the start of the stream, as far as they are kept.
func (r *rewinder) Seek(offset int64, _ int) (int64, error) {
	if offset < r.start || offset > r.start+int64(len(r.kept)) {
		return 0, errNotKept
	}
	r.at = offset
	return offset, nil
}
