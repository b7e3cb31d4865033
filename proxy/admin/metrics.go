package admin

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnow-proxy/winnow/cache"
)

// Collector returns the models' counters as metrics, to be registered beside those of the proxy.
func Collector(m Models) prometheus.Collector {
	return &collector{models: m, values: []value{
		total("pages_learned_total", "Pages learned.", func(c cache.Counters) float64 { return float64(c.Learned) }),
		total("pages_dropped_total", "Pages not learned because the queue was full.",
			func(c cache.Counters) float64 { return float64(c.Dropped) }),
		total("models_evicted_total", "Models that left memory to make room.",
			func(c cache.Counters) float64 { return float64(c.Evicted) }),
		total("models_lost_total", "Models that left memory and could not be saved.",
			func(c cache.Counters) float64 { return float64(c.Lost) }),
		total("detector_panics_total", "Calls into the detector or the store that panicked.",
			func(c cache.Counters) float64 { return float64(c.Panics) }),
		total("store_flush_errors_total", "Failed writes to the store.",
			func(c cache.Counters) float64 { return float64(c.FlushErrors) }),
		total("store_load_errors_total", "Failed reads from the store.",
			func(c cache.Counters) float64 { return float64(c.LoadErrors) }),
		total("store_set_aside_total", "Stored models that could not be read.",
			func(c cache.Counters) float64 { return float64(c.SetAside) }),
		present("learn_queue_pages", "Pages waiting to be learned.",
			func(c cache.Counters) float64 { return float64(c.Queue) }),
		present("learn_queue_bytes", "Size of the pages waiting to be learned.",
			func(c cache.Counters) float64 { return float64(c.QueueBytes) }),
		present("models_in_memory", "Host models in memory.", func(c cache.Counters) float64 { return float64(c.Models) }),
		present("models_bytes", "Size of the host models in memory.",
			func(c cache.Counters) float64 { return float64(c.Bytes) }),
		present("models_limit_bytes", "What the host models in memory may take.",
			func(c cache.Counters) float64 { return float64(c.MaxBytes) }),
		present("store_bytes", "Size of the store.", func(c cache.Counters) float64 { return float64(c.StoreBytes) }),
		present("store_limit_bytes", "What the store may take, 0 for any size.",
			func(c cache.Counters) float64 { return float64(c.StoreLimit) }),
		total("store_evicted_total", "Models removed from the store to make room.",
			func(c cache.Counters) float64 { return float64(c.StoreEvicted) }),
	}}
}

// value is one metric and where it is among the counters.
type value struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(cache.Counters) float64
}

func total(name, help string, of func(cache.Counters) float64) value {
	return value{prometheus.NewDesc("winnow_"+name, help, nil, nil), prometheus.CounterValue, of}
}

func present(name, help string, of func(cache.Counters) float64) value {
	return value{prometheus.NewDesc("winnow_"+name, help, nil, nil), prometheus.GaugeValue, of}
}

// collector implements prometheus.Collector.
type collector struct {
	models Models
	values []value
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, v := range c.values {
		ch <- v.desc
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	counters := c.models.Counters()
	for _, v := range c.values {
		ch <- prometheus.MustNewConstMetric(v.desc, v.kind, v.of(counters))
	}
}
