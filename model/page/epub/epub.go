// Package epub writes books from pages: EPUB 3 (W3C EPUB 3.3) with a title page, a table of contents, a chapter for
// each page, links between the chapters, and pictures.
package epub

import (
	"archive/zip"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
)

// Book is what a book is made of.
type Book struct {
	// Title is that of the first chapter unless it is given.
	Title string
	// Language is as in HTML (BCP 47); that of the first chapter unless it is given.
	Language string
	// Date is when the book was made.
	Date time.Time
	// Line is shown on the title page below the title; where the pages are from, unless it is given.
	Line string
	// Cover is the address of the picture on the title page; empty for none.
	Cover    string
	Chapters []Chapter
}

// Chapter is a page. Each field but HTML may be empty.
type Chapter struct {
	Title, Author, Date, Site, Language string
	// URL is the address of the page: links of other chapters to it lead to this chapter. Source is the address that
	// readers are shown.
	URL, Source string
	// HTML is the content in simple HTML, as JSON mode has it.
	HTML string
}

// ChapterOf returns the chapter that a page makes, from its JSON.
func ChapterOf(d *jsondoc.Document) Chapter {
	m := d.Metadata
	return Chapter{Title: cmp.Or(m.Title, d.Title), Author: m.Author, Date: m.Date, Site: m.SiteName, Language: d.Language, URL: m.URL, Source: m.URL, HTML: d.ReaderHTML()}
}

// Images returns the bytes of the picture at an address that stands in a chapter, false where it can't be had: its
// alternative text takes its place then. An address is absolute where the page's own was known.
type Images func(in Chapter, address string) (data []byte, ok bool)

// Write writes the book, and each picture as soon as it has it. What is not permitted in a book is left out of the
// pages, or written in another way; scripts, forms and what is loaded from elsewhere are. images may be nil.
func Write(w io.Writer, b Book, images Images) error {
	b = b.withDefaults()
	out := &writer{zip: zip.NewWriter(w), book: b}
	out.pictures = pictures{get: images, write: out.file, byAddress: map[string]string{}}
	if err := out.write(); err != nil {
		return fmt.Errorf("writing the book %q: %w", b.Title, err)
	}
	return nil
}

func (b Book) withDefaults() Book {
	var first Chapter
	if len(b.Chapters) > 0 {
		first = b.Chapters[0]
	}
	b.Title = cmp.Or(plain(b.Title), plain(first.Title), "Untitled")
	b.Language = cmp.Or(language(b.Language), language(first.Language), "und")
	b.Line = cmp.Or(plain(b.Line), strings.Join(b.sites(), ", "))
	return b
}

// sites lists where the pages are from, the first few.
func (b Book) sites() (sites []string) {
	seen := map[string]bool{}
	for _, c := range b.Chapters {
		if site := cmp.Or(plain(c.Site), hostOf(c.Source)); site != "" && !seen[site] && len(sites) < 5 {
			seen[site] = true
			sites = append(sites, site)
		}
	}
	return sites
}

// identifier names the book by its content, so that the same pages make the same book.
func (b Book) identifier() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", b.Title, b.Language)
	for _, c := range b.Chapters {
		fmt.Fprintf(h, "%q", c)
	}
	sum := h.Sum(nil)
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // RFC 9562 §5.8: a version for what is made in one's own way
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// item is a file of the book.
type item struct{ ID, File, Type, Properties string }

// writer writes one book.
type writer struct {
	zip      *zip.Writer
	book     Book
	items    []item
	pictures pictures
}

func (w *writer) write() error {
	mimetype, err := w.zip.CreateHeader(&zip.FileHeader{Name: "mimetype", Method: zip.Store})
	if err != nil {
		return err
	}
	if _, err := io.WriteString(mimetype, "application/epub+zip"); err != nil {
		return err
	}
	files := fileNames(w.book.Chapters)
	contents := make([]entry, len(w.book.Chapters))
	for i, c := range w.book.Chapters {
		contents[i] = entry{Title: c.title(i), File: files.of[i]}
		body := chapterBody(c, &w.pictures, files.byURL)
		if w.pictures.err != nil {
			return w.pictures.err
		}
		if err := w.page(fmt.Sprintf("c%d", i+1), files.of[i], "", chapterPage, chapterData{contents[i].Title, w.languageOf(c), body, byline(c), webAddress(c.Source)}); err != nil {
			return err
		}
	}
	cover, _ := w.pictures.file(Chapter{}, w.book.Cover)
	if w.pictures.err != nil {
		return w.pictures.err
	}
	front := frontData{w.book, contents, cover, w.book.Date.UTC().Format("2 January 2006")}
	if err := w.page("title", "title.xhtml", "", titlePage, front); err != nil {
		return err
	}
	if err := w.page("nav", "nav.xhtml", "nav", contentsPage, front); err != nil {
		return err
	}
	if err := w.file(item{"style", "style.css", "text/css", ""}, []byte(style)); err != nil {
		return err
	}
	return w.finish(cover)
}

// finish writes what says what is in the book.
func (w *writer) finish(cover string) error {
	for i := range w.items {
		if w.items[i].File == cover {
			w.items[i].Properties = "cover-image"
		}
	}
	d := packageData{w.book, w.book.identifier(), w.book.Date.UTC().Format(time.RFC3339), w.book.authors(), w.items}
	if err := w.template("OEBPS/package.opf", packageFile, d); err != nil {
		return err
	}
	if err := w.template("META-INF/container.xml", containerFile, nil); err != nil {
		return err
	}
	return w.zip.Close()
}

func (w *writer) languageOf(c Chapter) string { return cmp.Or(language(c.Language), w.book.Language) }

// authors lists the authors of the chapters, each once.
func (b Book) authors() (authors []string) {
	seen := map[string]bool{}
	for _, c := range b.Chapters {
		if a := plain(c.Author); a != "" && !seen[a] {
			seen[a] = true
			authors = append(authors, a)
		}
	}
	return authors
}

// title is never empty.
func (c Chapter) title(i int) string {
	return cmp.Or(plain(c.Title), c.Source, fmt.Sprintf("Page %d", i+1))
}

// names are the chapters' files, by their number and by the address of their page.
type names struct {
	of    []string
	byURL map[string]string
}

func fileNames(chapters []Chapter) names {
	n := names{byURL: map[string]string{}}
	for i, c := range chapters {
		name := fmt.Sprintf("c%03d.xhtml", i+1)
		n.of = append(n.of, name)
		if _, taken := n.byURL[c.URL]; !taken && c.URL != "" {
			n.byURL[c.URL] = name
		}
	}
	return n
}
