package main

import (
	"fmt"
	"math"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/evalcli"
	"github.com/winnow-proxy/winnow/cmd/winnow-eval/fleet"
)

// tables has a table of what a fleet gains, one of what it needs, and those of what they follow from.
func (r *fleetReport) tables(page int) []console.Table {
	gains := console.Table{Head: []string{"replicas", "hosts", "pages", "by", "everywhere 50 %", "99 %", fmt.Sprintf("page %d", page),
		"alone", "cold: one", "shared", "alone", "F1: one", "shared", "alone"}}
	needs := console.Table{Head: []string{"replicas", "hosts", "in", "out", "all in", "cores: cleaning", "adding", "stored", "store",
		"models", "memory", "hits", "all models"}}
	for _, x := range r.Results {
		s := &x.Scenario
		gains.Add(fmt.Sprint(s.Replicas), count(float64(s.Hosts)), count(s.Pages), x.Method, seconds(x.Everywhere.P50), seconds(x.Everywhere.P99),
			needed(x.Needed), fmt.Sprintf("%.0f", x.NeededAlone), evalcli.Percent(x.Cold.One), evalcli.Percent(x.Cold.Shared),
			evalcli.Percent(x.Cold.Alone), score(x.F1One), score(x.F1Shared), score(x.F1Alone))
		needs.Add(fmt.Sprint(s.Replicas), count(float64(s.Hosts)), size(x.In)+"/s", size(x.Out)+"/s", size(x.Total)+"/s",
			fmt.Sprintf("%.2f", x.Cleaning), fmt.Sprintf("%.2f", x.Adding), count(x.Stored), size(x.Store),
			count(x.InMemory), size(x.Memory), evalcli.Percent(x.Hit), size(x.All))
	}
	return append([]console.Table{gains, needs, r.Billion.table()}, figureTables(r.Figures)...)
}

func (c *costReport) table() console.Table {
	t := console.Table{Head: []string{"a billion pages", "core-hours", "dollars an hour", "dollars"}}
	t.Add("cleaned and learned", count(c.CoreHours), fmt.Sprintf("%.3f", c.Price), fmt.Sprintf("%.0f", c.Dollars))
	return t
}

// figureTables show the figures of one model.
func figureTables(f *fleet.Figures) []console.Table {
	one := console.Table{Head: []string{"one page (" + f.Source + ")", ""}}
	one.Add("clean and learn", micros(f.Page))
	one.Add("add what another replica has learned", micros(f.Add))
	one.Add("sent for it", size(f.Increment))
	models := console.Table{Head: []string{"one model, by pages learned", "memory", "encoded", "encode", "decode", "F1 of later pages"}}
	for _, s := range f.Sizes {
		models.Add(fmt.Sprint(s.Pages), size(s.Memory), size(s.Encoded), micros(s.Encode), micros(s.Decode), score(s.F1))
	}
	return []console.Table{one, models}
}

// needed prints a number of pages with a digit behind the point if that says something.
func needed(pages fleet.Seconds) string {
	if math.IsInf(float64(pages), 1) {
		return "never"
	}
	return fmt.Sprintf("%.1f", float64(pages))
}

// seconds prints a time.
func seconds(s fleet.Seconds) string {
	switch x := float64(s); {
	case math.IsInf(x, 1):
		return "never"
	case x < 1:
		return fmt.Sprintf("%.0f ms", 1000*x)
	case x < 120:
		return fmt.Sprintf("%.1f s", x)
	default:
		return fmt.Sprintf("%.0f min", x/60)
	}
}

func micros(us float64) string { return fmt.Sprintf("%.2f ms", us/1000) }

func score(f1 float64) string { return fmt.Sprintf("%.3f", f1) }

// count prints a large number.
func count(n float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if n >= unit.size {
			if unit.name == "k" {
				return fmt.Sprintf("%.0f k", n/1e3)
			}
			return fmt.Sprintf("%.4g %s", n/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.0f", n)
}

// size prints a number of bytes.
func size(n float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if n >= unit.size {
			return fmt.Sprintf("%.3g %s", n/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.0f B", n)
}
