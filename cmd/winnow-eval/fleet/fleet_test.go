package fleet

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// small is a fleet that can be played through.
func small() Scenario {
	return Scenario{Replicas: 3, Hosts: 200, Skew: 1, Pages: 4000, Rate: 60, Delay: 2 * time.Millisecond, Jitter: 20 * time.Millisecond,
		Loss: .02, Retry: time.Second, Settled: 1, Memory: 256 << 20, StoreAfter: 3, Page: 6}
}

// figures are made up. Models of all sizes take as much memory.
func figures() *Figures {
	return &Figures{Source: "made up", Increment: 1e4, Page: 5000, Add: 400, Sizes: []Size{
		{F1: .8}, {Pages: 1, Memory: 1e5, Encoded: 1e4, F1: .9}, {Pages: 10, Memory: 1e5, Encoded: 5e4, F1: .95},
	}}
}

func drawScenario(t *rapid.T) Scenario {
	s := small()
	s.Replicas = rapid.IntRange(2, 8).Draw(t, "replicas")
	s.Hosts = rapid.IntRange(1, 40).Draw(t, "hosts")
	s.Skew = rapid.Float64Range(0, 2).Draw(t, "skew")
	s.Pages = float64(rapid.IntRange(1, 300).Draw(t, "pages"))
	s.Sticky = rapid.Bool().Draw(t, "sticky")
	s.Every = time.Duration(rapid.IntRange(0, 2000).Draw(t, "every")) * time.Millisecond
	s.Loss = rapid.Float64Range(0, .6).Draw(t, "loss")
	s.Seed = rapid.Uint64().Draw(t, "seed")
	return s
}

func mustPlay(t interface{ Fatal(...any) }, s *Scenario, add float64, on models) *played {
	p, err := play(context.Background(), s, add, on, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// In the end all replicas know the same, if nothing gets lost for ever, and each page counts once.
func TestReplicasAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		on := newCounts(&s)
		p := mustPlay(t, &s, .001, on)
		sum := int32(0)
		for host, pages := range on[0] {
			for r := range on {
				if on[r][host] != pages {
					t.Fatalf("host %d: replica %d knows %d pages, and replica 0 %d", host, r, on[r][host], pages)
				}
			}
			sum += pages
		}
		if int(sum) != int(s.Pages) || len(p.everywhere) != int(s.Pages) || p.added != int(s.Pages)*(s.Replicas-1) {
			t.Fatalf("%v pages: replicas know %d, %d are everywhere, %d added", s.Pages, sum, len(p.everywhere), p.added)
		}
	})
}

// Without repetition, what is lost stays lost, and the formulas know how much.
func TestLossWithoutRepetition(t *testing.T) {
	s := small()
	s.Loss, s.Retry = .1, 0
	r, err := Simulate(t.Context(), &s, figures(), func() {})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Reached-.9) > .01 || !math.IsInf(float64(r.Everywhere.P99), 1) || math.IsInf(float64(r.Everywhere.P50), 1) {
		t.Errorf("%.3f arrive, everywhere within %v", r.Reached, r.Everywhere)
	}
	if byFormula := solve(&s, figures()); byFormula.Reached != .9 || !math.IsInf(float64(byFormula.Everywhere.P99), 1) {
		t.Errorf("by formulas: %.3f arrive, everywhere within %v", byFormula.Reached, byFormula.Everywhere)
	}
}

// More replicas never know everything sooner: page by page when played through, and by the formulas.
func TestMoreReplicasNeverConvergeFaster(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		s.Every = 0
		more := s
		more.Replicas += rapid.IntRange(1, 8).Draw(t, "more")
		few, many := mustPlay(t, &s, 0, newCounts(&s)), mustPlay(t, &more, 0, newCounts(&more))
		for i := range few.everywhere {
			if many.everywhere[i] < few.everywhere[i]-1e-9 {
				t.Fatalf("%d replicas take %v, and %d take %v", s.Replicas, few.everywhere[i], more.Replicas, many.everywhere[i])
			}
		}
		s.Every = time.Duration(rapid.IntRange(0, 2000).Draw(t, "gathered")) * time.Millisecond
		l, m := newLag(&s, 3, 10, .001), newLag(&s, 3, 10, .001)
		m.others = l.others * 3
		for _, p := range []float64{.5, .99} {
			if a, b := l.quantile(p), m.quantile(p); b < a {
				t.Fatalf("by formulas, %v others take %v, and %v take %v", l.others, a, m.others, b)
			}
		}
	})
}

// The formulas give what comes out when fleets are played through.
func TestFormulasFitEvents(t *testing.T) {
	change := map[string]func(*Scenario){
		"as it is": func(*Scenario) {},
		"gathered": func(s *Scenario) { s.Every = 2 * time.Second },
		"many":     func(s *Scenario) { s.Replicas, s.Pages = 40, 5000 },
		"busy":     func(s *Scenario) { s.Rate, s.Loss = 1500, 0 },
		"lossy":    func(s *Scenario) { s.Loss = .3 },
		"sticky":   func(s *Scenario) { s.Sticky = true },
		"tail":     func(s *Scenario) { s.Hosts, s.Skew = 5000, .8 },
	}
	for name, f := range change {
		t.Run(name, func(t *testing.T) {
			s := small()
			s.Pages, s.Seed = 20000, 7
			f(&s)
			formulas := solve(&s, figures())
			events, err := Simulate(t.Context(), &s, figures(), func() {})
			if err != nil || events.Method != MethodEvents {
				t.Fatal(events, err)
			}
			near := func(what string, got, want, relative, absolute float64) {
				t.Helper()
				if math.Abs(got-want) > relative*want+absolute {
					t.Errorf("%s: %.4f by formulas, %.4f by events", what, got, want)
				}
			}
			near("half of all pages", float64(formulas.Everywhere.P50), float64(events.Everywhere.P50), .1, .003)
			near("99 % of all pages", float64(formulas.Everywhere.P99), float64(events.Everywhere.P99), .15, .02)
			near("cold pages", formulas.Cold.Shared, events.Cold.Shared, .1, .002)
		})
	}
}

// One process and sticky replicas wait for nobody. Replicas that share lie between one process and those that don't.
func TestOrderOfSetups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		s.Pages *= 100
		s.Hosts *= 20
		s.Memory = 1e7
		r := solve(&s, figures())
		const slack = 1e-9
		if c := r.Cold; c.Shared < c.One-slack || !s.Sticky && c.Alone < c.One-slack || s.Sticky && math.Abs(c.Shared-c.One) > slack {
			t.Fatalf("cold: %+v", c)
		}
		if r.F1Shared > r.F1One+slack || r.F1Alone > r.F1One+slack || r.F1One > .95+slack || r.F1One < .8-slack {
			t.Fatalf("F1: one %v, shared %v, alone %v", r.F1One, r.F1Shared, r.F1Alone)
		}
		if r.Memory > s.Memory*1.001 || r.Hit < 0 || r.Hit > 1+slack || r.Stored > float64(s.Hosts)*(1+slack) {
			t.Fatalf("memory %v of %v, hits %v, %v of %d hosts stored", r.Memory, s.Memory, r.Hit, r.Stored, s.Hosts)
		}
	})
}

// A fleet that sends more than a replica can add never catches up, and then sharing gains nothing.
func TestTooMuchToAdd(t *testing.T) {
	s := small()
	s.Replicas, s.Rate, s.Hosts, s.Pages = 1000, 20000, 1e8, 1e10
	r := solve(&s, figures())
	if r.Adding < 1 || !math.IsInf(float64(r.Everywhere.P50), 1) || r.Cold.Shared != r.Cold.Alone || r.F1Shared != r.F1Alone {
		t.Errorf("adding takes %.1f cores, everywhere %v, cold %+v", r.Adding, r.Everywhere, r.Cold)
	}
	s.Held = true
	if held := solve(&s, figures()); held.Adding > r.Adding/2 || held.Hit > .9 {
		t.Errorf("of the models in memory alone, adding takes %.1f cores with %.2f hits", held.Adding, held.Hit)
	}
	s.Held, s.Enough = false, 20
	if enough := solve(&s, figures()); enough.Adding > r.Adding*float64(s.Enough*s.Hosts)/s.Pages || enough.Cold.Shared >= r.Cold.Shared {
		t.Errorf("of the first pages alone, adding takes %.1f cores, cold %+v", enough.Adding, enough.Cold)
	}
}

// Hosts that are well known are learned from less often. That saves sending the more, the more pages each host has.
func TestSettledHosts(t *testing.T) {
	s := small()
	s.Hosts, s.Pages = 1000, 1e7
	all, busy := solve(&s, figures()), s
	busy.Settled = .125
	some := solve(&busy, figures())
	if share := some.Out / all.Out; share < .125 || share > .14 || some.Adding > .15*all.Adding || math.Abs(some.Cold.Shared-all.Cold.Shared) > 1e-6 {
		t.Errorf("sent %.3f of it, added %v of %v cores, cold %+v, before %+v", share, some.Adding, all.Adding, some.Cold, all.Cold)
	}
	busy.Pages, s.Pages = 1000, 1000
	if few := solve(&busy, figures()).Out / solve(&s, figures()).Out; few < .7 {
		t.Errorf("of hosts with few pages, %.3f is sent", few)
	}
}

// Groups of hosts have the shares that the hosts have one by one.
func TestZipf(t *testing.T) {
	for _, skew := range []float64{0, .7, 1, 1.3} {
		const n = 30000
		weights, total := make([]float64, n), 0.0
		for i := range weights {
			weights[i] = math.Pow(float64(i+1), -skew)
			total += weights[i]
		}
		number, sum, square, want := 0.0, 0.0, 0.0, 0.0
		for _, g := range zipf(n, skew) {
			number += g.number
			sum += g.number * g.share
			square += g.number * g.share * math.Sqrt(g.share)
		}
		for _, w := range weights {
			want += w / total * math.Sqrt(w/total)
		}
		if number != n || math.Abs(sum-1) > 1e-9 || math.Abs(square/want-1) > 1e-3 {
			t.Errorf("skew %v: %v hosts with %v of the pages; %v, want %v", skew, number, sum, square, want)
		}
	}
	if groups := zipf(1e8, 1); len(groups) > 2000 {
		t.Errorf("%d groups", len(groups))
	}
}

// Che's approximation says what a replica has in memory that drops the models which were not used for the longest time.
func TestHitsInMemory(t *testing.T) {
	for _, sticky := range []bool{false, true} {
		s := small()
		s.Hosts, s.Skew, s.Pages, s.Replicas, s.Sticky, s.Memory = 3000, .9, 400000, 4, sticky, 300*1e5
		r := solve(&s, figures())
		const capacity = 300
		g := &game{s: &s, hosts: cumulative(&s)}
		rng := rand.New(rand.NewPCG(3, 4))
		used, hits, pages := []int{}, 0, 0
		for range int(s.Pages) {
			host, replica := g.pick(rng.Float64()), rng.IntN(s.Replicas)
			if sticky {
				replica = host % s.Replicas
			}
			if replica != 0 {
				continue
			}
			pages++
			if i := slices.Index(used, host); i >= 0 {
				hits++
				used = slices.Delete(used, i, i+1)
			}
			used = append(used, host)
			used = used[max(0, len(used)-capacity):]
		}
		// Sticky replicas have different hosts, so the busiest one makes them differ.
		if got := float64(hits) / float64(pages); math.Abs(got-r.Hit) > .02+map[bool]float64{true: .05}[sticky] {
			t.Errorf("sticky %v: %.3f hits, by the approximation %.3f", sticky, got, r.Hit)
		}
	}
}

// The figures that come with the program can be used, and others are checked.
func TestFigures(t *testing.T) {
	f, err := Measured()
	if err != nil {
		t.Fatal(err)
	}
	if f.memory(20) <= f.memory(2) || f.encoded(1e9) > 256<<10 || f.memory(1e9) > 1<<20 || f.f1(1e9) > 1 || f.Source == "" {
		t.Errorf("%+v", f)
	}
	for pages, want := range map[float64]float64{0: 0, 1: 1e4, 10: 5e4} {
		if got := figures().encoded(pages); math.Abs(got-want) > 1e-6 {
			t.Errorf("%v pages take %v bytes, want %v", pages, got, want)
		}
	}
	for _, bad := range []string{"", "{}", `{"increment_bytes":1,"page_us":1,"add_us":1,"sizes":[{"pages":0},{"pages":3},{"pages":2}]}`} {
		if _, err := ParseFigures([]byte(bad)); err == nil {
			t.Errorf("%q are figures", bad)
		}
	}
}

func TestScenariosAreChecked(t *testing.T) {
	for _, spoil := range []func(*Scenario){
		func(s *Scenario) { s.Replicas = 0 }, func(s *Scenario) { s.Hosts = 0 }, func(s *Scenario) { s.Loss = 1 },
		func(s *Scenario) { s.Rate = 0 }, func(s *Scenario) { s.Every = -1 }, func(s *Scenario) { s.Skew = -1 },
		func(s *Scenario) { s.Memory = 0 }, func(s *Scenario) { s.Page = 1 }, func(s *Scenario) { s.Enough = 2 }, func(s *Scenario) { s.Settled = 0 },
	} {
		s := small()
		spoil(&s)
		if _, err := Simulate(t.Context(), &s, figures(), func() {}); err == nil {
			t.Errorf("%+v is a scenario", s)
		}
	}
}
