package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/durable"
	"github.com/winnow-proxy/winnow/cmd/internal/warc"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Patient are models that take every page to learn, however long that lasts. Pupil, where it is set, judges nothing:
// pages that only teach need no verdicts.
type Patient struct {
	*cache.Models
	Pupil bool
}

// Mark implements pipeline.Models.
func (m Patient) Mark(ctx context.Context, host string, p *page.Page, v model.Visit) (*page.Marking, error) {
	if m.Pupil {
		return &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}, nil
	}
	return m.Models.Mark(ctx, host, p, v)
}

// LearnFrom implements pipeline.Models. It waits while the queue is full.
func (m Patient) LearnFrom(client, host string, p *page.Page, v model.Visit) bool {
	for !m.Models.LearnFrom(client, host, p, v) {
		if m.Drain(context.Background()) != nil {
			return false
		}
	}
	return true
}

// learned is how far the archives of a data folder have been learned, by the absolute path of each.
type learned map[string]*place

// place is how far an archive was read.
type place struct {
	Next   warc.Position `json:"next"`
	Done   bool          `json:"done,omitempty"`
	Counts Counts        `json:"counts"`
	// Written is how long the output was.
	Written int64 `json:"written,omitempty"`
}

// learnedFile is the name, in the data folder, of the file that says what was learned.
const learnedFile = "learned-archives.json"

// Learn learns the pages of an archive for a data folder, from where that was ended the last time. The models are
// saved with each note of the place, so that a page is learned again only where the process was killed between both,
// which a model recognises. Of standard input no place is noted: what it has can differ the next time.
func (r *Reader) Learn(ctx context.Context, models *cache.Models, folder, file string) (Counts, error) {
	note := filepath.Join(folder, learnedFile)
	all := learned{}
	if err := readJSON(note, &all); err != nil {
		return Counts{}, err
	}
	at := &place{}
	if file != Stdin {
		name, err := filepath.Abs(file)
		if err != nil {
			return Counts{}, err
		}
		if all[name] == nil {
			all[name] = at
		}
		at = all[name]
	}
	if at.Done {
		return at.Counts, nil
	}
	r.Progress(at.Next.Offset)
	save := func() error {
		if err := saved(ctx, models); err != nil || file == Stdin {
			return err
		}
		return writeJSON(note, all)
	}
	var due notes
	err := r.each(ctx, file, at.Next, func(s step) error {
		r.count(&at.Counts, file, s)
		at.Next = s.next
		return due.when(save)
	})
	if err != nil {
		return at.Counts, err
	}
	at.Done = true
	return at.Counts, save()
}

// saved sees to it that what was read so far is learned and in the store.
func saved(ctx context.Context, models *cache.Models) error {
	return errors.Join(models.Drain(ctx), models.Flush(ctx))
}

// count counts what became of a step.
func (r *Reader) count(c *Counts, file string, s step) {
	if s.damage != nil {
		c.Damaged++
		r.Damage(file, s.damage)
		return
	}
	c.add(s.item)
}

// readJSON reads a file that may be missing.
func readJSON(file string, v any) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: remove it to begin anew", file, err)
	}
	return nil
}

// writeJSON replaces a file, whole or not at all.
func writeJSON(file string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return durable.Replace(file, text)
}
