package htmltree

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// conformanceTests returns the documents of html5lib's tree-construction tests and of x/net/html's own, which are in
// that module.
func conformanceTests(t testing.TB) (docs []string) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	if err != nil {
		t.Skipf("where golang.org/x/net stands is not known: %v", err)
	}
	root := filepath.Join(strings.TrimSpace(string(dir)), "html", "testdata")
	err = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".dat" {
			return err
		}
		b, err := os.ReadFile(path)
		docs = append(docs, documentsIn(b)...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) == 0 {
		t.Skip("golang.org/x/net comes without html/testdata")
	}
	return docs
}

// documentsIn returns the texts under #data in a test file.
func documentsIn(file []byte) (docs []string) {
	s := bufio.NewScanner(bytes.NewReader(file))
	s.Buffer(nil, 1<<20)
	var lines []string
	in := false
	for s.Scan() {
		switch line := s.Text(); {
		case line == "#data":
			in, lines = true, nil
		case in && (line == "#errors" || line == "#document" || line == "#document-fragment"):
			docs, in = append(docs, strings.Join(lines, "\n")), false
		case in:
			lines = append(lines, line)
		}
	}
	return docs
}

func TestConformance(t *testing.T) {
	docs := conformanceTests(t)
	for _, doc := range docs {
		sameTree(t, doc)
	}
	t.Logf("%d documents", len(docs))
}

func FuzzScanAgainstParser(f *testing.F) {
	for _, doc := range conformanceTests(f) {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, src string) { sameTree(t, src) })
}
