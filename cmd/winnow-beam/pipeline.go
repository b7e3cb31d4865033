package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	beamregister "github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/internal/warc"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// What workers count.
const (
	namespace   = "winnow"
	damagedName = "damaged"
)

// register tells Beam of the steps, so that workers find them.
func register() {
	beamregister.DoFn3x1[context.Context, fileio.ReadableFile, func(string, record), error](&readFn{})
	beamregister.Combiner3[learned, record, []byte](&learnFn{})
	beamregister.DoFn5x1[context.Context, string, record, func(string) func(*[]byte) bool, func(int, string), error](&cleanFn{})
	beamregister.DoFn3x1[context.Context, int, func(*string) bool, error](&writeFn{})
	beamregister.DoFn3x1[context.Context, string, []byte, error](&exportFn{})
	beamregister.Emitter2[string, record]()
	beamregister.Emitter2[int, string]()
	beamregister.Iter1[string]()
	beam.RegisterType(reflect.TypeFor[record]())
	beam.RegisterCoder(reflect.TypeFor[learned](), encodeLearned, decodeLearned)
}

// build adds the steps: read, learn by host, clean with the models beside, write.
func (o options) build(s beam.Scope) {
	files := fileio.ReadMatches(s, fileio.MatchAll(s, beam.CreateList(s, o.In)), fileio.ReadUncompressed())
	records := beam.ParDo(s, &readFn{}, beam.Reshuffle(s, files))
	with := worker{Key: o.Key, Mode: o.Mode, Detector: o.Detector}
	models := beam.CombinePerKey(s, &learnFn{worker: with}, records)
	if o.ModelsOut != "" {
		beam.ParDo0(s, &exportFn{worker: with, Dir: o.ModelsOut}, models)
	}
	if o.Out != "" {
		lines := beam.ParDo(s, &cleanFn{worker: with, Shards: o.Shards}, records, beam.SideInput{Input: models})
		beam.ParDo0(s, &writeFn{Prefix: o.Out, Shards: o.Shards}, beam.GroupByKey(s, lines))
	}
}

// record is a response record on its way between steps.
type record struct {
	URI, Date, ID string
	Block         []byte
}

func (r record) warc() *warc.Record {
	header := map[string][]string{"Warc-Type": {"response"}, "Warc-Target-Uri": {r.URI}}
	if r.Date != "" {
		header["Warc-Date"] = []string{r.Date}
	}
	if r.ID != "" {
		header["Warc-Record-Id"] = []string{r.ID}
	}
	return &warc.Record{Header: header, Block: r.Block, Length: int64(len(r.Block))}
}

// maxBytes is the size of the largest record that is looked at, as in winnow clean.
const maxBytes = 32 << 20

// readFn reads the response records of an archive, by host.
type readFn struct{}

// ProcessElement reads one archive. What is damaged is named, counted and left out.
func (*readFn) ProcessElement(ctx context.Context, file fileio.ReadableFile, emit func(string, record)) (err error) {
	f, err := file.Open(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", file.Metadata.Path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in, err := warc.NewReader(struct{ io.Reader }{f}, warc.Position{}, maxBytes)
	if err != nil {
		return fmt.Errorf("%s: %w", file.Metadata.Path, err)
	}
	for {
		rec, err := in.Next()
		damage := (*warc.DamageError)(nil)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &damage):
			log.Warnf(ctx, "%s: %v: left out", file.Metadata.Path, damage)
			beam.NewCounter(namespace, damagedName).Inc(ctx, 1)
		case err != nil:
			return fmt.Errorf("%s: %w", file.Metadata.Path, err)
		default:
			if host := hostOf(rec); host != "" {
				emit(host, record{rec.URI(), rec.Header.Get("Warc-Date"), rec.Header.Get("Warc-Record-Id"), rec.Block})
			}
		}
	}
}

// hostOf is the host whose model a record's page belongs to, empty where it is no page's.
func hostOf(rec *warc.Record) string {
	u, err := url.Parse(rec.URI())
	if rec.Type() != "response" || rec.Block == nil || err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	host, err := hostname.SiteOf(u)
	if err != nil {
		return ""
	}
	return host
}

// writeFn writes the lines of a shard to a file, in order, so that the same crawl gives the same files.
type writeFn struct {
	Prefix string
	Shards int
}

// ProcessElement writes one file.
func (f *writeFn) ProcessElement(ctx context.Context, shard int, lines func(*string) bool) error {
	var all []string
	var line string
	for lines(&line) {
		all = append(all, line)
	}
	slices.Sort(all)
	return writeFile(ctx, fmt.Sprintf("%s-%05d-of-%05d.jsonl", f.Prefix, shard, f.Shards), []byte(strings.Join(all, "")))
}

// shardOf is the file that a page goes to.
func shardOf(uri string, shards int) int {
	h := fnv.New32a()
	h.Write([]byte(uri))
	return int(h.Sum32() % uint32(shards))
}

// exportFn writes models to files.
type exportFn struct {
	worker
	Dir string
}

// ProcessElement writes one model.
func (f *exportFn) ProcessElement(ctx context.Context, host string, encoded []byte) error {
	h, err := f.detector.Decode(f.key, encoded)
	if err != nil {
		return fmt.Errorf("the model of %s: %w", host, err)
	}
	stats := h.Stats()
	sealed := cache.Seal(f.detector.Name(), f.key.ID(), host, cache.Summary{Pages: stats.Pages, LastSeen: stats.LastSeen}, encoded)
	return writeFile(ctx, strings.TrimSuffix(f.Dir, "/")+"/"+url.PathEscape(host)+".model", sealed)
}

func writeFile(ctx context.Context, name string, content []byte) (err error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, fs.Close()) }()
	w, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = io.Copy(w, bytes.NewReader(content))
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
