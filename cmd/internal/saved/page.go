package saved

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// MaxPage bounds the size of a saved page in bytes.
const MaxPage = 64 << 20

// Page is one saved page.
type Page struct {
	// Name is the page's name in messages, as the user gave it.
	Name string
	// Rel is its path below the output folder, before the extension changes.
	Rel string
	// File is its path, empty for standard input.
	File string
	// Data is the content of standard input.
	Data []byte
}

// Read returns the page's bytes, or an error if it can't be a page.
func (p *Page) Read() ([]byte, error) {
	b := p.Data
	if p.File != "" {
		f, err := os.Open(p.File)
		if err != nil {
			return nil, errors.Unwrap(err)
		}
		defer f.Close() //nolint:errcheck // it was only read
		if b, err = ReadAtMost(f, MaxPage); err != nil {
			return nil, err
		}
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, errors.New("it is empty")
	}
	if t := http.DetectContentType(b); !strings.HasPrefix(t, "text/") {
		return nil, fmt.Errorf("not HTML, it looks like %s", t)
	}
	return b, nil
}

// ReadAtMost reads all of r. It fails if r has more than limit bytes.
func ReadAtMost(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("larger than %d MiB", limit>>20)
	}
	return b, err
}

// ReplaceExtension changes the extension of a page's name to ext, such as ".txt". Other extensions stay: "view.php"
// becomes "view.php.txt".
func ReplaceExtension(name, ext string) string {
	if old := filepath.Ext(name); slices.Contains([]string{".html", ".htm", ".xhtml", ".xht", ".shtml"}, strings.ToLower(old)) {
		name = strings.TrimSuffix(name, old)
	}
	return name + ext
}
