//go:build full

package epub_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/epub"
)

// check has the book checked by EPUBCheck, which the standard's authors maintain.
func check(t *testing.T, book []byte) {
	t.Helper()
	program, err := exec.LookPath("epubcheck")
	if err != nil {
		t.Skipf("%s: epubcheck is missing: install Debian's package of that name", t.Name())
	}
	file := filepath.Join(t.TempDir(), "book.epub")
	if err := os.WriteFile(file, book, 0o600); err != nil {
		t.Fatal(err)
	}
	// Debian's program is a JAR, which not every kernel can start by itself.
	if out, err := exec.CommandContext(t.Context(), "java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", program, file).CombinedOutput(); err != nil || !bytes.Contains(out, []byte("No errors or warnings detected")) {
		t.Errorf("%v: %s", err, out)
	}
}

func TestBookOfFiftyPages(t *testing.T) {
	b := unrulyBook()
	b.Title, b.Language = "Fifty days", "en"
	for i := range 50 {
		b.Chapters = append(b.Chapters, epub.Chapter{Title: fmt.Sprintf("Day %d", i+1), URL: fmt.Sprintf("https://log.example/%d", i+1), Site: "The Log",
			HTML: fmt.Sprintf(`<h1>Day %d</h1><p>Wind from the east. <a href="https://log.example/%d">Tomorrow</a> we shall see.</p><img src="picture%d" alt="the sea">`, i+1, i+2, i%7)})
	}
	book, files := written(t, b, picture(t))
	if n := strings.Count(files["OEBPS/nav.xhtml"], "<li>"); n != 53 {
		t.Errorf("%d entries in the table of contents", n)
	}
	if !strings.Contains(files["OEBPS/c010.xhtml"], `<a href="c011.xhtml">Tomorrow</a>`) || !strings.Contains(files["OEBPS/c053.xhtml"], `<a href="https://log.example/51">`) {
		t.Error("links between chapters are wrong")
	}
	again, _ := written(t, b, picture(t))
	if !bytes.Equal(book, again) {
		t.Error("the same pages make another book")
	}
	check(t, book)
}
