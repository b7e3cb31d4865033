package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// report is the result.
type report struct {
	mu sync.Mutex

	Hosts   int
	Seconds float64
	// Kinds counts requests by kind, Wrong those of them with a wrong response.
	Kinds, Wrong map[string]int
	// Passed counts pages that passed unchanged, by reason.
	Passed map[string]int
	// Pages counts cleaned pages, Whole those with their complete article, Rid those without the template's text.
	Pages, Whole, Rid int
	WrongBytes        int
	// P50, P99 and Slowest are durations of sound requests in seconds.
	P50, P99, Slowest float64
	// First and Last are means over the first and the last half of the samples after warm-up. Peak has the highest
	// values. AtRest and After are the samples before and after the load.
	First, Last, Peak, AtRest, After sample
	Kills, Intact                    int
	Violations                       []string

	times   []time.Duration
	samples []sample
}

// Maximum number of stored entries of unbounded lists.
const (
	keptTimes      = 1 << 20
	keptViolations = 100
	keptOfKind     = 3
)

func newReport(o options) *report {
	return &report{Hosts: o.Hosts, Kinds: map[string]int{}, Wrong: map[string]int{}, Passed: map[string]int{}}
}

func (r *report) violate(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.Violations) < keptViolations {
		r.Violations = append(r.Violations, fmt.Sprintf(format, args...))
	}
}

// count counts a request and, if err is not nil, what was wrong with it.
func (r *report) count(kind string, err error) {
	r.mu.Lock()
	r.Kinds[kind]++
	if err != nil {
		r.Wrong[kind]++
	}
	if errors.Is(err, errWrongBytes) {
		r.WrongBytes++
	}
	told := r.Wrong[kind] <= keptOfKind
	r.mu.Unlock()
	if err != nil && told {
		r.violate("%s: %.300s", kind, err.Error())
	}
}

func (r *report) took(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.times) < keptTimes {
		r.times = append(r.times, d)
	}
}

func (r *report) passed(outcome string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Passed[strings.TrimPrefix(outcome, "passed; reason=")]++
}

// cleaned checks and counts a cleaned page. A corpus measures what was removed; here a page must be complete and the
// requested one.
func (r *report) cleaned(want page, body []byte, mode string) error {
	text := string(body)
	if mode != "markdown" && (!strings.Contains(text, "<title>"+want.title) || !strings.HasSuffix(strings.TrimSpace(text), "</html>")) {
		return fmt.Errorf("a cleaned page of %d bytes is the wrong one, or truncated", len(body))
	}
	whole := !slices.ContainsFunc(want.content, func(s string) bool { return !strings.Contains(text, s) })
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Pages++
	if whole {
		r.Whole++
	}
	if !bytes.Contains(body, []byte(want.template)) {
		r.Rid++
	}
	return nil
}

// finish computes the figures of the table.
func (r *report) finish() {
	slices.Sort(r.times)
	if n := len(r.times); n > 0 {
		r.P50, r.P99, r.Slowest = r.times[n/2].Seconds(), r.times[n*99/100].Seconds(), r.times[n-1].Seconds()
	}
}

// print prints the table.
func (r *report) print(w io.Writer) {
	r.finish()
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	total := 0
	for _, n := range r.Kinds {
		total += n
	}
	fmt.Fprintf(t, "%d hosts, %.0f s\t%d requests\t%.0f a second\n\n", r.Hosts, r.Seconds, total, float64(total)/max(r.Seconds, 1))
	fmt.Fprintln(t, "request\tmade\twrong")
	for _, k := range slices.Sorted(maps.Keys(r.Kinds)) {
		fmt.Fprintf(t, "%s\t%d\t%d\n", k, r.Kinds[k], r.Wrong[k])
	}
	fmt.Fprintf(t, "\nsound requests\tp50 %.0f ms\tp99 %.0f ms\tslowest %.1f s\n", r.P50*1000, r.P99*1000, r.Slowest)
	fmt.Fprintf(t, "pages cleaned\t%d\tarticle whole %.1f %%\tfooter gone %.1f %%\n", r.Pages, percent(r.Whole, r.Pages), percent(r.Rid, r.Pages))
	for _, k := range slices.Sorted(maps.Keys(r.Passed)) {
		fmt.Fprintf(t, "pages passed, %s\t%d\n", k, r.Passed[k])
	}
	fmt.Fprintf(t, "wrong bytes\t%d\n", r.WrongBytes)
	fmt.Fprintf(t, "kill -9, store intact\t%d of %d\n", r.Intact, r.Kills)
	fmt.Fprintln(t, "\nwinnow takes\tat rest\tearly\tlate\tpeak\tafter")
	row := func(name string, of func(sample) float64) {
		fmt.Fprintf(t, "%s", name)
		for _, s := range []sample{r.AtRest, r.First, r.Last, r.Peak, r.After} {
			fmt.Fprintf(t, "\t%.0f", of(s))
		}
		fmt.Fprintln(t)
	}
	row("goroutines", func(s sample) float64 { return s.Goroutines })
	row("descriptors", func(s sample) float64 { return s.Descriptors })
	row("resident, MiB", func(s sample) float64 { return s.Private / (1 << 20) })
	row("mapped files, MiB", func(s sample) float64 { return s.Mapped / (1 << 20) })
	row("models, MiB", func(s sample) float64 { return s.ModelBytes / (1 << 20) })
	row("pages learned", func(s sample) float64 { return s.Learned })
	row("pages not learned", func(s sample) float64 { return s.Dropped })
	_ = t.Flush() // to a terminal or a pipe that nobody may read
	for _, v := range r.Violations {
		fmt.Fprintln(w, "violated:", v)
	}
	if len(r.Violations) == 0 {
		fmt.Fprintln(w, "\nheld")
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// save writes the report as JSON.
func (r *report) save(name string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(b, '\n'), 0o600)
}
