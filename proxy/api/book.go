package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/epub"
)

// bookWish is what a program asks for that wants a book.
type bookWish struct {
	// Title is that of the first page unless it is given.
	Title string `json:"title"`
	// URLs are the addresses of the pages, in the order of the book.
	URLs []string `json:"urls"`
	// Pictures is false where the book shall have none.
	Pictures bool         `json:"pictures"`
	Keep     page.KindSet `json:"keep"`
	Drop     page.KindSet `json:"drop"`
	Learn    bool         `json:"learn"`
}

const (
	// mostPages is the most pages of a book.
	mostPages = 500
	// mostPicture is the largest picture in bytes.
	mostPicture = 8 << 20
	// bookTime is how many times longer than a page a book may take.
	bookTime = 10
)

// bookOf serves POST /api/v1/book.
func (a *api) bookOf(w http.ResponseWriter, r *http.Request) {
	a.readWithin(w)
	v := bookWish{Pictures: true, Learn: true}
	if err := decodeJSON(http.MaxBytesReader(w, r.Body, jsonOverhead), &v); err != nil {
		problemOf(err).Write(w)
		return
	}
	a.replyBook(w, r, v)
}

// replyBook answers with a book.
func (a *api) replyBook(w http.ResponseWriter, r *http.Request, v bookWish) {
	book, err := a.book(r.Context(), v)
	if err != nil {
		if r.Context().Err() == nil {
			problemOf(err).Write(w)
		}
		return
	}
	w.Header().Set("Content-Type", "application/epub+zip")
	w.Header().Set("Content-Disposition", `attachment; filename="winnow.epub"`)
	_, _ = w.Write(book) // a client that left needs no answer
}

// book makes a book. Pages that can't be had are named on its last page.
func (a *api) book(ctx context.Context, v bookWish) ([]byte, error) {
	if n := len(v.URLs); n < 1 || n > mostPages {
		return nil, wrong("urls", fmt.Sprintf("urls: %d addresses; want 1 to %d", n, mostPages))
	}
	ctx, cancel := context.WithTimeout(ctx, bookTime*a.Timeout)
	defer cancel()
	chapters, errs := make([]epub.Chapter, len(v.URLs)), make([]error, len(v.URLs))
	var wg sync.WaitGroup
	for i, at := range v.URLs {
		select {
		case a.pages <- struct{}{}:
		case <-ctx.Done():
			errs[i] = context.Cause(ctx)
			continue
		}
		wg.Go(func() {
			defer func() { <-a.pages }()
			chapters[i], errs[i] = a.chapter(ctx, v, at)
		})
	}
	wg.Wait()
	b := epub.Book{Title: v.Title, Date: time.Now()}
	var missing strings.Builder
	for i, err := range errs {
		if err == nil {
			b.Chapters = append(b.Chapters, chapters[i])
			continue
		}
		fmt.Fprintf(&missing, "<li>%s: %s</li>", html.EscapeString(v.URLs[i]), html.EscapeString(problemOf(err).Detail))
	}
	if len(b.Chapters) == 0 {
		return nil, errs[0]
	}
	if missing.Len() > 0 {
		b.Chapters = append(b.Chapters, epub.Chapter{Title: "Not in this book", HTML: "<h1>Not in this book</h1><ul>" + missing.String() + "</ul>"})
	}
	var images epub.Images
	if v.Pictures {
		images = func(address string) ([]byte, bool) { return a.picture(ctx, address) }
	}
	var out bytes.Buffer
	err := epub.Write(&out, b, images)
	return out.Bytes(), err
}

// chapter returns a page as a chapter.
func (a *api) chapter(ctx context.Context, v bookWish, at string) (epub.Chapter, error) {
	wish := a.fresh()
	wish.URL, wish.Mode, wish.Keep, wish.Drop, wish.Learn = at, page.ModeJSON, v.Keep, v.Drop, v.Learn
	if err := wish.check(); err != nil {
		return epub.Chapter{}, err
	}
	found, err := a.clean(ctx, wish)
	if err != nil {
		return epub.Chapter{}, err
	}
	var d page.Document
	if err := json.Unmarshal(found.Body, &d); err != nil {
		return epub.Chapter{}, fmt.Errorf("reading the page's JSON: %w", err)
	}
	return epub.ChapterOf(&d), nil
}

// picture fetches a picture by the rules for pages.
func (a *api) picture(ctx context.Context, address string) ([]byte, bool) {
	ctx, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || req.URL.Host == "" {
		return nil, false
	}
	req.Header = http.Header{"Winnow-Mode": {page.ModeOff.String()}, "Accept": {"image/jpeg,image/png,image/gif"}}
	resp, err := a.Cleaner.Fetch(req, whoAsks(ctx))
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostPicture+1))
	return data, err == nil && len(data) <= mostPicture && resp.StatusCode == http.StatusOK
}
