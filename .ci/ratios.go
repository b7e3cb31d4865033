// Ratios compares two files of benchmarks, which took turns: the n-th result of a benchmark in one file was measured
// beside the n-th in the other. For each benchmark it prints the ratio of new to old, as the median over the rounds with
// its confidence interval, and at the end the same for the mean of all of them. It exits non-zero if all of them together
// have become slower than -bound with that confidence.
//
//	go run .ci/ratios.go [-bound 1.05] old.txt new.txt
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// results are the values of each benchmark and unit, in the order of the rounds.
type results struct {
	names  []string
	values map[string][]float64
}

func main() {
	bound := flag.Float64("bound", 1.05, "the largest `ratio` of the time of all benchmarks that passes")
	flag.Parse()
	slower, err := run(flag.Arg(0), flag.Arg(1), *bound)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
	if slower {
		fmt.Printf("slower than the base by more than %.0f %%\n", 100*(*bound-1))
		os.Exit(2)
	}
}

func run(oldFile, newFile string, bound float64) (slower bool, err error) {
	before, err := read(oldFile)
	if err != nil {
		return false, err
	}
	after, err := read(newFile)
	if err != nil {
		return false, err
	}
	var sums []float64 // of the logarithms of all ratios of time, by round
	compared := 0
	fmt.Printf("%-64s %12s %12s %6s  %s\n", "median of the rounds", "old", "new", "ratio", "95 %")
	for _, name := range before.names {
		a, b := before.values[name], after.values[name]
		rounds := min(len(a), len(b))
		if rounds == 0 {
			continue
		}
		ratios := make([]float64, rounds)
		for i := range ratios {
			ratios[i] = ratio(b[i], a[i])
		}
		if strings.HasSuffix(name, " ns/op") {
			sums = append(sums, make([]float64, max(0, rounds-len(sums)))...)
			for i, r := range ratios {
				sums[i] += math.Log(r)
			}
			compared++
		}
		show(name, median(a), median(b), ratios)
	}
	if compared == 0 {
		return false, fmt.Errorf("%s and %s have no benchmark in common", oldFile, newFile)
	}
	for i := range sums {
		sums[i] = math.Exp(sums[i] / float64(compared))
	}
	show(fmt.Sprintf("geometric mean of %d ns/op", compared), 1, median(sums), sums)
	low, _ := interval(sums)
	return low > bound, nil
}

func show(name string, before, after float64, ratios []float64) {
	low, high := interval(ratios)
	fmt.Printf("%-64s %12.5g %12.5g %6.3f  %.3f to %.3f\n", name, before, after, median(ratios), low, high)
}

// read reads what go test -bench prints.
func read(file string) (results, error) {
	f, err := os.Open(file)
	if err != nil {
		return results{}, err
	}
	defer f.Close()
	r := results{values: map[string][]float64{}}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				break
			}
			name := strings.TrimPrefix(fields[0], "Benchmark") + " " + fields[i+1]
			if r.values[name] == nil {
				r.names = append(r.names, name)
			}
			r.values[name] = append(r.values[name], value)
		}
	}
	return r, nil
}

// ratio is 1 where both are zero, as for allocations.
func ratio(a, b float64) float64 {
	if a == b {
		return 1
	}
	return a / b
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// interval returns the confidence interval of the median with at least 95 %: a pair of order statistics, whatever the
// values are distributed like. The median lies outside of it if at most cut of them are on one side, as often as that
// many coins of all show heads. Up to five values are too few, and give their range.
func interval(values []float64) (low, high float64) {
	s := slices.Sorted(slices.Values(values))
	n, cut := len(s), 0
	ways, outside := 1., 1.
	for k := 1; k < n/2; k++ {
		ways *= float64(n-k+1) / float64(k)
		if outside += ways; outside*math.Pow(.5, float64(n)) > .025 {
			break
		}
		cut = k
	}
	return s[cut], s[n-1-cut]
}
