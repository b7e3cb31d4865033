package pipeline

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/page/benchpages"
)

// BenchmarkStages measures what it takes to undo and to apply content codings. An operation is one page. "encode" is at
// leisure, "encode in a hurry" while other pages wait for a processor.
func BenchmarkStages(b *testing.B) {
	dec := newDecoder(64<<20, 1000)
	enc := newEncoder()
	for name, sites := range map[string][]benchpages.Site{"made": {benchpages.Made(1)}, "corpus": benchpages.Corpus(b, 8, 0)} {
		if len(sites) == 0 {
			continue
		}
		for _, coding := range knownCodings() {
			var plain, coded [][]byte
			for _, s := range sites {
				plain = append(plain, s.Pages[0])
				coded = append(coded, applyCodings(b, s.Pages[0], coding))
			}
			measure := func(stage string, do func(i int) error) {
				b.Run(name+"/"+stage+" "+coding, func(b *testing.B) {
					b.ReportAllocs()
					i := 0
					for b.Loop() {
						if err := do(i % len(plain)); err != nil {
							b.Fatal(err)
						}
						i++
					}
				})
			}
			measure("decode", func(i int) error { _, err := dec.decode(coded[i], []string{coding}); return err })
			measure("encode", func(i int) error { _, err := enc.encode(plain[i], coding, false); return err })
			measure("encode in a hurry", func(i int) error { _, err := enc.encode(plain[i], coding, true); return err })
		}
	}
}
