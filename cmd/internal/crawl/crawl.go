// Package crawl learns and cleans the pages of web archives, which may be larger than memory: what it holds is bounded
// by pages at once, and by the memory that the models may take. It notes how far it has come, so that a crawl that was
// killed goes on where it stopped.
package crawl

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/internal/warc"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// Counts are what became of the records of an archive.
type Counts struct {
	// Records is how many were read, Pages how many of these were learned or cleaned.
	Records int `json:"records"`
	Pages   int `json:"pages"`
	// Passed is how many pages were left as they are, by the reason (as in the response field Winnow).
	Passed map[string]int `json:"passed,omitempty"`
	// Damaged is how many parts of the archive could not be read.
	Damaged int `json:"damaged,omitempty"`
}

// add adds what became of one record.
func (c *Counts) add(i Item) {
	c.Records++
	switch {
	case i.Reason == "":
		c.Pages++
	case i.Reason != NotPage:
		if c.Passed == nil {
			c.Passed = map[string]int{}
		}
		c.Passed[i.Reason]++
	}
}

// Add adds the counts of another archive.
func (c *Counts) Add(o Counts) {
	c.Records, c.Pages, c.Damaged = c.Records+o.Records, c.Pages+o.Pages, c.Damaged+o.Damaged
	for reason, n := range o.Passed {
		if c.Passed == nil {
			c.Passed = map[string]int{}
		}
		c.Passed[reason] += n
	}
}

// Reader reads archives record by record, with a pipeline.
type Reader struct {
	// Pipeline cleans, and learns.
	Pipeline *pipeline.Pipeline
	// Learning are the models that Clean teaches, nil where it teaches none. Clean saves them with each note of its place.
	Learning *cache.Models
	// Stdin is the archive of the name Stdin.
	Stdin io.Reader
	// Links says how Markdown writes links.
	Links write.LinkStyle
	// Most is the size of the largest record that is looked at, in bytes.
	Most int64
	// Damage is called with what can't be read.
	Damage func(file string, err error)
	// Progress is called with the number of bytes read since its last call.
	Progress func(bytes int64)
}

// Item is what became of a record.
type Item struct {
	Record *warc.Record
	// Reason says why there is no body; empty where there is one.
	Reason    string
	MediaType string
	Body      []byte
}

// NotPage is the reason of records that are no pages.
const NotPage = "not a page"

// step is a record with what became of it, and where the next one begins.
type step struct {
	item Item
	next warc.Position
	// damage is set in the place of the item where the archive can't be read.
	damage error
}

// each takes the records of an archive from a position on, several at once, and calls put for each in its order.
func (r *Reader) each(ctx context.Context, file string, from warc.Position, put func(step) error) error {
	in, closer, err := r.open(file, from)
	if err != nil {
		return err
	}
	defer closer.Close()
	return r.steps(ctx, in, put)
}

func (r *Reader) steps(ctx context.Context, in *warc.Reader, put func(step) error) error {
	workers := runtime.GOMAXPROCS(0)
	order := make(chan chan step, 4*workers)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(order)
		work := make(chan struct{}, 2*workers)
		before := in.Position().Offset
		for {
			rec, err := in.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			next := in.Position()
			r.Progress(next.Offset - before)
			before = next.Offset
			place := make(chan step, 1)
			damage := (*warc.DamageError)(nil)
			switch {
			case err == nil:
				select {
				case work <- struct{}{}:
				case <-ctx.Done():
					return ctx.Err()
				}
				g.Go(func() error {
					defer func() { <-work }()
					place <- step{item: r.Take(ctx, rec), next: next}
					return nil
				})
			case errors.As(err, &damage):
				place <- step{damage: err, next: next}
			default:
				return err
			}
			select {
			case order <- place:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	g.Go(func() error {
		for place := range order {
			select {
			case s := <-place:
				if ctx.Err() != nil {
					return ctx.Err() // the page may have passed for no other reason
				}
				if err := put(s); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return ctx.Err()
	})
	return g.Wait()
}

// Take has the page of a record cleaned and learned, as the pipeline is set.
func (r *Reader) Take(ctx context.Context, rec *warc.Record) Item {
	resp := response(ctx, rec)
	if resp == nil {
		return Item{Record: rec, Reason: NotPage}
	}
	defer func() { resp.Body.Close() }()
	resp.Request.Header.Set("Winnow-Links", r.Links.String())
	job := r.Pipeline.Request(resp.Request)
	r.Pipeline.Response(job, resp)
	if why, passed := pipeline.PassedReason(resp.Header); passed {
		reason := string(why)
		switch why {
		case pipeline.ReasonType, pipeline.ReasonStatus, pipeline.ReasonMethod, pipeline.ReasonEmpty, pipeline.ReasonNotModified:
			reason = NotPage
		}
		return Item{Record: rec, Reason: reason}
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return Item{Record: rec, Reason: string(pipeline.ReasonTruncated)}
	}
	return Item{rec, "", resp.Header.Get("Content-Type"), body}
}

// response returns the answer that a record holds, to a GET of its address; nil where it holds none.
func response(ctx context.Context, rec *warc.Record) *http.Response {
	if rec.Type() != "response" || rec.Block == nil || !strings.HasPrefix(rec.URI(), "http") {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, rec.URI(), nil)
	if err != nil || req.URL.Host == "" {
		return nil
	}
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(rec.Block)), req)
	if err != nil {
		return nil
	}
	body, err := io.ReadAll(resp.Body)
	if _, raw, ok := bytes.Cut(rec.Block, []byte("\r\n\r\n")); err != nil && ok && len(resp.TransferEncoding) > 0 {
		body = raw // some crawlers undo the transfer coding and leave its field
	}
	resp.TransferEncoding, resp.ContentLength = nil, int64(len(body))
	resp.Header.Del("Content-Length")
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp
}

// notes says when the place of a crawl is to be noted.
type notes struct{ next time.Time }

// A place is noted every checkpoint, or less often where that would take more than one part in noteShare of the time,
// but at least every longestPause.
const (
	checkpoint   = 2 * time.Second
	noteShare    = 25
	longestPause = time.Minute
)

// when calls note if it is time to.
func (n *notes) when(note func() error) error {
	began := time.Now()
	if n.next.IsZero() {
		n.next = began.Add(checkpoint)
	}
	if began.Before(n.next) {
		return nil
	}
	err := note()
	n.next = time.Now().Add(min(max(checkpoint, noteShare*time.Since(began)), longestPause))
	return err
}
