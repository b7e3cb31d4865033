// Package prom has counters, gauges and histograms, and shows them in the text format of Prometheus, version 0.0.4:
// https://prometheus.io/docs/instrumenting/exposition_formats/. It does what the proxy needs of
// github.com/prometheus/client_golang, which brings protocol buffers and nearly 4 MB with it.
package prom

import (
	"bytes"
	"math"
	"net/http"
	"sort"
	"strconv"
	"strings"
)

// Type is the type of a family.
type Type string

// The types of families.
const (
	TypeCounter   Type = "counter"
	TypeGauge     Type = "gauge"
	TypeHistogram Type = "histogram"
	TypeSummary   Type = "summary"
)

// Family is one metric with its series.
type Family struct {
	Name, Help string
	Type       Type
	Labels     []string
	Samples    []Sample
}

// Sample is one series of a family at one moment.
type Sample struct {
	// Values are those of the family's labels, in the same order.
	Values []string
	// Value is that of a counter or gauge, or the sum of what a histogram or summary observed.
	Value float64
	// Count is how many values a histogram or summary observed.
	Count uint64
	// Points are a histogram's upper bounds with how many values are at or below each, without that of infinity, or a
	// summary's quantiles with their values. Bounds and quantiles ascend.
	Points []Point
}

// Point is one bucket of a histogram, or one quantile of a summary.
type Point struct{ At, Value float64 }

// Single is a family of one series without labels.
func Single(t Type, name, help string, v float64) Family {
	return Family{Name: name, Help: help, Type: t, Samples: []Sample{{Value: v}}}
}

// Registry is all that a scrape shows. The zero value is empty. Register everything before the first scrape. Scrapes
// are safe for concurrent use.
type Registry struct{ sources []func() []Family }

// Register adds families that source computes at each scrape. Their names must be new.
func (r *Registry) Register(source func() []Family) { r.sources = append(r.sources, source) }

// Families returns all families by name, also those that have no series yet.
func (r *Registry) Families() (all []Family) {
	for _, source := range r.sources {
		all = append(all, source()...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

// ServeHTTP answers a scrape. It writes nothing before all families are computed, so that a panic on the way becomes an
// error answer.
func (r *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	for _, f := range r.Families() {
		f.write(&b)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = b.WriteTo(w) // the client may be gone
}

// write writes the family, unless it has no series.
func (f Family) write(b *bytes.Buffer) {
	if len(f.Samples) == 0 {
		return
	}
	b.WriteString("# HELP " + f.Name + " " + strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(f.Help) + "\n")
	b.WriteString("# TYPE " + f.Name + " " + string(f.Type) + "\n")
	for _, s := range f.Samples {
		switch f.Type {
		case TypeCounter, TypeGauge:
			f.line(b, s, "", "", 0, s.Value)
			continue
		case TypeHistogram:
			for _, p := range s.Points {
				f.line(b, s, "_bucket", "le", p.At, p.Value)
			}
			f.line(b, s, "_bucket", "le", math.Inf(1), float64(s.Count))
		case TypeSummary:
			for _, p := range s.Points {
				f.line(b, s, "", "quantile", p.At, p.Value)
			}
		}
		f.line(b, s, "_sum", "", 0, s.Value)
		f.line(b, s, "_count", "", 0, float64(s.Count))
	}
}

// line writes one line of a series, with one more label where label is not empty.
func (f Family) line(b *bytes.Buffer, s Sample, suffix, label string, at, value float64) {
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	var pairs []string
	for i, name := range f.Labels {
		pairs = append(pairs, name+`="`+escape.Replace(strings.ToValidUTF8(s.Values[i], "\uFFFD"))+`"`)
	}
	if label != "" {
		pairs = append(pairs, label+`="`+number(at)+`"`)
	}
	b.WriteString(f.Name + suffix)
	if len(pairs) > 0 {
		b.WriteString("{" + strings.Join(pairs, ",") + "}")
	}
	b.WriteString(" " + number(value) + "\n")
}

// number writes a number as Prometheus reads it: like Go, with "+Inf", "-Inf" and "NaN".
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
