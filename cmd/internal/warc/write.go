package warc

import (
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Writer writes records. Each has a gzip member of its own, so files can be cut and joined between records. A Writer is
// for one goroutine.
type Writer struct {
	out io.Writer
	zip *gzip.Writer
}

// NewWriter returns a writer.
func NewWriter(out io.Writer) *Writer { return &Writer{out, gzip.NewWriter(io.Discard)} }

// Field is a named field of a record.
type Field struct{ Name, Value string }

// Write writes a record. It adds the length and the digest of its block.
func (w *Writer) Write(fields []Field, block []byte) error {
	w.zip.Reset(w.out)
	var head strings.Builder
	head.WriteString("WARC/1.1\r\n")
	for _, f := range fields {
		fmt.Fprintf(&head, "%s: %s\r\n", f.Name, clean(f.Value))
	}
	sum := sha1.Sum(block)
	fmt.Fprintf(&head, "WARC-Block-Digest: sha1:%s\r\nContent-Length: %d\r\n\r\n", base32.StdEncoding.EncodeToString(sum[:]), len(block))
	for _, part := range [][]byte{[]byte(head.String()), block, []byte("\r\n\r\n")} {
		if _, err := w.zip.Write(part); err != nil {
			return fmt.Errorf("write record: %w", err)
		}
	}
	if err := w.zip.Close(); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

// clean keeps a value on its line.
func clean(value string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(value) }

// Conversion are the fields of a record that another one was turned into (ISO 28500, 6.10).
func Conversion(of *Record, mediaType, id string) []Field {
	fields := []Field{
		{"WARC-Type", "conversion"},
		{"WARC-Target-URI", of.URI()},
		{"WARC-Date", date(of)},
		{"WARC-Record-ID", "<urn:uuid:" + id + ">"},
		{"Content-Type", mediaType},
	}
	if origin := of.Header.Get("Warc-Record-Id"); origin != "" {
		fields = append(fields, Field{"WARC-Refers-To", origin})
	}
	return fields
}

func date(of *Record) string {
	if d := of.Header.Get("Warc-Date"); d != "" {
		return d
	}
	return time.Now().UTC().Format(time.RFC3339)
}
