package cache

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

func candidates(rt *rapid.T) []Candidate {
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) Candidate {
		return Candidate{
			Host: rapid.StringMatching(`(www\.)?[a-e]\.(example|co\.uk|github\.io)(:8080)?`).Draw(rt, "host"),
			Cost: rapid.Int64Range(1, 1000).Draw(rt, "cost"),
			Summary: Summary{
				Pages: rapid.IntRange(0, 200).Draw(rt, "pages"), Uses: rapid.Uint64Range(0, 1<<20).Draw(rt, "uses"),
				LastSeen: noon().Add(-time.Duration(rapid.IntRange(-1, 1000).Draw(rt, "hours")) * time.Hour),
				Client:   rapid.Uint64Range(0, 4).Draw(rt, "client"),
			},
		}
	}), 0, 60).Draw(rt, "candidates")
}

// The remaining models fit, no more are removed than necessary, and of one domain and client the less useful are
// removed first.
func TestLeastUsefulKeepsToTheBudget(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := candidates(rt)
		budget := rapid.Int64Range(0, 20_000).Draw(rt, "budget")
		chosen := LeastUseful(all, budget, noon())
		gone := map[int]bool{}
		live := int64(0)
		for _, c := range all {
			live += c.Cost
		}
		for n, i := range chosen {
			if live <= budget {
				rt.Fatalf("%d of %d chosen although %d bytes fit into %d", len(chosen)-n, len(all), live, budget)
			}
			if gone[i] {
				rt.Fatalf("%d is chosen twice", i)
			}
			gone[i] = true
			live -= all[i].Cost
		}
		if live > budget {
			rt.Fatalf("%d bytes are left, the budget is %d", live, budget)
		}
		for i, lost := range all {
			for j, kept := range all {
				same := registrable(lost.Host) == registrable(kept.Host) && lost.Client == kept.Client
				if gone[i] && !gone[j] && same && lost.utility(noon()) > kept.utility(noon()) {
					rt.Fatalf("%+v goes before %+v", lost, kept)
				}
			}
		}
	})
}

// A model grows more useful with pages and uses, and less with time.
func TestUtilityIsMonotonous(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := Summary{
			Pages: rapid.IntRange(0, 300).Draw(rt, "pages"), Uses: rapid.Uint64().Draw(rt, "uses"),
			LastSeen: noon().Add(-time.Duration(rapid.Int64Range(0, 1<<50).Draw(rt, "age"))),
		}
		better := s
		better.Pages += rapid.IntRange(0, 10).Draw(rt, "more pages")
		better.Uses = max(s.Uses, s.Uses+rapid.Uint64Range(0, 10).Draw(rt, "more uses"))
		better.LastSeen = s.LastSeen.Add(time.Duration(rapid.Int64Range(0, 1<<40).Draw(rt, "later")))
		if better.utility(noon()) < s.utility(noon()) {
			rt.Fatalf("%+v is less useful than %+v", better, s)
		}
	})
}

// victim is a model that its users would miss.
func victim() Candidate {
	return Candidate{Host: "news.example", Cost: 60_000,
		Summary: Summary{Pages: 30, Uses: 100, LastSeen: noon().Add(-24 * time.Hour), Client: 1}}
}

// Made-up hosts, however many and with any number of pages, do not push out the models of others.
func TestMadeUpHostsPushNoModelOut(t *testing.T) {
	for name, made := range map[string]func(h int) Candidate{
		"one page each": func(h int) Candidate {
			return Candidate{Host: fmt.Sprintf("x%d.example", h), Summary: Summary{Pages: 1, Uses: 1}}
		},
		"many pages, one domain": func(h int) Candidate {
			return Candidate{Host: fmt.Sprintf("x%d.evil.example", h), Summary: Summary{Pages: 500, Uses: 5000}}
		},
		"many pages, one client": func(h int) Candidate {
			return Candidate{Host: fmt.Sprintf("x%d.example", h), Summary: Summary{Pages: 500, Uses: 5000, Client: 2}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := []Candidate{victim()}
			for h := range 1000 {
				c := made(h)
				c.Cost, c.LastSeen = 100_000, noon()
				all = append(all, c)
			}
			if chosen := LeastUseful(all, 40<<20, noon()); slices.Contains(chosen, 0) || len(chosen) < 500 {
				t.Errorf("%d of 1000 chosen, the model of 30 pages among them: %v", len(chosen), slices.Contains(chosen, 0))
			}
		})
	}
}

// A quota only matters where several parties share the store.
func TestOneDomainAndOneClientMayHaveAll(t *testing.T) {
	var all []Candidate
	for h := range 100 {
		all = append(all, Candidate{Host: fmt.Sprintf("h%d.big.example", h), Cost: 100,
			Summary: Summary{Pages: h, LastSeen: noon(), Client: 1}})
	}
	if chosen := LeastUseful(all, 9000, noon()); len(chosen) != 10 || slices.Max(chosen) != 9 {
		t.Errorf("chosen %v, want the ten with the fewest pages", chosen)
	}
}

func TestRegistrable(t *testing.T) {
	for host, want := range map[string]string{
		"a.b.example.com": "example.com", "example.com:8080": "example.com", "a.co.uk": "a.co.uk", "x.y.github.io": "y.github.io",
		"192.0.2.1": "192.0.2.1", "[2001:db8::1]:443": "2001:db8::1", "localhost": "localhost", "co.uk": "co.uk",
	} {
		if got := registrable(host); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
}
