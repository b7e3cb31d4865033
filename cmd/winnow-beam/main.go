// Command winnow-beam learns and cleans crawls on Apache Beam: on Prism, Beam's own runner for one machine, or on
// Flink, Dataflow and other engines. It is a module of its own, so that Beam stays out of winnow. What it does with a
// page is what winnow learn and winnow clean do.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
)

func main() {
	var o options
	flag.Func("in", "web archives (.warc, .warc.gz): a path or a glob, local or gs://; may be given more than once", func(glob string) error {
		o.In = append(o.In, glob)
		return nil
	})
	flag.StringVar(&o.Out, "out", "", "write the cleaned pages as lines of JSON to PREFIX-00000-of-N.jsonl")
	flag.StringVar(&o.ModelsOut, "models-out", "", "write the model of each host to this folder, as winnow models export does")
	flag.StringVar(&o.Key, "key", "", "the file \"key\" of a data folder of winnow, where each worker can read it, local or gs://")
	flag.StringVar(&o.Mode, "mode", "text", "what to write: "+strings.Join(page.ModeNames(), ", "))
	flag.StringVar(&o.Detector, "detector", detectors.Default, "detector to use")
	flag.IntVar(&o.Shards, "shards", 16, "number of files of cleaned pages")
	register()
	flag.Parse()
	beam.Init() // a worker ends here
	if *runners.Runner == "" {
		*runners.Runner = "prism"
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, o, *runners.Runner, slog.Default())
	stop()
	os.Exit(code)
}

// options say what to do. All of it goes to the workers, so the key itself is not among them.
type options struct {
	In                  []string
	Out, ModelsOut      string
	Key, Mode, Detector string
	Shards              int
}

// errUsage says that the command line is not as it should be.
var errUsage = errors.New("see winnow-beam --help")

func (o options) check() error {
	switch {
	case len(o.In) == 0 || o.Key == "" || o.Out == "" && o.ModelsOut == "":
		return fmt.Errorf("--in, --key and one of --out and --models-out are needed: %w", errUsage)
	case o.Mode == page.ModeOff.String() || !slices.Contains(page.ModeNames(), o.Mode):
		return fmt.Errorf("--mode %s: it is not one of %s: %w", o.Mode, strings.Join(page.ModeNames(), ", "), errUsage)
	case o.Shards < 1:
		return fmt.Errorf("--shards %d: there must be at least one: %w", o.Shards, errUsage)
	}
	if _, err := detectors.ByName(o.Detector, detectors.Options{}); err != nil {
		return fmt.Errorf("--detector: %w: %w", err, errUsage)
	}
	return nil
}

// run is main without the process around it. It returns the exit code: 2 for usage, 1 where something failed or was
// left out.
func run(ctx context.Context, o options, runner string, log *slog.Logger) int {
	if err := o.check(); err != nil {
		log.Error(err.Error())
		return 2
	}
	p, s := beam.NewPipelineWithRoot()
	o.build(s)
	result, err := beam.Run(ctx, runner, p)
	if err != nil {
		log.Error("the pipeline failed", "error", err)
		return 1
	}
	if result == nil { // the runner does not wait, or counts nothing
		return 0
	}
	return report(result.Metrics(), log)
}

// report says what was counted, as far as the runner tells.
func report(m metrics.Results, log *slog.Logger) int {
	damaged := int64(0)
	for _, c := range m.AllMetrics().Counters() {
		if c.Namespace() != namespace {
			continue
		}
		log.Info("counted", "what", c.Name(), "number", c.Result())
		if c.Name() == damagedName {
			damaged += c.Result()
		}
	}
	if damaged > 0 {
		log.Error("parts of archives are damaged and were left out", "number", damaged)
		return 1
	}
	return 0
}
