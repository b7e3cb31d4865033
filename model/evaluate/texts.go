package evaluate

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// GoldName is the name of the variant that people's selectors cut instead of a detector. It is the best possible
// cleaning.
const GoldName = "gold"

// Document is one page for the tasks that cleaning is meant to help: classification, clustering and search.
type Document struct {
	Site, Page string
	// Class is what classification and clustering should find, empty where it is not known.
	Class string
	// Language is the site's. Pages of different languages share no words. Empty counts as a language of its own.
	Language string
	// Title is the page's title. The search makes its query from it.
	Title string
	// Text is the text of the page's body.
	Text string
}

// Variant is a corpus as one detector cleaned it.
type Variant struct {
	// Name is the detector's name, or GoldName.
	Name string
	// Documents are the pages in the order of sites and arrival: the same pages in every variant.
	Documents []Document
}

// Texts cleans every page of every site with every detector and returns the remaining text by detector, in their order.
// If all sites have gold, the last variant is the gold's. It stops at the first page that can't be written, and when
// ctx ends.
func (r *Runner) Texts(ctx context.Context, sites []*Site) ([]Variant, error) {
	bySite := make([][][]Document, len(sites))
	gold := !slices.ContainsFunc(sites, func(s *Site) bool { return !s.HasGold() })
	err := r.each(ctx, len(sites), func(ctx context.Context, i int) (err error) {
		bySite[i], err = r.texts(ctx, sites[i], gold)
		return err
	})
	if err != nil {
		return nil, err
	}
	var variants []Variant
	for _, d := range r.Detectors {
		variants = append(variants, Variant{Name: d.Name()})
	}
	if gold {
		variants = append(variants, Variant{Name: GoldName})
	}
	for _, site := range bySite {
		for v := range variants {
			variants[v].Documents = append(variants[v].Documents, site[v]...)
		}
	}
	return variants, nil
}

// texts returns the documents of one site, by detector. If asked for, the gold's come last.
func (r *Runner) texts(ctx context.Context, s *Site, gold bool) ([][]Document, error) {
	variants := make([][]Document, len(r.Detectors), len(r.Detectors)+1)
	if gold {
		variants = append(variants, nil)
	}
	err := r.walk(ctx, s, page.ModeRemove, func(i int, src []byte, outs []output) error {
		texts, title, err := textsOf(s, i, src, outs, gold)
		if err != nil {
			return r.leave(s.ID, s.Pages[i].ID, err)
		}
		for v, text := range texts {
			variants[v] = append(variants[v], Document{
				Site: s.ID, Page: s.Pages[i].ID, Class: s.ClassOf(i), Language: s.Language, Title: title, Text: text,
			})
		}
		return r.saveAll(outs, s.ID, s.Pages[i].ID)
	})
	return variants, err
}

// textsOf reads the visible text of a page's outputs and of its gold, and the title of the unchanged page.
func textsOf(s *Site, i int, src []byte, outs []output, gold bool) (texts []string, title string, err error) {
	doc, err := html.Parse(bytes.NewReader(toUTF8(src, s.Pages[i].ContentType)))
	if err != nil {
		return nil, "", fmt.Errorf("parse page for its title: %w", err)
	}
	for _, out := range outs {
		contentType := "" // cleaned pages declare their encoding, or are UTF-8
		if out.passed != "" {
			contentType = s.Pages[i].ContentType
		}
		cleaned, err := html.Parse(bytes.NewReader(toUTF8(out.body, contentType)))
		if err != nil {
			return nil, "", fmt.Errorf("parse output: %w", err)
		}
		texts = append(texts, visibleText(cleaned, nil))
	}
	if gold {
		texts = append(texts, s.gold.text(doc))
	}
	return texts, titleOf(doc), nil
}

// titleOf is the text of the first title element, white space folded.
func titleOf(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Title && n.Namespace == "" && n.FirstChild != nil {
			return strings.Join(strings.Fields(n.FirstChild.Data), " ")
		}
	}
	return ""
}
