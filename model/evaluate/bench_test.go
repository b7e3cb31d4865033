package evaluate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// measured is a page of the corpus with the results of every stage, and the model of its host.
type measured struct {
	src         []byte
	contentType string
	visit       model.Visit
	page        *page.Page
	marking     *page.Marking
	host        model.Host
}

// measuredPages returns the 21st page of each site of the corpus, marked by a model that has learned the pages before.
func measuredPages(b *testing.B, d model.Detector) (pages []measured, size int64) {
	b.Helper()
	const learned = 20
	sites, err := LoadSites(filepath.Join(corpusDir(b), "sites"))
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range sites {
		if len(s.Pages) <= learned {
			continue
		}
		host := d.New(model.Key{})
		for i := range learned {
			if m, ok := readMeasured(b, s, i); ok {
				host.Observe(m.page, m.visit)
			}
		}
		m, ok := readMeasured(b, s, learned)
		if !ok {
			continue
		}
		m.host, m.marking = host, host.Mark(m.page, m.visit)
		pages = append(pages, m)
		size += int64(len(m.src))
	}
	return pages, size
}

// readMeasured reads and parses a page. It returns false when the parser refuses the page.
func readMeasured(b *testing.B, s *Site, i int) (m measured, ok bool) {
	b.Helper()
	src, err := os.ReadFile(s.Pages[i].File)
	if err != nil {
		b.Fatal(err)
	}
	m = measured{src: src, contentType: s.Pages[i].ContentType, visit: s.Visit(i)}
	m.page, err = page.Parse(src, m.contentType)
	return m, err == nil
}

// BenchmarkStages measures each stage of a page's processing with the default detector. One operation is one page of
// each site.
func BenchmarkStages(b *testing.B) {
	d, err := detectors.ByName(detectors.Names()[0], detectors.Options{})
	if err != nil {
		b.Fatal(err)
	}
	pages, size := measuredPages(b, d)
	for _, stage := range []struct {
		name string
		work func(*measured) error
	}{
		{"parse", func(m *measured) error {
			_, err := page.Parse(m.src, m.contentType)
			return err
		}},
		{"mark", func(m *measured) error {
			m.host.Mark(m.page, m.visit)
			return nil
		}},
		{"learn", func(m *measured) error {
			d.New(model.Key{}).Observe(m.page, m.visit) // a new host, because the one before knows the page after its first Observe
			return nil
		}},
		{"write", func(m *measured) error {
			_, err := write.Page(m.page, m.marking, page.ModeRemove)
			return err
		}},
	} {
		b.Run(stage.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				for i := range pages {
					if err := stage.work(&pages[i]); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
