package api

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/epub"
	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
	"github.com/winnow-proxy/winnow/proxy/dial"
)

// bookParams are what a program asks for that wants a book.
type bookParams struct {
	// Title is that of the first page unless it is given.
	Title string `json:"title"`
	// URLs are the addresses of the pages, in the order of the book.
	URLs []string `json:"urls"`
	// Pictures is false where the book shall have none.
	Pictures bool         `json:"pictures"`
	Keep     page.KindSet `json:"keep"`
	Drop     page.KindSet `json:"drop"`
	Learn    bool         `json:"learn"`
	// Private is as in params. It counts for the pages alone, and for pictures in the place of their page.
	Private bool `json:"private"`
}

const (
	// maxPages is the most pages of a book.
	maxPages = 500
	// maxPicture is the largest picture in bytes.
	maxPicture = 8 << 20
	// bookTime is how many times longer than a page a book may take.
	bookTime = 10
)

// bookOf serves POST /api/v1/book.
func (a *api) bookOf(w http.ResponseWriter, r *http.Request) {
	a.readWithin(w)
	v := bookParams{Pictures: true, Learn: true, Private: true}
	if err := decodeJSON(http.MaxBytesReader(w, r.Body, jsonOverhead), &v); err != nil {
		problemOf(err).Write(w)
		return
	}
	a.replyBook(w, r, v)
}

// replyBook answers with a book.
func (a *api) replyBook(w http.ResponseWriter, r *http.Request, v bookParams) {
	ctx, cancel := context.WithTimeout(r.Context(), bookTime*a.Timeout)
	defer cancel()
	book, err := a.book(ctx, v)
	if err != nil {
		if r.Context().Err() == nil {
			problemOf(err).Write(w)
		}
		return
	}
	var images epub.Images
	if v.Pictures {
		images = func(c epub.Chapter, address string) ([]byte, bool) {
			defer a.Cleaner.Watch(ctx, "book", "picture", a.Timeout)()
			return a.picture(ctx, v, c, address)
		}
	}
	w.Header().Set("Content-Type", "application/epub+zip")
	w.Header().Set("Content-Disposition", `attachment; filename="winnow.epub"`)
	if err := epub.Write(patient{w, a.Timeout}, book, images); err != nil {
		a.Logger.Debug("a book was not finished", "error", err)
		panic(http.ErrAbortHandler) // so that nobody takes it for whole
	}
}

// copiesOfPicture is how many times its size a picture takes: it is read into a buffer that grows.
const copiesOfPicture = 2

// book fetches the pages of a book, and charges what making it takes. Pages that can't be had are named on its last
// page.
func (a *api) book(ctx context.Context, v bookParams) (epub.Book, error) {
	defer a.Cleaner.Watch(ctx, "book", "pages", bookTime*a.Timeout)()
	if n := len(v.URLs); n < 1 || n > maxPages {
		return epub.Book{}, wrong("urls", fmt.Sprintf("urls: %d addresses; want 1 to %d", n, maxPages))
	}
	chapters, errs := a.chapters(ctx, v)
	b := epub.Book{Title: v.Title, Date: time.Now()}
	var missing strings.Builder
	longest := int64(0)
	for i, err := range errs {
		if err == nil {
			b.Chapters = append(b.Chapters, chapters[i])
			longest = max(longest, page.Cost([]byte(chapters[i].HTML)))
			continue
		}
		fmt.Fprintf(&missing, "<li>%s: %s</li>", html.EscapeString(v.URLs[i]), html.EscapeString(problemOf(err).Detail))
	}
	if len(b.Chapters) == 0 {
		return b, errs[0]
	}
	if missing.Len() > 0 {
		b.Chapters = append(b.Chapters, epub.Chapter{Title: "Not in this book", HTML: "<h1>Not in this book</h1><ul>" + missing.String() + "</ul>"})
	}
	if v.Pictures {
		longest += copiesOfPicture * maxPicture // the pictures come one by one
	}
	if !memoryOf(ctx).Take(longest) {
		return b, errMemory()
	}
	return b, nil
}

// follow returns the context of a request to an address that stands in a chapter.
func (v bookParams) follow(ctx context.Context, in epub.Chapter, to *url.URL) context.Context {
	page, err := url.Parse(in.URL)
	if err != nil || !v.Private {
		return ctx
	}
	for _, wanted := range v.URLs {
		named, err := url.Parse(wanted)
		if err != nil {
			continue
		}
		if there := dial.Follow(dial.Follow(dial.Named(ctx), named, page), page, to); dial.IsNamed(there) {
			return there
		}
	}
	return ctx
}

// chapters fetches the pages of a book, some at a time. No book waits for another: a site may take long to answer.
func (a *api) chapters(ctx context.Context, v bookParams) ([]epub.Chapter, []error) {
	chapters, errs := make([]epub.Chapter, len(v.URLs)), make([]error, len(v.URLs))
	var work errgroup.Group
	work.SetLimit(a.pagesAtOnce)
	for i, at := range v.URLs {
		work.Go(func() error {
			if errs[i] = context.Cause(ctx); errs[i] == nil {
				chapters[i], errs[i] = a.chapter(ctx, v, at)
			}
			return nil
		})
	}
	_ = work.Wait() // each error is kept
	return chapters, errs
}

// chapter returns a page as a chapter.
func (a *api) chapter(ctx context.Context, v bookParams, at string) (epub.Chapter, error) {
	one := a.fresh()
	one.URL, one.Mode, one.Keep, one.Drop, one.Learn, one.Private = at, page.ModeJSON, v.Keep, v.Drop, v.Learn, v.Private
	if err := one.check(); err != nil {
		return epub.Chapter{}, err
	}
	found, err := a.clean(ctx, one)
	if err != nil {
		return epub.Chapter{}, err
	}
	var d jsondoc.Document
	if err := json.Unmarshal(found.Body, &d); err != nil {
		return epub.Chapter{}, fmt.Errorf("reading the page's JSON: %w", err)
	}
	return epub.ChapterOf(&d), nil
}

// picture fetches a picture of a chapter, by the rules for addresses that origins name.
func (a *api) picture(ctx context.Context, v bookParams, in epub.Chapter, address string) ([]byte, bool) {
	ctx, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	at, err := url.Parse(address)
	if err != nil || at.Host == "" {
		return nil, false
	}
	req, err := http.NewRequestWithContext(v.follow(ctx, in, at), http.MethodGet, address, nil)
	if err != nil {
		return nil, false
	}
	req.Header = http.Header{"Winnow-Mode": {page.ModeOff.String()}, "Accept": {"image/jpeg,image/png,image/gif"}}
	resp, err := a.Cleaner.Fetch(req, whoAsks(ctx))
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxPicture+1))
	return data, err == nil && len(data) <= maxPicture && resp.StatusCode == http.StatusOK
}
