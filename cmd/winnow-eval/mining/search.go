package mining

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/winnow-proxy/winnow/model/page"
)

// Search says how well an index finds pages again.
type Search struct {
	Pages   int `json:"pages"`
	Queries int `json:"queries"`
	// MRR is the mean over queries of 1/rank of the query's page, 0 if it is not among the first hundred.
	MRR float64 `json:"mrr"`
	// First is the share of queries whose page comes first.
	First float64 `json:"first"`
	// TextBytes is the size of the pages' texts, IndexBytes that of the index's segments on disk, which contain neither
	// texts nor positions. It excludes bleve's own data, some 64 KiB for any index.
	TextBytes  int64 `json:"text_bytes"`
	IndexBytes int64 `json:"index_bytes"`
}

// searchDepth is the greatest rank that counts as found.
const searchDepth = 100

// bodyField is the one field of the index.
const bodyField = "body"

// Find indexes the documents' texts and searches each by its title: known-item search, ranked by BM25. The title does
// not leak: it is not indexed, and where the page's own text repeats it word for word, as headings and breadcrumbs do,
// it is removed. So the text of a page must find it, and titles in teasers lead to the wrong page. The index is in a
// temporary folder. Find returns ErrUnfit if no page has a distinctive title, and ctx's error when ctx ends.
func Find(ctx context.Context, docs []Document) (s *Search, err error) {
	queries, headings := titleQueries(docs)
	if len(queries) == 0 {
		return nil, fmt.Errorf("%w: search needs pages with titles of their own, of two words or more", ErrUnfit)
	}
	dir, err := os.MkdirTemp("", "winnow-index-")
	if err != nil {
		return nil, fmt.Errorf("folder for the index: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s = &Search{Pages: len(docs), Queries: len(queries)}
	path := filepath.Join(dir, "index")
	if err := build(ctx, path, docs, headings, s); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if s.IndexBytes, err = segmentBytes(path); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if err := ask(ctx, path, queries, s); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return s, nil
}

// build writes the index in one piece, so that its size depends only on its contents and not on how it grew. After an
// error, files remain in the index's own folder. The builder is not closed then, because it panics without a document
// (bleve 2.6.1).
func build(ctx context.Context, path string, docs []Document, headings [][]string, s *Search) error {
	m, err := newMapping()
	if err != nil {
		return err
	}
	b, err := bleve.NewBuilder(path, m, map[string]any{"buildPathPrefix": filepath.Dir(path)})
	if err != nil {
		return err
	}
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.TextBytes += int64(len(d.Text))
		if err := b.Index(strconv.Itoa(i), map[string]any{bodyField: without(words(d.Text), headings[i])}); err != nil {
			return fmt.Errorf("%s/%s: %w", d.Site, d.Page, err)
		}
	}
	return b.Close()
}

// newMapping splits words at white space only, because [page.Words] has found them already: all tasks use the same
// words, in any script.
func newMapping() (*mapping.IndexMappingImpl, error) {
	const analyzer = "words"
	m := bleve.NewIndexMapping()
	err := m.AddCustomAnalyzer(analyzer, map[string]any{"type": custom.Name, "tokenizer": whitespace.Name})
	if err != nil {
		return nil, err
	}
	f := bleve.NewTextFieldMapping()
	f.Analyzer = analyzer
	f.Store, f.IncludeTermVectors, f.IncludeInAll, f.DocValues = false, false, false, false
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt(bodyField, f)
	m.DefaultMapping = doc
	m.DefaultAnalyzer = analyzer
	m.ScoringModel = index.BM25Scoring
	return m, nil
}

// ask runs every query and records the rank of its page.
func ask(ctx context.Context, path string, queries []query, s *Search) (err error) {
	idx, err := bleve.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, idx.Close()) }()
	for _, q := range queries {
		m := bleve.NewMatchQuery(strings.Join(q.words, " "))
		m.SetField(bodyField)
		res, err := idx.SearchInContext(ctx, bleve.NewSearchRequestOptions(m, searchDepth, 0, false))
		if err != nil {
			return err
		}
		for rank, hit := range res.Hits {
			if hit.ID != strconv.Itoa(q.doc) {
				continue
			}
			s.MRR += 1 / float64(rank+1) / float64(len(queries))
			if rank == 0 {
				s.First += 1 / float64(len(queries))
			}
		}
	}
	return nil
}

// segmentBytes is the size of the segments below dir.
func segmentBytes(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".zap" {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}

// words are the words of a text, case folded, separated by blanks.
func words(text string) string {
	var b strings.Builder
	for w := range page.Words(text) {
		b.WriteString(strings.ToLower(w))
		b.WriteByte(' ')
	}
	return b.String()
}
