package admin

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnow-proxy/winnow/cache"
)

// Collector returns the counters and the health of the models as metrics, to be registered beside those of the proxy.
func Collector(m Models) prometheus.Collector {
	return &collector{models: m, values: []value{
		total("pages_learned_total", "Pages learned.", func(s state) float64 { return float64(s.Learned) }),
		total("pages_dropped_total", "Pages not learned because the queue was full.",
			func(s state) float64 { return float64(s.Dropped) }),
		total("models_evicted_total", "Models that left memory to make room.",
			func(s state) float64 { return float64(s.Evicted) }),
		total("models_lost_total", "Models that left memory and could not be saved.",
			func(s state) float64 { return float64(s.Lost) }),
		total("detector_panics_total", "Calls into the detector or the store that panicked.",
			func(s state) float64 { return float64(s.Panics) }),
		total("store_flush_errors_total", "Failed writes to the store.",
			func(s state) float64 { return float64(s.FlushErrors) }),
		total("store_load_errors_total", "Failed reads from the store.",
			func(s state) float64 { return float64(s.LoadErrors) }),
		total("store_set_aside_total", "Stored models that could not be read.",
			func(s state) float64 { return float64(s.SetAside) }),
		present("learn_queue_pages", "Pages waiting to be learned.",
			func(s state) float64 { return float64(s.Queue) }),
		present("learn_queue_bytes", "Size of the pages waiting to be learned.",
			func(s state) float64 { return float64(s.QueueBytes) }),
		present("models_in_memory", "Host models in memory.", func(s state) float64 { return float64(s.Models) }),
		present("models_bytes", "Size of the host models in memory.",
			func(s state) float64 { return float64(s.Bytes) }),
		present("models_limit_bytes", "What the host models in memory may take.",
			func(s state) float64 { return float64(s.MaxBytes) }),
		present("store_bytes", "Size of the store.", func(s state) float64 { return float64(s.StoreBytes) }),
		present("store_limit_bytes", "What the store may take, 0 for any size.",
			func(s state) float64 { return float64(s.StoreLimit) }),
		total("store_evicted_total", "Models removed from the store to make room.",
			func(s state) float64 { return float64(s.StoreEvicted) }),
		present("store_failing", "1 while what was learned can't be saved.", func(s state) float64 {
			if s.OK() {
				return 0
			}
			return 1
		}),
		present("store_last_write_timestamp_seconds", "When something was last saved, 0 for not yet.", func(s state) float64 {
			if s.LastWrite.IsZero() {
				return 0
			}
			return float64(s.LastWrite.Unix())
		}),
	}}
}

// state is what the metrics show of the models at one moment.
type state struct {
	cache.Counters
	cache.Health
}

// value is one metric and where it is among the counters.
type value struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(state) float64
}

func total(name, help string, of func(state) float64) value {
	return value{prometheus.NewDesc("winnow_"+name, help, nil, nil), prometheus.CounterValue, of}
}

func present(name, help string, of func(state) float64) value {
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
	now := state{c.models.Counters(), c.models.Health()}
	for _, v := range c.values {
		ch <- prometheus.MustNewConstMetric(v.desc, v.kind, v.of(now))
	}
}
