package crawl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/warc"
)

// Stdin is the name of standard input among archives.
const Stdin = "-"

// Input is an archive to read.
type Input struct {
	// File is its path, or Stdin.
	File string
	// Name is what its output is called, without an extension: the path below the folder that was given, or else the
	// name of the file.
	Name string
}

// Find returns the archives that a path names: the file itself, or all that are below a folder, in order of name. What
// a folder has beside archives is passed over, as are hidden files and folders.
func Find(path string) ([]Input, error) {
	if path == Stdin {
		return []Input{{Stdin, "stdin"}}, nil
	}
	if !isFolder(path) { // a missing file is named when it is opened
		return []Input{{path, base(filepath.Base(path))}}, nil
	}
	var found []Input
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		switch hidden := file != path && strings.HasPrefix(d.Name(), "."); {
		case err != nil:
			return err
		case hidden && d.IsDir():
			return fs.SkipDir
		case hidden || d.IsDir() || !IsArchive(file):
			return nil
		}
		rel, err := filepath.Rel(path, file)
		found = append(found, Input{file, base(rel)})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for archives in %s: %w", path, err)
	}
	return found, nil
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// base is the name of an archive without its extensions.
func base(file string) string {
	for _, extension := range []string{".gz", ".warc"} {
		if strings.EqualFold(filepath.Ext(file), extension) {
			file = file[:len(file)-len(extension)]
		}
	}
	return file
}

// IsArchive reports whether a file is a web archive, by its name.
func IsArchive(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".warc") || strings.HasSuffix(name, ".warc.gz")
}

// Sniff reports whether a stream is a web archive, plain or packed, by how it begins. It takes nothing of the stream.
func Sniff(in *bufio.Reader) bool {
	const sign = "WARC/"
	head, _ := in.Peek(512)
	if bytes.HasPrefix(head, []byte(sign)) {
		return true
	}
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return false
	}
	begin := make([]byte, len(sign))
	_, err = io.ReadFull(z, begin)
	return err == nil && string(begin) == sign
}

// Size is the size of archives in bytes, for progress. That of standard input is not known.
func Size(inputs []Input) (n int64) {
	for _, in := range inputs {
		if st, err := os.Stat(in.File); err == nil {
			n += st.Size()
		}
	}
	return n
}

// open opens an archive at a position. Standard input is where it is.
func (r *Reader) open(file string, from warc.Position) (*warc.Reader, io.Closer, error) {
	if file == Stdin {
		// Standard input that can seek need not begin at its first byte.
		in, err := warc.NewReader(struct{ io.Reader }{r.Stdin}, warc.Position{}, r.Most)
		return in, io.NopCloser(nil), err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	if _, err := f.Seek(from.Offset, io.SeekStart); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", file, err), f.Close())
	}
	in, err := warc.NewReader(f, from, r.Most)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", file, err), f.Close())
	}
	return in, f, nil
}
