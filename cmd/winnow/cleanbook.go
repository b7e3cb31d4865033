package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/batch"
	"github.com/winnow-proxy/winnow/model/page"
)

// cleanMode is what winnow clean writes: pages in one of page's modes, or a book.
type cleanMode page.Mode

// modeBook is --mode epub.
const modeBook = ^cleanMode(0)

// form is the mode in which pages are written.
func (m cleanMode) form() page.Mode {
	if m == modeBook {
		return page.ModeJSON
	}
	return page.Mode(m)
}

// String returns the name used in flags.
func (m cleanMode) String() string {
	if m == modeBook {
		return "epub"
	}
	return page.Mode(m).String()
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *cleanMode) UnmarshalText(b []byte) error {
	if string(b) == "epub" {
		*m = modeBook
		return nil
	}
	if err := (*page.Mode)(m).UnmarshalText(b); err != nil {
		return fmt.Errorf("mode %q is not one of %s, epub", b, strings.Join(page.ModeNames(), ", "))
	}
	return nil
}

// book returns a function that writes all pages as one book, to --out or standard output.
func (c *cleanCmd) book(cleaner *batch.Cleaner) func(context.Context, []saved.Site) (batch.Outcome, error) {
	return func(ctx context.Context, sites []saved.Site) (batch.Outcome, error) {
		var book bytes.Buffer
		out, err := cleaner.Book(ctx, sites, &book)
		switch {
		case err != nil:
			return out, err
		case c.Out == "":
			_, err = cleaner.Stdout.Write(book.Bytes())
			return out, err
		}
		if err := os.WriteFile(c.Out, book.Bytes(), 0o644); err != nil {
			return out, fmt.Errorf("--out: %w", err)
		}
		return out, nil
	}
}
