package main

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Growth and excessive use are detected.
func TestJudge(t *testing.T) {
	steady := func(i int) sample {
		return sample{Goroutines: 1000 + float64(i%7), Descriptors: 500, Private: 600 << 20}
	}
	for _, tc := range []struct {
		name, want string
		change     func(i int, s *sample)
	}{
		{"steady", "", func(int, *sample) {}},
		{"goroutines leak", "goroutines grow", func(i int, s *sample) { s.Goroutines += float64(i) }},
		{"descriptors leak", "descriptors grow", func(i int, s *sample) { s.Descriptors += float64(i) }},
		{"memory", "2000 MiB resident", func(i int, s *sample) {
			if i == 500 {
				s.Private = 2000 << 20
			}
		}},
	} {
		o := options{Duration: 20 * time.Minute, MaxRSS: 1280}
		r := newReport(o)
		for i := range 1200 {
			s := steady(i)
			tc.change(i, &s)
			r.samples = append(r.samples, s)
		}
		r.judge(o)
		got := strings.Join(r.Violations, "; ")
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: violations %q, want %q", tc.name, got, tc.want)
		}
	}
}

// A wrong byte is a violation, and so is a page that the store has lost.
func TestChecks(t *testing.T) {
	if err := same([]byte("abc"), []byte("abc")); err != nil {
		t.Error(err)
	}
	r := newReport(options{})
	r.count("download", same([]byte("abc"), []byte("abd")))
	if r.WrongBytes != 1 || len(r.Violations) != 1 {
		t.Errorf("%d wrong, violations %v", r.WrongBytes, r.Violations)
	}
	p := newPage(3, 4)
	if err := r.cleaned(p, p.body, "remove"); err != nil || r.Whole != 1 || r.Rid != 0 {
		t.Errorf("the page itself: %v, %d whole, %d rid of the footer", err, r.Whole, r.Rid)
	}
	if r.cleaned(p, p.body[:len(p.body)-9], "remove") == nil || r.cleaned(p, newPage(3, 5).body, "remove") == nil {
		t.Error("half a page, or the wrong page, counts as cleaned")
	}
	if lost(map[string]int{"a": 3}, map[string]int{"a": 3, "b": 1}) != nil || lost(map[string]int{"a": 3}, map[string]int{"a": 2}) == nil {
		t.Error("lost pages are not detected")
	}
}
