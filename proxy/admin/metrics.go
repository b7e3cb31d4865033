package admin

import (
	"maps"
	"slices"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
)

// Metrics returns the counters and the health of the models at each scrape. Register it with the metrics of the proxy.
func Metrics(m Models) func() []prom.Family {
	return func() []prom.Family {
		c, health := m.Counters(), m.Health()
		var failing, lastWrite float64
		if !health.OK() {
			failing = 1
		}
		if !health.LastWrite.IsZero() {
			lastWrite = float64(health.LastWrite.Unix())
		}
		families := []prom.Family{
			total("pages_learned", "Pages learned.", c.Learned),
			total("pages_skipped", "Pages not learned because they taught nothing new.", c.Skipped),
			total("pages_dropped", "Pages not learned because the queue was full.", c.Dropped),
			total("models_evicted", "Models that left memory to make room.", c.Evicted),
			total("models_lost", "Models that left memory and could not be saved.", c.Lost),
			total("detector_panics", "Calls into the detector or the store that panicked.", c.Panics),
			total("store_flush_errors", "Failed writes to the store.", c.FlushErrors),
			total("store_load_errors", "Failed reads from the store.", c.LoadErrors),
			total("store_set_aside", "Stored models that could not be read.", c.SetAside),
			total("store_evicted", "Models removed from the store to make room.", c.StoreEvicted),
			present("learn_queue_pages", "Pages waiting to be learned.", float64(c.Queue)),
			present("learn_queue_bytes", "Size of the pages waiting to be learned.", float64(c.QueueBytes)),
			present("models_in_memory", "Host models in memory.", float64(c.Models)),
			present("models_bytes", "Size of the host models in memory.", float64(c.Bytes)),
			present("models_limit_bytes", "What the host models in memory may take.", float64(c.MaxBytes)),
			present("store_bytes", "Size of the store.", float64(c.StoreBytes)),
			present("store_limit_bytes", "What the store may take, 0 for any size.", float64(c.StoreLimit)),
			present("store_failing", "1 while what was learned can't be saved.", failing),
			present("store_last_write_timestamp_seconds", "When something was last saved, 0 for not yet.", lastWrite),
		}
		if s, shared := m.Sharing(); shared {
			families = append(families, fleetMetrics(s)...)
		}
		return families
	}
}

// fleetMetrics are there only where models are shared.
func fleetMetrics(s cache.Sharing) []prom.Family {
	var connected float64
	if s.Connected {
		connected = 1
	}
	skipped := prom.Family{Name: "winnow_fleet_skipped_total", Type: prom.TypeCounter, Labels: []string{"reason"},
		Help: "Messages of other replicas that could not be used, by reason."}
	for _, reason := range slices.Sorted(maps.Keys(s.Skipped)) {
		skipped.Samples = append(skipped.Samples, prom.Sample{Values: []string{reason}, Value: float64(s.Skipped[reason])})
	}
	return []prom.Family{
		present("fleet_connected", "1 while models are shared with other replicas.", connected),
		present("fleet_behind", "Changes of other replicas that are not applied yet.", float64(s.Behind)),
		present("fleet_unsent", "Changes that other replicas did not get yet.", float64(s.Unsent)),
		present("fleet_unsent_bytes", "Size of the changes that other replicas did not get yet.", float64(s.UnsentBytes)),
		total("fleet_sent", "Changes sent to other replicas.", s.Sent),
		total("fleet_applied", "Changes of all replicas that were applied.", s.Applied),
		total("fleet_dropped", "Changes that other replicas will not get, because too many were waiting.", s.Dropped),
		skipped,
	}
}

func total(name, help string, n uint64) prom.Family {
	return prom.Single(prom.TypeCounter, "winnow_"+name+"_total", help, float64(n))
}

func present(name, help string, v float64) prom.Family {
	return prom.Single(prom.TypeGauge, "winnow_"+name, help, v)
}
