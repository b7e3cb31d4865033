package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow-eval/fleet"
)

// fleetCmd is winnow-eval fleet.
type fleetCmd struct {
	Simulate simulateCmd `cmd:"" default:"withargs" help:"Work out what fleets of any size need and gain (what fleet does without a command)."`
	Measure  measureCmd  `cmd:"" help:"Measure one model: the figures that simulate multiplies."`
	Replay   replayCmd   `cmd:"" help:"Spread the pages of a corpus over replicas with real models, and score them."`
}

// Help gives examples.
func (*fleetCmd) Help() string {
	return `docs/scaling.md says what follows from the results. winnow-eval fleet simulate --help lists the flags that fleet has without a command.

Examples:

  winnow-eval fleet
  winnow-eval fleet --replicas 3,10 --hosts 1000 --rate 10 --period 1h --loss 0.05
  winnow-eval fleet measure --corpus synthetic
  winnow-eval fleet replay --corpus synthetic --replicas 3 --every 1,10,0`
}

// formFlags are the forms of output that the commands of fleet have.
type formFlags struct {
	Format string `enum:"text,markdown,json" default:"text" placeholder:"FORM" help:"Print tables as text or markdown, or the figures as json (default: ${default})."`
	JSON   bool   `name:"json" help:"The same as --format json."`
}

// print writes the results in the selected form.
func (f *formFlags) print(p *console.Console, results any, title string, tables []console.Table) error {
	switch {
	case f.JSON || f.Format == "json":
		return p.JSON(results)
	case f.Format == "markdown":
		return console.WriteMarkdown(p.Stdout, tables)
	default:
		return printTables(p, title, tables)
	}
}

// simulateCmd is winnow-eval fleet simulate.
type simulateCmd struct {
	formFlags
	Replicas   []int         `default:"1,3,10,100,1000" placeholder:"N" help:"Numbers of replicas (default: ${default})."`
	Hosts      []int         `default:"100000000" placeholder:"N" help:"Numbers of hosts (default: ${default})."`
	Skew       float64       `default:"1" placeholder:"S" help:"Exponent of Zipf's law, by which pages are spread over hosts (default: ${default})."`
	Rate       float64       `default:"20" placeholder:"N" help:"Pages a second that each replica sees for the first time (default: ${default})."`
	Period     time.Duration `default:"720h" placeholder:"TIME" help:"How long the fleet runs (default: ${default})."`
	Sticky     bool          `help:"All pages of a host go to the same replica; otherwise each goes to any."`
	Every      time.Duration `default:"0s" placeholder:"TIME" help:"How long a replica gathers what it has learned before it sends it (default: ${default})."`
	Delay      time.Duration `default:"2ms" placeholder:"TIME" help:"Least time from one replica to another (default: ${default})."`
	Jitter     time.Duration `default:"5ms" placeholder:"TIME" help:"Mean time beyond that, exponentially distributed (default: ${default})."`
	Loss       float64       `default:"0.001" placeholder:"SHARE" help:"Share of deliveries that get lost (default: ${default})."`
	Retry      time.Duration `default:"1s" placeholder:"TIME" help:"Time after which a lost delivery is repeated; 0 for never (default: ${default})."`
	Held       bool          `help:"Replicas get what concerns the models in their memory, and read others from the store; otherwise they get all."`
	Enough     int           `placeholder:"N" help:"Replicas send what the first N pages of each host teach, and nothing after that; 0 for no such number (default: 0)."`
	Settled    float64       `default:"1" placeholder:"SHARE" help:"Share of pages that are learned of hosts with more than 35 pages; blend comes to 0.125 where pages look alike (default: ${default})."`
	Memory     int           `default:"256" placeholder:"MIB" help:"Memory of a replica for models in MiB, as winnow serve --memory (default: ${default})."`
	StoreAfter int           `default:"3" placeholder:"N" help:"Pages after which a host is stored, as winnow serve store-after (default: ${default})."`
	Page       int           `default:"6" placeholder:"N" help:"A host counts as learned from its page N on (default: ${default})."`
	Price      float64       `default:"0.04" placeholder:"DOLLARS" help:"Price of a core for an hour: an assumption, of November 2026 (default: ${default})."`
	Figures    string        `placeholder:"FILE" help:"Figures of a model, from fleet measure --json (default: those of the project's corpus)."`
	Seed       uint64        `placeholder:"N" help:"Seed of what is played through (default: 0)."`
}

// Help explains the results and gives examples.
func (*simulateCmd) Help() string {
	return `A page is one that the fleet has not seen before. The replica that sees it learns it and sends an increment to all others. Up to 2 million deliveries are played through, event by event; larger fleets come from formulas. The same seed gives the same result.

everywhere is the time until all replicas know a page (half of all pages, and 99 %). page is the number of pages that the busiest host needs in the fleet until a page finds as much learned as page --page of a single process, if replicas share, and alone if they don't. cold are the shares of all pages that find less. F1 is the mean over all pages. All of these are also given for one process. Where adding what others send needs a core or more, a replica never catches up.

Examples:

  winnow-eval fleet
  winnow-eval fleet --replicas 3 --hosts 1000 --rate 10 --period 1h --loss 0.05
  winnow-eval fleet --replicas 100,1000 --held --enough 20
  winnow-eval fleet measure --corpus corpus/sites --json > figures.json && winnow-eval fleet --figures figures.json`
}

// fleetReport has the results of simulate.
type fleetReport struct {
	Figures *fleet.Figures  `json:"figures"`
	Results []*fleet.Result `json:"results"`
	// Billion is the cost of cleaning a billion pages.
	Billion costReport `json:"billion_pages"`
}

// costReport is the cost of pages on rented cores.
type costReport struct {
	CoreHours float64 `json:"core_hours"`
	// Price is in dollars for a core-hour, Dollars the cost of all.
	Price   float64 `json:"dollars_per_core_hour"`
	Dollars float64 `json:"dollars"`
}

// Run works out each scenario and prints the results.
func (c *simulateCmd) Run(ctx context.Context, p *console.Console) error {
	figures, err := c.figures()
	if err != nil {
		return err
	}
	report := &fleetReport{Figures: figures, Billion: costReport{CoreHours: figures.Page * 1e9 / 1e6 / 3600, Price: c.Price}}
	report.Billion.Dollars = report.Billion.CoreHours * c.Price
	scenarios, pages, err := c.scenarios()
	if err != nil {
		return err
	}
	step, done := p.Progress("playing", pages)
	defer done()
	for _, s := range scenarios {
		r, err := fleet.Simulate(ctx, s, figures, step)
		if err != nil {
			return err
		}
		report.Results = append(report.Results, r)
	}
	done()
	return c.print(p, report, c.title(), report.tables(c.Page))
}

func (c *simulateCmd) figures() (*fleet.Figures, error) {
	if c.Figures == "" {
		return fleet.Measured()
	}
	b, err := os.ReadFile(c.Figures)
	if err != nil {
		return nil, console.Usagef("--figures: %w", err)
	}
	f, err := fleet.ParseFigures(b)
	if err != nil {
		return nil, console.Usagef("--figures: %s: %w", c.Figures, err)
	}
	return f, nil
}

// scenarios returns all combinations of numbers of hosts and replicas, and the number of pages to play through.
func (c *simulateCmd) scenarios() (all []*fleet.Scenario, pages int, err error) {
	for _, hosts := range c.Hosts {
		for _, replicas := range c.Replicas {
			rate := c.Rate * float64(replicas)
			s := &fleet.Scenario{
				Replicas: replicas, Hosts: hosts, Skew: c.Skew, Rate: rate, Pages: rate * c.Period.Seconds(), Sticky: c.Sticky,
				Every: c.Every, Delay: c.Delay, Jitter: c.Jitter, Loss: c.Loss, Retry: c.Retry, Held: c.Held, Enough: c.Enough, Settled: c.Settled,
				Memory: float64(c.Memory) * (1 << 20), StoreAfter: c.StoreAfter, Page: c.Page, Seed: c.Seed,
			}
			if err := s.Check(); err != nil {
				return nil, 0, console.Usagef("--%w", err)
			}
			if s.Playable() {
				pages += int(s.Pages)
			}
			all = append(all, s)
		}
	}
	return all, pages, nil
}

func (c *simulateCmd) title() string {
	way := "each page goes to any replica"
	if c.Sticky {
		way = "all pages of a host go to one replica"
	}
	get := "all increments"
	if c.Held {
		get = "the increments of models in their memory"
	}
	if c.Enough > 0 {
		get += fmt.Sprintf(" of the first %d pages of each host", c.Enough)
	}
	return fmt.Sprintf("%g new pages a second and replica for %v, spread over hosts by Zipf's law (exponent %g); %s; replicas get %s, "+
		"sent every %v, in %v and %v more on average, %g %% lost and repeated after %v; %d MiB for models",
		c.Rate, c.Period, c.Skew, way, get, c.Every, c.Delay, c.Jitter, 100*c.Loss, c.Retry, c.Memory)
}
