package reference

import (
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// Metric describes a metric.
type Metric struct {
	Name, Type, Help string
	Labels           []string
}

// Metrics returns the metrics that register creates, by name, with or without values.
func Metrics(register func(prometheus.Registerer)) []Metric {
	d := &describer{}
	register(d)
	slices.SortFunc(d.metrics, func(a, b Metric) int { return strings.Compare(a.Name, b.Name) })
	return d.metrics
}

// describer is a registerer that records the descriptions of metrics. It registers nothing.
type describer struct {
	prometheus.Registerer
	metrics []Metric
}

// MustRegister implements prometheus.Registerer.
func (d *describer) MustRegister(collectors ...prometheus.Collector) {
	for _, c := range collectors {
		descriptions := make(chan *prometheus.Desc)
		go func() { c.Describe(descriptions); close(descriptions) }()
		for desc := range descriptions {
			m := described(desc)
			m.Type = typeOf(c, m.Name)
			d.metrics = append(d.metrics, m)
		}
	}
}

// described parses the text of a description, because the library exports no fields.
func described(desc *prometheus.Desc) Metric {
	m := regexp.MustCompile(`fqName: "([^"]+)", help: "((?:[^"\\]|\\.)*)".*variableLabels: \{([^}]*)\}`).FindStringSubmatch(desc.String())
	if m == nil {
		return Metric{}
	}
	return Metric{Name: m[1], Help: strings.TrimSuffix(m[2], "."), Labels: strings.FieldsFunc(m[3], func(r rune) bool { return r == ',' })}
}

// typeOf is the type of a collector's metrics. For a collector that computes its metrics, the metric name decides.
func typeOf(c prometheus.Collector, name string) string {
	switch c := c.(type) {
	case *prometheus.HistogramVec:
		return "histogram"
	case *prometheus.CounterVec:
		return "counter"
	case *prometheus.GaugeVec:
		return "gauge"
	case prometheus.Metric:
		var value dto.Metric
		if err := c.Write(&value); err == nil && value.Histogram != nil {
			return "histogram"
		} else if err == nil && value.Counter != nil {
			return "counter"
		}
		return "gauge"
	}
	if strings.HasSuffix(name, "_total") {
		return "counter"
	}
	return "gauge"
}
