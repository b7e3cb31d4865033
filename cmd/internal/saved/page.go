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

// MaxPage is the most bytes of a saved page that are read.
const MaxPage = 64 << 20

// Page is one saved page.
type Page struct {
	// Name is what the user calls it, in messages.
	Name string
	// Rel is its path below the output folder, before the extension is changed.
	Rel string
	// File is where it is, empty for standard input.
	File string
	// Data is standard input, read once.
	Data []byte
}

// Read returns the page's bytes, or an error when it can't be a page.
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

// ReadAtMost reads all of r. It fails where r has more than limit bytes.
func ReadAtMost(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("larger than %d MiB", limit>>20)
	}
	return b, err
}

// ReplaceExtension changes the extension of a page's name to ext, such as ".txt". What is no extension of a page stays:
// "view.php" becomes "view.php.txt".
func ReplaceExtension(name, ext string) string {
	if old := filepath.Ext(name); slices.Contains([]string{".html", ".htm", ".xhtml", ".xht", ".shtml"}, strings.ToLower(old)) {
		name = strings.TrimSuffix(name, old)
	}
	return name + ext
}
