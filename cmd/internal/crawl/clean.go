package crawl

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"os"

	"github.com/google/uuid"

	"github.com/winnow-proxy/winnow/cmd/internal/warc"
)

// Form is what a cleaned archive is written as.
type Form string

// FormWARC is an archive of conversion records, as WET files are; FormJSONL has a JSON object on each line.
const (
	FormWARC  Form = "warc"
	FormJSONL Form = "jsonl"
)

// Extension is that of files in the form.
func (f Form) Extension() string {
	if f == FormJSONL {
		return ".jsonl"
	}
	return ".warc.gz"
}

// Clean cleans an archive into out. It works in a file beside out, notes its place, and goes on there when it was
// killed: no record is lost or written twice. Where out is there already, it does nothing and returns false. Standard
// input is cleaned from where it is, since it can differ from what a killed process read.
func (r *Reader) Clean(ctx context.Context, file, out string, form Form) (c Counts, done bool, err error) {
	if _, err := os.Lstat(out); err == nil {
		return Counts{}, false, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Counts{}, false, err
	}
	w, err := openOutput(out, form, file == Stdin)
	if err != nil {
		return Counts{}, false, err
	}
	r.Progress(w.at.Next.Offset)
	var due notes
	err = r.each(ctx, file, w.at.Next, func(s step) error {
		r.count(&w.at.Counts, file, s)
		if s.damage == nil && s.item.Reason == "" {
			if err := w.put(s.item); err != nil {
				w.broken = true
				return err
			}
		}
		w.at.Next = s.next
		return due.when(func() error { return r.note(ctx, w) })
	})
	if !w.broken { // else there may be a part of a record: what was noted before stands
		err = errors.Join(err, r.note(context.WithoutCancel(ctx), w))
	}
	if err != nil {
		return w.at.Counts, false, errors.Join(err, w.file.Close())
	}
	return w.at.Counts, true, w.finish(out)
}

// note notes the place of an output, and first saves what was learned up to there.
func (r *Reader) note(ctx context.Context, w *output) error {
	if r.Learning != nil {
		if err := saved(ctx, r.Learning); err != nil {
			return err
		}
	}
	return w.note()
}

// CleanTo cleans an archive into a stream. It can't go on where it was killed.
func (r *Reader) CleanTo(ctx context.Context, file string, to io.Writer, form Form) (c Counts, err error) {
	w := newOutput(to, form)
	err = r.each(ctx, file, warc.Position{}, func(s step) error {
		r.count(&c, file, s)
		if s.damage == nil && s.item.Reason == "" {
			return w.put(s.item)
		}
		return nil
	})
	return c, errors.Join(err, w.buf.Flush())
}

// output is what is being written.
type output struct {
	buf     *bufio.Writer
	records *warc.Writer
	form    Form

	// file is where it goes, with a note of its place; nil for a stream.
	file   *os.File
	name   string
	at     place
	broken bool
}

func newOutput(to io.Writer, form Form) *output {
	buf := bufio.NewWriterSize(to, 1<<20)
	return &output{form: form, buf: buf, records: warc.NewWriter(buf)}
}

// openOutput opens the output where it was noted the last time, or anew.
func openOutput(out string, form Form, anew bool) (*output, error) {
	name := out + ".part"
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	w := newOutput(f, form)
	w.file, w.name = f, name
	if !anew {
		if err := readJSON(w.noteFile(), &w.at); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	// What is behind the note was written by a process that was killed before it noted it.
	if st, err := f.Stat(); err != nil || st.Size() < w.at.Written {
		return nil, errors.Join(fmt.Errorf("%s is shorter than %s says: remove both to begin anew", w.name, w.noteFile()), err, f.Close())
	}
	if err := f.Truncate(w.at.Written); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.Seek(w.at.Written, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

func (w *output) noteFile() string { return w.name + ".json" }

// put writes a page.
func (w *output) put(i Item) error {
	if w.form == FormJSONL {
		return i.WriteLine(w.buf)
	}
	return w.records.Write(warc.Conversion(i.Record, i.MediaType, i.id()), i.Body)
}

// id is the same each time a record is cleaned.
func (i Item) id() string {
	name := i.Record.Header.Get("Warc-Record-Id") + " " + i.Record.URI() + " " + i.MediaType
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String()
}

// WriteLine writes a page as a line of JSON.
func (i Item) WriteLine(to io.Writer) error {
	line := struct {
		URL     string          `json:"url"`
		Date    string          `json:"date,omitempty"`
		Type    string          `json:"type"`
		Content string          `json:"content,omitempty"`
		Page    json.RawMessage `json:"page,omitempty"`
	}{URL: i.Record.URI(), Date: i.Record.Header.Get("Warc-Date"), Type: i.MediaType}
	if t, _, err := mime.ParseMediaType(i.MediaType); err == nil && t == "application/json" {
		line.Page = i.Body
	} else {
		line.Content = string(i.Body)
	}
	return json.NewEncoder(to).Encode(line)
}

// note sees to it that what was written is on the disk, and notes the place.
func (w *output) note() error {
	if err := errors.Join(w.buf.Flush(), w.file.Sync()); err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	var err error
	if w.at.Written, err = w.file.Seek(0, io.SeekCurrent); err != nil {
		return err
	}
	return writeJSON(w.noteFile(), w.at)
}

// finish gives the output its name.
func (w *output) finish(out string) error {
	if err := w.file.Close(); err != nil {
		return err
	}
	return errors.Join(os.Rename(w.name, out), os.Remove(w.noteFile()))
}
