package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/winnow-proxy/winnow/model/blend"
)

// outcome is what a decision expected of itself and what it came to, as F1.
type outcome struct {
	expected, found, weight float64
	fold                    int
}

// knots is how many points a calibration has.
const knots = 16

// calibrate appends a calibration to each weights file, from the outcomes in folds, and prints the expected calibration
// error that a curve from the other folds leaves on each.
func calibrate(outcomes []outcome, folds int, files []string) error {
	for k := range folds {
		var rest, held []outcome
		for _, o := range outcomes {
			if o.fold == k {
				held = append(held, o)
			} else {
				rest = append(rest, o)
			}
		}
		if len(rest) > 0 && len(held) > 0 {
			fmt.Printf("fold %d: expected calibration error %.4f, uncalibrated %.4f\n", k, calibrationError(held, curve(rest)), calibrationError(held, nil))
		}
	}
	points := curve(outcomes)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, blend.AppendCalibration(b, points), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// curve makes points of equal weight of the outcomes and lets them rise only (pool adjacent violators).
func curve(outcomes []outcome) (points [][2]float32) {
	sorted := slices.Clone(outcomes)
	slices.SortFunc(sorted, func(a, b outcome) int { return cmp.Compare(a.expected, b.expected) })
	total := 0.0
	for _, o := range sorted {
		total += o.weight
	}
	var pools []outcome
	var open outcome
	for i, o := range sorted {
		open.expected += o.expected * o.weight
		open.found += o.found * o.weight
		open.weight += o.weight
		if open.weight*knots >= total || i == len(sorted)-1 {
			pools = append(pools, open)
			open = outcome{}
		}
		for n := len(pools); n > 1 && pools[n-2].found*pools[n-1].weight >= pools[n-1].found*pools[n-2].weight; n-- {
			a, b := pools[n-2], pools[n-1]
			pools = append(pools[:n-2], outcome{a.expected + b.expected, a.found + b.found, a.weight + b.weight, 0})
		}
	}
	for _, p := range pools {
		points = append(points, [2]float32{float32(p.expected / p.weight), float32(p.found / p.weight)})
	}
	return points
}

// at reads a curve as blend does.
func at(points [][2]float32, x float64) float64 {
	if len(points) == 0 {
		return x
	}
	i := slices.IndexFunc(points, func(p [2]float32) bool { return float64(p[0]) >= x })
	switch {
	case i == 0:
		return float64(points[0][1])
	case i < 0:
		return float64(points[len(points)-1][1])
	}
	a, b := points[i-1], points[i]
	return float64(a[1]) + float64(b[1]-a[1])*(x-float64(a[0]))/max(float64(b[0]-a[0]), 1e-6)
}

// calibrationError is the mean difference between confidence and outcome, over ten ranges of confidence (Guo et al.
// 2017).
func calibrationError(outcomes []outcome, points [][2]float32) float64 {
	var bins [10]struct{ confidence, found, weight float64 }
	total := 0.0
	for _, o := range outcomes {
		c := at(points, o.expected)
		b := &bins[min(int(c*10), 9)]
		b.confidence += c * o.weight
		b.found += o.found * o.weight
		b.weight += o.weight
		total += o.weight
	}
	sum := 0.0
	for _, b := range bins {
		sum += math.Abs(b.confidence - b.found)
	}
	return sum / total
}
