// Package warc reads and writes web archives (WARC 1.0 and 1.1, ISO 28500), plain or packed by gzip. Archives of crawls
// are large and often damaged: the reader gives the position of each record, keeps to a bound of memory, and goes on
// behind what it can't read.
package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// Record is one record of an archive.
type Record struct {
	// Header has the named fields.
	Header textproto.MIMEHeader
	// Block is what the record holds. It is nil where it is larger than the reader's bound.
	Block []byte
	// Length is the length of the block that the header declares, in bytes.
	Length int64
}

// Type is the type of a record: response, request, warcinfo, …
func (r *Record) Type() string { return r.Header.Get("Warc-Type") }

// URI is the address that a record is about, without the angle brackets that some writers put around it.
func (r *Record) URI() string {
	return strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Warc-Target-Uri"), "<"), ">")
}

// Position is where a record begins: the offset in the file, packed or plain, where its member of gzip begins, and how
// many records of that member are before it.
type Position struct {
	Offset int64 `json:"offset"`
	Inside int   `json:"inside,omitempty"`
}

// DamageError says that a part of an archive can't be read. The reader can go on.
type DamageError struct {
	At  Position
	Err error
}

// Error implements error.
func (e *DamageError) Error() string { return fmt.Sprintf("at byte %d: %v", e.At.Offset, e.Err) }

// Unwrap returns the cause.
func (e *DamageError) Unwrap() error { return e.Err }

// Reader reads an archive from its beginning or from a position. It is for one goroutine.
type Reader struct {
	file   io.Reader
	stream *rewinder // file, where that can't seek
	in     *counter
	most   int64

	packed, known bool
	zip           *gzip.Reader
	member        *bufio.Reader // nil between members
	resumed       int           // how much damage the member had
	at, next      Position
}

// NewReader returns a reader of an archive from a position; file must already be at its offset. Blocks larger than most
// bytes are left out. If file can seek, damage costs no other record. Of a stream, the reader keeps a few times most
// bytes to that end: a record whose length is a lie by more than that costs what it covers.
func NewReader(file io.Reader, from Position, most int64) (*Reader, error) {
	r := &Reader{file: file, most: most, next: Position{Offset: from.Offset}}
	if _, ok := file.(io.Seeker); !ok {
		r.stream = &rewinder{in: file, most: 2*most + buffer, start: from.Offset, at: from.Offset}
		r.file = r.stream
	}
	r.in = newCounter(r.file, from.Offset)
	for range from.Inside {
		damage := (*DamageError)(nil)
		if _, err := r.Next(); err != nil && !errors.As(err, &damage) {
			return nil, fmt.Errorf("go to where the work ended: %w", err)
		}
	}
	return r, nil
}

// Position is where the next record begins.
func (r *Reader) Position() Position { return r.next }

// Next returns the next record. After a [*DamageError], the next call continues behind the damage. At the end, the
// error is io.EOF.
func (r *Reader) Next() (*Record, error) {
	r.at = r.next
	if r.stream != nil {
		r.stream.needed = r.at.Offset
	}
	rec, err := r.record()
	switch {
	case err == nil:
		return rec, nil
	case errors.Is(err, errEnd):
		return nil, io.EOF
	}
	damage := &DamageError{r.at, err}
	if r.resume(err) {
		return nil, damage
	}
	if err := r.skip(); err != nil {
		return nil, errors.Join(damage, err)
	}
	return nil, damage
}

// resume goes on behind a bad record of a member of gzip, in that member or at its end. It returns false where the
// member itself is damaged.
func (r *Reader) resume(err error) bool {
	bad := (*recordError)(nil)
	if r.member == nil || !errors.As(err, &bad) {
		return false
	}
	r.resumed++
	if r.resumed > maxResumed {
		return false
	}
	r.member = bufio.NewReader(io.MultiReader(bytes.NewReader(bad.taken), r.member))
	switch err := find(r.member, sign); {
	case err == nil:
		r.next.Inside++
	case errors.Is(err, io.EOF): // the member is sound to its end
		r.member = nil
		r.next = Position{Offset: r.in.offset()}
	default:
		return false
	}
	return true
}

// maxResumed bounds the damage in one member of gzip, since a search for the next record costs time and memory.
const maxResumed = 1000

// find goes to the next place that has the text.
func find(in *bufio.Reader, text string) error {
	for {
		ahead, err := in.Peek(len(text))
		if err != nil {
			return err
		}
		if string(ahead) == text {
			return nil
		}
		if _, err := in.Discard(1); err != nil {
			return err
		}
	}
}

// errEnd is the end of the file where a record may begin.
var errEnd = errors.New("end of the archive")

func (r *Reader) record() (*Record, error) {
	if !r.known {
		magic, err := r.in.Peek(2)
		if err != nil && len(magic) == 0 {
			return nil, endOr(err)
		}
		r.known, r.packed = true, bytes.Equal(magic, []byte{0x1f, 0x8b})
	}
	if !r.packed {
		rec, err := readRecord(r.in.Reader, r.most)
		r.next = Position{Offset: r.in.offset()}
		return rec, err
	}
	for {
		if r.member == nil {
			if err := r.open(); err != nil {
				return nil, err
			}
		}
		rec, err := readRecord(r.member, r.most)
		if errors.Is(err, errEnd) {
			r.member = nil
			r.next = Position{Offset: r.in.offset()}
			r.at = r.next
			continue
		}
		if err == nil {
			r.advance()
		}
		return rec, err
	}
}

// advance finds where the next record begins: in this member of gzip, or in the next.
func (r *Reader) advance() {
	r.next.Inside++
	if _, err := r.member.Peek(1); errors.Is(err, io.EOF) {
		r.member = nil
		r.next = Position{Offset: r.in.offset()}
	}
}

// open opens the next member of gzip.
func (r *Reader) open() error {
	if _, err := r.in.Peek(1); err != nil {
		return endOr(err)
	}
	var err error
	if r.zip == nil {
		r.zip, err = gzip.NewReader(r.in)
	} else {
		err = r.zip.Reset(r.in)
	}
	if err != nil {
		return unexpected(err)
	}
	r.zip.Multistream(false)
	r.member, r.resumed = bufio.NewReader(r.zip), 0
	return nil
}

// skip goes to where the next record seems to begin.
func (r *Reader) skip() error {
	from := r.at.Offset + 1
	if _, err := r.file.(io.Seeker).Seek(from, io.SeekStart); err == nil {
		r.in = newCounter(r.file, from)
	} else if !errors.Is(err, errNotKept) {
		return err
	}
	text := sign
	if r.packed {
		text, r.member, r.zip = "\x1f\x8b\x08", nil, nil
	}
	err := find(r.in.Reader, text)
	if errors.Is(err, io.EOF) {
		_, err = io.Copy(io.Discard, r.in)
	}
	r.next = Position{Offset: r.in.offset()}
	return err
}

// sign is how each record begins.
const sign = "WARC/1."

// recordError says that a record is not as it should be.
type recordError struct {
	error
	// taken is what was read behind the record's header.
	taken []byte
}

// Unwrap returns the cause.
func (e *recordError) Unwrap() error { return e.error }

// maxHeader bounds the header of a record, in bytes.
const maxHeader = 64 << 10

// readRecord reads one record and what is between it and the next. The error is errEnd where nothing follows.
func readRecord(in *bufio.Reader, most int64) (*Record, error) {
	line, err := firstLine(in)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(line, sign) {
		return nil, &recordError{error: errors.New("this is no record of WARC 1")}
	}
	bounded := &io.LimitedReader{R: oneByte{in}, N: maxHeader}
	header, err := textproto.NewReader(bufio.NewReaderSize(bounded, 16)).ReadMIMEHeader()
	if err != nil {
		return nil, &recordError{error: fmt.Errorf("header: %w", unexpected(err))}
	}
	rec := &Record{Header: header}
	rec.Length, err = strconv.ParseInt(header.Get("Content-Length"), 10, 64)
	if err != nil || rec.Length < 0 {
		return nil, &recordError{error: fmt.Errorf("Content-Length %q is no length", header.Get("Content-Length"))}
	}
	if rec.Length > most {
		_, err = io.CopyN(io.Discard, in, rec.Length)
	} else {
		rec.Block = make([]byte, rec.Length)
		var n int
		n, err = io.ReadFull(in, rec.Block)
		rec.Block = rec.Block[:n]
	}
	if err != nil {
		return nil, &recordError{fmt.Errorf("block of %d bytes: %w", rec.Length, unexpected(err)), rec.Block}
	}
	if gap, err := readGap(in); err != nil {
		return nil, &recordError{err, append(rec.Block, gap...)}
	}
	return rec, nil
}

// firstLine reads the first line of a record, and empty ones before it.
func firstLine(in *bufio.Reader) (string, error) {
	for {
		line, err := in.ReadSlice('\n')
		text := strings.TrimRight(string(line), "\r\n")
		switch {
		case errors.Is(err, io.EOF) && text == "":
			return "", errEnd
		case err != nil:
			return "", unexpected(err)
		case text != "":
			return text, nil
		}
	}
}

// readGap reads the two empty lines after a record. Where there is something else, its length was a lie.
func readGap(in *bufio.Reader) (gap []byte, err error) {
	gap = make([]byte, 4)
	if n, err := io.ReadFull(in, gap); err != nil {
		return gap[:n], fmt.Errorf("end of the record: %w", unexpected(err))
	}
	if string(gap) != "\r\n\r\n" {
		return gap, errors.New("the block is not as long as it says")
	}
	return nil, nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func endOr(err error) error {
	if errors.Is(err, io.EOF) {
		return errEnd
	}
	return err
}

// counter counts what was taken of a file. As a byte reader it keeps gzip from reading ahead.
type counter struct {
	*bufio.Reader
	from *counted
}

func newCounter(file io.Reader, offset int64) *counter {
	from := &counted{file, offset}
	return &counter{bufio.NewReaderSize(from, buffer), from}
}

// buffer is the most bytes that are read ahead of a file.
const buffer = 256 << 10

func (c *counter) offset() int64 { return c.from.n - int64(c.Buffered()) }

// counted counts what was read of a file.
type counted struct {
	file io.Reader
	n    int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.file.Read(p)
	c.n += int64(n)
	return n, err
}

// oneByte reads a byte at a time, so that who reads ahead takes nothing of what follows.
type oneByte struct{ *bufio.Reader }

// Read implements io.Reader.
func (o oneByte) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := o.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}
