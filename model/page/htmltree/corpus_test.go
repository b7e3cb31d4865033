package htmltree

import (
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// corpora are the folders of pages beside the project that exist.
func corpora() []string {
	shared := os.Getenv("WINNOW_CORPUS")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared", "corpus")
	}
	dirs := filepath.SplitList(os.Getenv("WINNOW_CORPORA"))
	for _, d := range []string{"sites", "pages", "articles"} {
		dirs = append(dirs, filepath.Join(shared, d))
	}
	return dirs
}

// corpusPages calls f with one page in pagesPerTest of the corpora. It skips the test if there is none.
func corpusPages(t testing.TB, f func(file string, src []byte)) {
	t.Helper()
	n := 0
	for _, dir := range corpora() {
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue
		}
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".html" && ext != ".htm" && !strings.HasSuffix(path, ".html.gz") {
				return err
			}
			if n++; n%pagesPerTest != 0 {
				return nil
			}
			src, err := readPage(path)
			if err == nil {
				f(path, src)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		t.Skip("corpora absent: set WINNOW_CORPUS to a folder with sites, pages or articles")
	}
}

func TestCorpus(t *testing.T) {
	pages := 0
	corpusPages(t, func(file string, src []byte) {
		pages++
		if !utf8.Valid(src) {
			enc, _, _ := charset.DetermineEncoding(src, "")
			if text, err := enc.NewDecoder().Bytes(src); err == nil {
				src = text
			}
		}
		if !t.Run("", func(t *testing.T) { sameTree(t, strings.TrimPrefix(string(src), "\ufeff")) }) {
			t.Error(file)
		}
	})
	t.Logf("%d pages", pages)
}

// readPage reads a page, compressed or not.
func readPage(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if filepath.Ext(path) != ".gz" {
		return io.ReadAll(f)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
