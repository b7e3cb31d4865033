package fleet

import (
	"errors"
	"time"
)

// Scenario is a fleet with its work. A page is one that the fleet has not seen before: pages that come again teach
// nothing and send nothing.
type Scenario struct {
	// Replicas is the number of winnows.
	Replicas int `json:"replicas"`
	// Hosts is the number of hosts. Skew is the exponent of Zipf's law, by which the pages are spread over them.
	Hosts int     `json:"hosts"`
	Skew  float64 `json:"skew"`
	// Pages is the number of pages that the fleet sees, and Rate how many of them it sees in a second.
	Pages float64 `json:"pages"`
	Rate  float64 `json:"rate"`
	// Sticky says that the balancer sends all pages of a host to the same replica. Otherwise each goes to any replica.
	Sticky bool `json:"sticky"`
	// Every is the time for which a replica gathers increments before it sends them, 0 to send each at once. Delay is
	// the least time that an increment then takes to a replica, and Jitter the mean of what it takes beyond that.
	Every  time.Duration `json:"every_ns"`
	Delay  time.Duration `json:"delay_ns"`
	Jitter time.Duration `json:"jitter_ns"`
	// Loss is the share of increments that get lost on the way to a replica. They are sent again after Retry, or never
	// if that is 0.
	Loss  float64       `json:"loss"`
	Retry time.Duration `json:"retry_ns"`
	// Held says that a replica gets the increments of those hosts only whose models it has in memory, and reads the
	// others from the store when it needs them. Otherwise it gets all increments.
	Held bool `json:"held"`
	// Enough is the number of pages of each host after which nothing is sent about it any more, 0 for no such number.
	// What is sent then is a mean over the time in which Pages are seen: it is more in the beginning.
	Enough int `json:"enough"`
	// Settled is the share of pages that are learned, and sent, of hosts that are well known: those with more pages than
	// the largest model that was measured.
	Settled float64 `json:"settled"`
	// Memory is what a replica's models may take, in bytes.
	Memory float64 `json:"memory_bytes"`
	// StoreAfter is the number of pages after which a host is stored.
	StoreAfter int `json:"store_after"`
	// Page is the number of the page, counted from 1, by which a host counts as learned.
	Page int `json:"page"`
	// Seed selects the random numbers of a fleet that is played through.
	Seed uint64 `json:"seed"`
}

// Check returns an error for a scenario that makes no sense.
func (s *Scenario) Check() error {
	switch {
	case s.Replicas < 1 || s.Replicas > 1e5:
		return errors.New("replicas: want 1 to 100,000")
	case s.Hosts < 1 || s.Hosts > 1e10:
		return errors.New("hosts: want 1 to 10 billion")
	case s.Skew < 0 || s.Skew > 3:
		return errors.New("skew: want 0 to 3")
	case s.Pages <= 0 || s.Rate <= 0:
		return errors.New("pages and rate: want more than 0")
	case s.Every < 0 || s.Delay < 0 || s.Jitter < 0 || s.Retry < 0:
		return errors.New("times: want 0 or more")
	case s.Loss < 0 || s.Loss >= 1:
		return errors.New("loss: want 0 or more, and less than 1")
	case s.Memory <= 0:
		return errors.New("memory: want more than 0")
	case s.Page < 2 || s.StoreAfter < 1:
		return errors.New("page: want 2 or more; store-after: 1 or more")
	case s.Settled <= 0 || s.Settled > 1:
		return errors.New("settled: want more than 0, and at most 1")
	case s.Enough < 0 || s.Enough > 0 && s.Enough < s.Page:
		return errors.New("enough: want at least --page, or 0")
	}
	return nil
}

// Result is what a scenario comes to.
type Result struct {
	Scenario Scenario `json:"scenario"`
	// Method is how it was found: MethodEvents or MethodFormulas. Everywhere, Reached and Cold depend on it. All else
	// comes from formulas.
	Method string `json:"method"`
	// Everywhere is the time until all replicas know a page that one of them has learned.
	Everywhere Quantiles `json:"everywhere"`
	// Reached is the share of increments that arrive at a replica that they are sent to.
	Reached float64 `json:"reached"`
	// Cold says how many pages find a model that has learned too little.
	Cold Cold `json:"cold"`
	// Needed is the number of pages that the busiest host needs in the fleet until one finds as much learned as page
	// Scenario.Page of a single process does, if replicas share, and NeededAlone if they don't.
	Needed      Seconds `json:"needed"`
	NeededAlone float64 `json:"needed_alone"`
	// F1 is the mean over all pages of a single process, of replicas that share, and of replicas that don't.
	F1One    float64 `json:"f1_one"`
	F1Shared float64 `json:"f1_shared"`
	F1Alone  float64 `json:"f1_alone"`
	// In and Out are what each replica receives and sends in a second for sharing, and Total what all receive, in bytes.
	In    float64 `json:"in_bytes_per_second"`
	Out   float64 `json:"out_bytes_per_second"`
	Total float64 `json:"total_bytes_per_second"`
	// Cleaning is the number of cores that each replica needs to clean its pages, and Adding to add those of others.
	// Both include reading and writing models that are not in memory.
	Cleaning float64 `json:"cleaning_cores"`
	Adding   float64 `json:"adding_cores"`
	// Stored is the number of hosts in the store, and Store the bytes of their models.
	Stored float64 `json:"stored_hosts"`
	Store  float64 `json:"store_bytes"`
	// All is what the models of all hosts would take in memory. Memory is what a replica's models take, InMemory the
	// number of them, and Hit the share of pages that find their model there.
	All      float64 `json:"all_models_bytes"`
	Memory   float64 `json:"memory_bytes"`
	InMemory float64 `json:"models_in_memory"`
	Hit      float64 `json:"memory_hits"`
}

// Quantiles are those of a time.
type Quantiles struct {
	P50 Seconds `json:"p50"`
	P99 Seconds `json:"p99"`
}

// Cold are shares of all pages that find fewer pages learned than page Scenario.Page of a single process does.
type Cold struct {
	One    float64 `json:"one"`
	Shared float64 `json:"shared"`
	Alone  float64 `json:"alone"`
}
